/** Which tasks an app sees, at which address, and what its deletions and priorities mean. */
import assert from 'node:assert/strict';
import { CaldavSettingsService } from '../../src/caldav/caldav-settings.service.ts';
import { newId } from '../../src/lib/ids.ts';
import { basic, connectApp, queryReport, readMultiStatus, syncReport } from '../support/caldav-client.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { createPerson, type Person, startWithAda } from '../support/people.ts';

const create = async (person: Person, task: object = {}): Promise<string> =>
  (await person.ask('POST', '/v1/tasks', { title: 'x', ...task })).body.data.id;
const read = async (person: Person, id: string) => (await person.ask('GET', `/v1/tasks/${id}`)).body.data;

const ORDER =
  '<D:propfind xmlns:D="DAV:" xmlns:A="http://apple.com/ns/ical/"><D:prop><A:calendar-order/></D:prop></D:propfind>';

const multiget = (paths: readonly string[]) =>
  '<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/></D:prop>' +
  `${paths.map((path) => `<D:href>${path}</D:href>`).join('')}</C:calendar-multiget>`;

onEveryEngineWith(startWithAda, (it) => {
  it('an app sees what its person has accepted and is to do, in the list that it belongs to, and nothing else', async ({
    app,
    ada,
  }) => {
    const grace = await createPerson(app);
    const space_id = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data.id;
    const [phone, hers] = [await connectApp(app, ada), await connectApp(app, grace)];
    const [open, done, dropped, deleted] = [await create(ada), await create(ada), await create(ada), await create(ada)];
    const requested = await create(grace, { owner_id: ada.userId });
    const elsewhere = await create(ada, { space_id });
    await ada.ask('POST', `/v1/tasks/${done}/complete`);
    await ada.ask('POST', `/v1/tasks/${deleted}/complete`);
    await ada.ask('POST', `/v1/tasks/${dropped}/drop`);
    await phone.send('DELETE', `${phone.list}${deleted}.ics`);
    const seen = [open, done].map((id) => `${id}.ics`).sort();
    const hidden = [dropped, deleted, requested, elsewhere].map((id) => `${id}.ics`);
    // An app that syncs for the first time hears of nothing that it does not get.
    for (const report of [syncReport(''), queryReport()])
      assert.deepEqual([...(await phone.report(report)).entries.keys()].sort(), seen);
    const got = await readMultiStatus(
      (await phone.send('REPORT', phone.list, multiget([...seen, ...hidden].map((name) => `${phone.list}${name}`))))
        .body,
    );
    assert.deepEqual([...got.entries].flatMap(([name, { status }]) => (status === 200 ? [name] : [])).sort(), seen);
    for (const name of hidden) {
      assert.equal((await phone.send('GET', `${phone.list}${name}`)).status, 404, name);
      assert.equal((await phone.send('DELETE', `${phone.list}${name}`)).status, 404, name);
      assert.equal((await phone.send('PROPFIND', `${phone.list}${name}`, undefined, { depth: '0' })).status, 404, name);
    }
    assert.equal((await read(ada, elsewhere)).status, 'open');
    const home = (await phone.send('PROPFIND', phone.home, ORDER, { depth: '1' })).body;
    assert.deepEqual(
      [...home.matchAll(/calendar-order>(\d)/g)].flatMap(([, order]) => order),
      ['1', '2'],
    );
    // Two people may use the same name and the same UID.
    for (const [device, title] of [
      [hers, 'of Grace'],
      [phone, 'of Ada'],
    ] as const)
      assert.equal(await device.put('same.ics', ['UID:same', `SUMMARY:${title}`]), 201);
    assert.ok((await hers.get('same.ics')).lines.includes('SUMMARY:of Grace'));
    assert.ok((await phone.get('same.ics')).lines.includes('SUMMARY:of Ada'));
    assert.equal(await phone.put('other.ics', ['UID:same', 'SUMMARY:again']), 409);
    // What no field is for is told to the other apps of the person too. Its moment is the database's.
    const stored = app.db.selectFrom('tasks').select('changed_at').where('title', '=', 'of Ada');
    const long = new Date('2020-01-01T00:00:00Z');
    await app.db.updateTable('tasks').set({ changed_at: long }).where('title', '=', 'of Ada').execute();
    await phone.put('same.ics', ['UID:same', 'SUMMARY:of Ada', 'X-SORT-ORDER:7']);
    assert.ok((await stored.executeTakeFirstOrThrow()).changed_at > long);
    assert.equal(await phone.put('same.ics', ['UID:same', 'SUMMARY:of Ada', 'STATUS:CANCELLED']), 204);
    assert.equal((await phone.send('GET', `${phone.list}same.ics`)).status, 404);
    assert.ok((await hers.get('same.ics')).lines.includes('STATUS:NEEDS-ACTION'));
    // On a clock that was set back, done tasks are shown again of which a later token does not tell.
    const { token } = await phone.report(syncReport(''));
    app.clock.set(new Date(app.clock.now().getTime() - 2 * 86_400_000).toISOString());
    assert.equal((await phone.send('REPORT', phone.list, syncReport(token))).status, 403);
  });

  it('a UID and a name are each at one address, and free again once their task is dropped', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const own = await create(ada);
    assert.equal(await phone.put('copy.ics', [`UID:${own}`, 'SUMMARY:x']), 409);
    await ada.ask('POST', `/v1/tasks/${own}/drop`);
    assert.equal(await phone.put('copy.ics', [`UID:${own}`, 'SUMMARY:again']), 201);
    await ada.ask('POST', `/v1/tasks/${own}/reopen`);
    const { lines } = await phone.get(`${own}.ics`);
    assert.ok(!lines.includes(`UID:${own}`), 'two tasks with one UID');
    // The same name with another UID, after the task that had it was dropped.
    await phone.put('a.ics', ['UID:a', 'SUMMARY:first']);
    const { id } = (await ada.ask('GET', '/v1/tasks')).body.data.find(
      (task: { title: string }) => task.title === 'first',
    );
    await ada.ask('POST', `/v1/tasks/${id}/drop`);
    assert.equal(await phone.put('a.ics', ['UID:b', 'SUMMARY:second']), 201);
    assert.equal(await phone.put('c.ics', ['UID:a', 'SUMMARY:third']), 201);
    await ada.ask('POST', `/v1/tasks/${id}/reopen`);
    const served = await phone.report(queryReport('', '<C:calendar-data/>'));
    const uids = [...served.entries.values()].map(({ text }) => /^UID:(.*)$/m.exec(text)?.[1]);
    assert.equal(new Set(uids).size, 5, uids.join());
    // A done task that was deleted in the app does not come back when its name is used again.
    const before = [...(await phone.report(queryReport())).entries].length;
    await phone.put('d.ics', ['UID:d', 'SUMMARY:d', 'STATUS:COMPLETED', 'COMPLETED:20260228T080000Z']);
    const done = app.db.selectFrom('tasks').select('completed_at').where('title', '=', 'd');
    assert.deepEqual((await done.executeTakeFirstOrThrow()).completed_at, new Date('2026-02-28T08:00:00Z'));
    assert.equal((await phone.send('DELETE', `${phone.list}d.ics`)).status, 204);
    assert.equal(await phone.put('d.ics', ['UID:d', 'SUMMARY:d']), 201);
    assert.equal([...(await phone.report(queryReport())).entries].length, before + 1);
    // At the address by its id, a task that an app has named stays where it is.
    const named = (await ada.ask('GET', '/v1/tasks')).body.data.find(
      (task: { title: string }) => task.title === 'second',
    ).id;
    assert.equal(await phone.put(`${named}.ics`, ['UID:b', 'SUMMARY:changed']), 204);
    assert.ok((await phone.get('a.ics')).lines.includes('SUMMARY:changed'));
  });

  it('what an app deletes an hour later is an Undo of its own, and few deletions are no reason for a mail', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    const ids = [await create(ada), await create(ada), await create(ada)];
    for (const id of ids) {
      assert.equal((await phone.send('DELETE', `${phone.list}${id}.ics`)).status, 204);
      await app.clock.advance('1h');
    }
    const batches = (await ada.ask('GET', '/v1/batches')).body.data;
    assert.deepEqual(
      batches.map(({ task_ids }: { task_ids: string[] }) => task_ids.length),
      [1, 1, 1],
    );
    assert.deepEqual(
      app.printed.filter((mail) => mail.includes('An app deleted your tasks')),
      [],
    );
  });

  it('an old copy of a series that has run for long does not set it back', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const series = { due_at: '2026-03-02T08:00:00Z', has_time: true, recurrence: { freq: 'daily' } };
    const id = await create(ada, { title: 'Pills', ...series });
    const { lines } = await phone.get(`${id}.ics`);
    const old = lines.slice(lines.indexOf('BEGIN:VTODO') + 1, lines.indexOf('END:VTODO'));
    const plain = [...old.filter((line) => !/^(X-CRESCENDO|SUMMARY)/.test(line)), 'SUMMARY:Vitamins'];
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    const day = 86_400_000;
    const before = Array.from({ length: 120 }, (_, index) => {
      const at = new Date(app.clock.now().getTime() - (index + 2) * day);
      const outcome = { task_id: id, owner_id: ada.userId, title: 'Pills', outcome: 'done', seconds_taken: 60 };
      return { ...outcome, id: newId(), occurrence_due_at: at, recorded_at: at };
    });
    await app.db.insertInto('outcomes').values(before).execute();
    const { due_at } = await read(ada, id);
    // A star does not say what the app has known.
    for (const headers of [{}, { 'if-match': '*' }]) {
      assert.equal(await phone.put(`${id}.ics`, plain, headers), 204);
      const task = await read(ada, id);
      assert.deepEqual([task.title, task.due_at], ['Vitamins', due_at]);
    }
    // An app that has gone on by three dates has done one of them, and skipped the others.
    const { lines: served, tag } = await phone.get(`${id}.ics`);
    const todo = served.slice(served.indexOf('BEGIN:VTODO') + 1, served.indexOf('END:VTODO'));
    const later = todo.map((line) => (line.startsWith('DUE') ? 'DUE:20260306T080000Z' : line));
    assert.equal(await phone.put(`${id}.ics`, later, { 'if-match': tag }), 204);
    assert.equal((await read(ada, id)).due_at, '2026-03-06T08:00:00.000Z');
    const closed = app.db.selectFrom('outcomes').select('outcome').where('recorded_at', '=', app.clock.now());
    assert.deepEqual((await closed.execute()).map(({ outcome }) => outcome).toSorted(), [
      'done',
      'done',
      'skipped',
      'skipped',
    ]);
  });

  it('a priority breaks quiet hours only by a token that may, and any token may take that back', async ({
    app,
    ada,
  }) => {
    await ada.ask('PATCH', '/v1/me', { day_start: '07:00' });
    await ada.ask('PUT', '/v1/caldav', { high_is_must_not_miss: true, alarm_minutes: 10 });
    const [phone, weak] = [await connectApp(app, ada), await connectApp(app, ada, { max_stage: 1 })];
    const lines = (priority: number) => ['UID:a', 'SUMMARY:x', 'DUE:20260305T080000Z', `PRIORITY:${priority}`];
    const loud = app.db.selectFrom('tasks').select('break_quiet_hours').where('has_time', '=', true);
    const isLoud = async () => (await loud.executeTakeFirstOrThrow()).break_quiet_hours;
    assert.equal(await phone.put('a.ics', lines(9)), 201);
    const day = await create(ada, { due_at: '2026-03-05T00:00:00Z' });
    const { lines: alarm } = await phone.get(`${day}.ics`);
    assert.ok(alarm.includes('TRIGGER;VALUE=DATE-TIME:20260305T071000Z'), 'an alarm in the morning of the person');
    assert.equal(await weak.put('a.ics', lines(1)), 204);
    assert.equal(await isLoud(), false);
    await phone.put('a.ics', lines(9));
    assert.equal(await phone.put('a.ics', lines(1)), 204);
    assert.equal(await isLoud(), true);
    assert.equal(await weak.put('a.ics', lines(9)), 204);
    assert.equal(await isLoud(), false);
    assert.equal(await phone.put('a.ics', [...lines(9), 'STATUS:COMPLETED']), 204);
    assert.equal(await phone.put('a.ics', [...lines(1), 'STATUS:COMPLETED']), 204);
    assert.equal(await isLoud(), false);
  });

  it('tags that a proxy has marked are known, a star means any, and what is minimal is short', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    assert.equal(await phone.put('a.ics', ['UID:a', 'SUMMARY:1'], { 'if-match': '*' }), 412);
    await phone.put('a.ics', ['UID:a', 'SUMMARY:1']);
    const { tag } = await phone.get('a.ics');
    const inner = tag.slice(1, -1);
    for (const marked of [`W/${tag}`, `"${inner}-gzip"`, `"x", ${tag}`]) {
      const asked = await phone.send('GET', `${phone.list}a.ics`, undefined, { 'if-none-match': marked });
      assert.equal(asked.status, 304, marked);
    }
    assert.equal(await phone.put('a.ics', ['UID:a', 'SUMMARY:2'], { 'if-match': '*' }), 204);
    assert.equal(await phone.put('a.ics', ['UID:a', 'SUMMARY:3'], { 'if-none-match': '"x"' }), 204);
    const body = '<D:propfind xmlns:D="DAV:"><D:prop><D:getetag/><D:nothing/></D:prop></D:propfind>';
    const ask = async (headers: Record<string, string>) =>
      (await phone.send('PROPFIND', `${phone.list}a.ics`, body, { depth: '0', ...headers })).body;
    assert.match(await ask({}), /404 Not Found/);
    for (const headers of [{ prefer: 'return=minimal' }, { brief: 't' }])
      assert.doesNotMatch(await ask(headers), / 404 |nothing/);
    const long = ['UID:long', `DESCRIPTION:${'ä'.repeat(33_000)}`];
    assert.equal(await phone.put('long.ics', long), 403, 'a limit counts bytes');
    const payload = Buffer.from(
      `BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:l\r\nSUMMARY:\xe4\r\n${'END:VTODO\r\nEND:VCALENDAR'}`,
      'latin1',
    );
    const headers = { authorization: basic(ada.email, phone.token), 'content-type': 'text/calendar' };
    const latin = await app.fastify.inject({ method: 'PUT', url: `${phone.list}l.ics`, headers, payload });
    assert.deepEqual([latin.statusCode, latin.body.includes('<C:valid-calendar-data/>')], [403, true]);
    assert.equal((await phone.send('PUT', `${phone.home}${newId()}/a.ics`, 'x')).status, 404);
    const unknown = body.replace('<D:getetag/>', '');
    const nothing = await phone.send('PROPFIND', `${phone.list}a.ics`, unknown, { depth: '0', brief: 't' });
    assert.match(nothing.body, /200 OK/);
    assert.equal((await phone.send('PROPPATCH', `${phone.home}${newId()}/`, body)).status, 404);
    assert.equal((await phone.send('REPORT', `${phone.home}${newId()}/`, queryReport())).status, 404);
  });

  it('an archive gives its person what apps sent, under tags that stay, but takes no name away', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    await phone.put('a.ics', ['UID:a', 'SUMMARY:A', 'X-STRANGE:1']);
    const { tag } = await phone.get('a.ics');
    const stored = await app.db.selectFrom('caldav_entries').selectAll().executeTakeFirstOrThrow();
    const other = await create(ada);
    const { user_id: _, kept_hash: hash, ...archived } = stored;
    const settings = new CaldavSettingsService(app.db);
    await settings.restore(ada.userId, { settings: undefined, entries: [{ ...archived, task_id: other }] });
    assert.equal((await phone.get('a.ics')).tag, tag);
    await app.db.deleteFrom('caldav_entries').execute();
    await settings.restore(ada.userId, { settings: undefined, entries: [archived] });
    const again = await app.db.selectFrom('caldav_entries').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([again, again.kept_hash], [stored, hash]);
    assert.equal((await phone.get('a.ics')).tag, tag);
    // Who has no address enters the id of the account.
    await app.db.updateTable('users').set({ email: null }).where('id', '=', ada.userId).execute();
    assert.equal((await ada.ask('GET', '/v1/caldav')).body.data.user_name, ada.userId);
    const authorization = basic(ada.userId, phone.token);
    assert.equal((await phone.send('GET', `${phone.list}a.ics`, undefined, { authorization })).status, 200);
  });
});
