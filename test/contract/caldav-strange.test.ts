/** What no app should send, and some do: strange VTODOs come back with nothing lost, and broken ones break nothing. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { connectApp, queryReport, unfolded } from '../support/caldav-client.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { createPerson, startWithAda } from '../support/people.ts';
import { sized } from '../support/size.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((value) =>
  value
    .replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029\uFFFE\uFFFF]/gu, '')
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .trim(),
);
const word = fc.stringMatching(/^[A-Z][A-Z0-9-]{0,15}$/);
const parameter = fc.tuple(word, fc.stringMatching(/^[\w .-]{1,10}$/)).map(([name, value]) => `;X-${name}="${value}"`);

const due = fc.constantFrom(
  [],
  ['DUE;VALUE=DATE:20260310'],
  ['DUE:20260310'],
  ['DUE:20260310T090000Z'],
  ['DUE:20260310T090000'],
  ['DUE;TZID=Europe/Berlin:20260310T090000'],
  ['DUE;TZID="W. Europe Standard Time":20260310T090000'],
  ['DUE;TZID=/example.org/2026/America/New_York:20261101T013000'],
  ['DTSTART:20260309T080000Z', 'DUE:20260310T090000Z'],
  ['DTSTART;VALUE=DATE:20260301', 'DUE;VALUE=DATE:20260310'],
  ['DTSTART:20260309T080000Z', 'DURATION:PT1H'],
  ['DTSTART;VALUE=DATE:20260301'],
  ['DUE:99991231T235959Z'],
);
const rule = fc.constantFrom(
  [],
  [],
  ['RRULE:FREQ=DAILY'],
  ['RRULE:FREQ=WEEKLY;BYDAY=TU,TH;WKST=SU'],
  ['RRULE:FREQ=MONTHLY;COUNT=5'],
  ['RRULE:FREQ=YEARLY;UNTIL=20300101T000000Z'],
  ['RRULE:FREQ=SECONDLY;INTERVAL=7'],
  ['RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO'],
  ['RRULE:FREQ=NEVER'],
  ['RRULE:nonsense'],
  ['RRULE:FREQ=DAILY', 'EXDATE;VALUE=DATE:20260311', 'RDATE;VALUE=DATE:20260320'],
);
const status = fc.constantFrom(
  [],
  ['STATUS:NEEDS-ACTION'],
  ['STATUS:IN-PROCESS', 'PERCENT-COMPLETE:33'],
  ['PERCENT-COMPLETE:5'],
  ['STATUS:COMPLETED', 'COMPLETED:20260301T080000Z'],
);
const other = fc
  .tuple(word, fc.array(parameter, { maxLength: 2 }), text)
  .map(([name, parameters, value]) => `X-${name}${parameters.join('')}:${value}`);
const known = fc.constantFrom(
  'PRIORITY:1',
  'PRIORITY:9',
  'CLASS:PRIVATE',
  'GEO:48.85;2.35',
  'LOCATION;ALTREP="http://x.example/a:b":Shop',
  'URL:https://x.example/?a=b;c',
  'RELATED-TO;RELTYPE=CHILD:abc',
  'ATTACH;FMTTYPE=text/plain;ENCODING=BASE64;VALUE=BINARY:YWJj',
  'SEQUENCE:7',
  'CREATED:19990101T000000Z',
  'X-MOZ-LASTACK:20260301T000000Z',
  'RESOURCES:a,b',
);
const alarm = fc.constantFrom(
  [],
  ['BEGIN:VALARM', 'ACTION:DISPLAY', 'TRIGGER;RELATED=END:-P2D', 'DESCRIPTION:a\\, b', 'END:VALARM'],
  ['BEGIN:VALARM', 'ACTION:AUDIO', 'TRIGGER;VALUE=DATE-TIME:20220202T163000Z', 'X-WR-ALARMUID:x', 'END:VALARM'],
);
const texts = fc
  .tuple(text, fc.option(text, { nil: undefined }), fc.array(text, { maxLength: 4 }))
  .map(([summary, notes, categories]) => [
    ...(summary === '' ? [] : [`SUMMARY;LANGUAGE=xx:${summary}`]),
    ...(notes === undefined ? [] : [`DESCRIPTION:${notes}\\n\\n${'long '.repeat(30)}`]),
    ...(categories.length === 0 ? [] : [`CATEGORIES:${categories.join(',')}`]),
  ]);

const strange = fc
  .tuple(texts, due, rule, status, fc.array(other, { maxLength: 4 }), fc.uniqueArray(known, { maxLength: 4 }), alarm)
  .map((groups) => groups.flat());

/** A start at the due date is left out, since it hides the task. Everything else comes back as it was. */
onEveryEngineWith(startWithAda, (it) => {
  it('strange VTODOs go through and come back with nothing lost, also after they went back once more', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    let number = 0;
    await fc.assert(
      fc.asyncProperty(strange, async (lines) => {
        number += 1;
        const name = `${number}.ics`;
        assert.equal(await phone.put(name, [`UID:${number}@strange`, ...lines]), 201);
        const first = await phone.get(name);
        for (const line of lines)
          assert.ok(first.lines.includes(line), `${line} is missing in\n${first.lines.join('\n')}`);
        const todo = first.lines.slice(first.lines.indexOf('BEGIN:VTODO') + 1, first.lines.lastIndexOf('END:VTODO'));
        assert.equal(await phone.put(name, todo, { 'if-match': first.tag }), 204);
        const second = await phone.get(name);
        for (const line of lines) assert.ok(second.lines.includes(line), `${line} got lost on the way back`);
        assert.equal(second.lines.length, first.lines.length, `${first.text}\n${second.text}`);
        // A change here leaves the rest.
        const kept = lines.filter(
          (line) => !/^(SUMMARY|DESCRIPTION|CATEGORIES|DUE|DTSTART|DURATION|RRULE|STATUS|COMPLETED|PERCENT)/.test(line),
        );
        const [task] = (await app.db
          .selectFrom('caldav_entries')
          .select('task_id')
          .where('name', '=', name)
          .execute()) as { task_id: string }[];
        await ada.ask('PATCH', `/v1/tasks/${task?.task_id}`, { title: 'Changed here' });
        const third = await phone.get(name);
        assert.ok(third.lines.includes('SUMMARY:Changed here'));
        for (const line of kept) assert.ok(third.lines.includes(line), `${line} is gone after a change here`);
      }),
      { numRuns: sized(25, 500) },
    );
    const { entries } = await phone.report(queryReport('', '<C:calendar-data/>'));
    assert.equal(entries.size, number);
    for (const { text: served } of entries.values()) assert.ok(unfolded(served).includes('END:VCALENDAR'));
  });

  it('broken XML, iCalendar and headers are refused at once, and never a fault of the service', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    await phone.put('a.ics', ['UID:a', 'SUMMARY:a', 'DUE:20260310T090000Z', 'RRULE:FREQ=DAILY']);
    const { text: whole } = await phone.get('a.ics');
    const bodies = [
      queryReport('<C:prop-filter name="UID"><C:text-match>a</C:text-match></C:prop-filter>'),
      queryReport('<C:time-range start="20260101T000000Z" end="20270101T000000Z"/>'),
      `<D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>`,
      `<D:sync-collection xmlns:D="DAV:"><D:sync-token/><D:prop><D:getetag/></D:prop></D:sync-collection>`,
      whole,
      '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
      `<a>${'<b>'.repeat(50)}`,
      `<a ${Array.from({ length: 100 }, (_, index) => `b${index}="c"`).join(' ')}/>`,
      '<a xmlns:x="y"><x:b/><z:c/></a>',
      `<a>${'<b/>'.repeat(30_000)}</a>`,
      '\u0000',
      '',
    ];
    const cut = fc
      .tuple(fc.constantFrom(...bodies), fc.nat(), fc.nat(), fc.string({ maxLength: 5 }))
      .map(([body, from, length, put]) => {
        const start = body.length === 0 ? 0 : from % body.length;
        return body.slice(0, start) + put + body.slice(start + (length % 40));
      });
    const methods = fc.constantFrom('PROPFIND', 'PROPPATCH', 'REPORT', 'PUT', 'DELETE', 'MKCOL', 'GET', 'OPTIONS');
    const paths = fc.constantFrom(
      'a.ics',
      '',
      'b%00.ics',
      '%E0%A4%A.ics',
      `${'n'.repeat(300)}.ics`,
      'a.ics/',
      '../tasks/a.ics',
    );
    const header = fc.constantFrom(
      {},
      { depth: '1' },
      { depth: 'x' },
      { 'if-match': '*' },
      { 'if-match': '"x"' },
      { 'if-none-match': '*' },
      { 'content-type': 'application/json' },
      { prefer: 'return=minimal' },
    );
    const check = async (method: string, path: string, body: string, headers: Record<string, string>) => {
      const began = performance.now();
      const answer = await phone.send(method, `${phone.list}${path}`, body, headers);
      assert.ok(answer.status < 500, `${method} ${path} ${body.slice(0, 200)} → ${answer.status} ${answer.body}`);
      assert.ok(performance.now() - began < 2_000, `${method} took long: ${body.slice(0, 200)}`);
    };
    for (const body of bodies)
      for (const method of ['REPORT', 'PROPFIND', 'PROPPATCH', 'PUT']) await check(method, 'a.ics', body, {});
    await fc.assert(fc.asyncProperty(methods, paths, cut, header, check), { numRuns: sized(150, 5_000) });
    const grace = await createPerson(app);
    const foreign = phone.list.replace(ada.userId, grace.userId);
    await fc.assert(
      fc.asyncProperty(methods, paths, cut, async (method, path, body) => {
        const { status, body: told } = await phone.send(method, `${foreign}${path}`, body);
        assert.ok(status === 404 || status === 400 || status === 422, `${status} ${told}`);
      }),
      { numRuns: sized(40, 500) },
    );
  });
});
