import assert from 'node:assert/strict';
import { connectApp, queryReport, syncReport } from '../support/caldav-client.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { startWithAda } from '../support/people.ts';

onEveryEngineWith(startWithAda, (_it, test) => {
  test('a task that an app stores is a task here, and comes back with everything that it had', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const lines = [
      'UID:one@app',
      'SUMMARY;LANGUAGE=de:Milch\\, Eier',
      'DESCRIPTION:a\\nb',
      'DUE;TZID=Europe/Berlin:20260305T090000',
      'PRIORITY:5',
      'CATEGORIES:home,urgent',
      'RELATED-TO;RELTYPE=PARENT:other',
      'X-APPLE-SORT-ORDER:42',
      'BEGIN:VALARM',
      'ACTION:DISPLAY',
      'TRIGGER:-PT15M',
      'END:VALARM',
    ];
    assert.equal(await phone.put('one.ics', lines, { 'if-none-match': '*' }), 201);
    const { body } = await ada.ask('GET', '/v1/tasks');
    const [task] = body.data;
    assert.deepEqual(
      [task.title, task.notes, task.kind, task.due_at, task.has_time],
      ['Milch, Eier', 'a\nb', 'home', '2026-03-05T08:00:00.000Z', true],
    );
    const { lines: served, tag } = await phone.get('one.ics');
    for (const line of lines) assert.ok(served.includes(line), `${line} is missing in ${served.join('\n')}`);
    assert.ok(served.includes('STATUS:NEEDS-ACTION'));
    assert.match(tag, /^"[\w-]+"$/);
    const listed = await phone.report(queryReport());
    assert.deepEqual([...listed.entries].map(([name, entry]) => [name, entry.tag]), [['one.ics', tag]]);
  });

  test('sync tells what changed, what is new and what is gone', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const { token: empty } = await phone.report(syncReport(''));
    await phone.put('a.ics', ['UID:a', 'SUMMARY:A']);
    const { body } = await ada.ask('POST', '/v1/tasks', { title: 'B' });
    const { id } = body.data;
    const first = await phone.report(syncReport(empty));
    assert.deepEqual([...first.entries.keys()].sort(), [`${id}.ics`, 'a.ics'].sort());
    await ada.ask('POST', `/v1/tasks/${id}/drop`);
    const second = await phone.report(syncReport(first.token));
    assert.equal(second.entries.get(`${id}.ics`)?.status, 404);
    // Changes of the last seconds may be told again, as they were.
    const third = await phone.report(syncReport(second.token));
    for (const [name, { tag }] of third.entries) assert.equal(tag, second.entries.get(name)?.tag);
  });
});
