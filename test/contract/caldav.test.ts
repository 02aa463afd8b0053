import assert from 'node:assert/strict';
import { sql } from 'kysely';
import {
  basic,
  connectApp,
  type DavClient,
  queryReport,
  readMultiStatus,
  syncReport,
} from '../support/caldav-client.ts';
import { onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { createPerson, type Person, startWithAda } from '../support/people.ts';
import { joinSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROPFIND = '<D:propfind xmlns:D="DAV:"><D:prop><D:current-user-principal/></D:prop></D:propfind>';

const create = async (person: Person, task: object): Promise<string> =>
  (await person.ask('POST', '/v1/tasks', { title: 'x', ...task })).body.data.id;
const namesIn = async (app: DavClient): Promise<string[]> =>
  [...(await app.report(queryReport())).entries.keys()].sort();

onEveryEngineWith(startWithAda, (it) => {
  it('a task that an app stores is a task here, and comes back with everything that it had', async ({ app, ada }) => {
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
    assert.deepEqual(
      [...listed.entries].map(([name, entry]) => [name, entry.tag]),
      [['one.ics', tag]],
    );
  });

  it('sync tells what changed, what is new and what is gone', async ({ app, ada }) => {
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

  it('each space is a list with the tasks of the person, and a task that moves is gone from the other', async ({
    app,
    ada,
  }) => {
    const space = (await ada.ask('POST', '/v1/spaces', { name: 'Home & garden' })).body.data.id;
    const grace = await createPerson(app);
    await joinSpace(space, ada, grace);
    const own = await create(ada, { space_id: space });
    await create(grace, { title: "somebody else's", space_id: space });
    const [phone, shared] = [await connectApp(app, ada), await connectApp(app, ada, { list: space })];
    const { body } = await phone.send('PROPFIND', phone.home, undefined, { depth: '1' });
    assert.match(body, /<D:displayname>Home &amp; garden<\/D:displayname>/);
    assert.deepEqual(await namesIn(shared), [`${own}.ics`]);
    assert.equal(await shared.put('in-space.ics', ['UID:in-space', 'SUMMARY:Here']), 201);
    const { token } = await shared.report(syncReport(''));
    await ada.ask('PATCH', `/v1/tasks/${own}`, { space_id: null });
    const told = await shared.report(syncReport(token));
    assert.equal(told.entries.get(`${own}.ics`)?.status, 404);
    assert.deepEqual(await namesIn(phone), [`${own}.ics`]);
    // A stale app still has it in the other list: no second task is made of it.
    const { body: refused, status } = await shared.send('PUT', `${shared.list}${own}.ics`, CALENDAR(own));
    assert.equal(status, 409);
    assert.match(refused, new RegExp(`no-uid-conflict><D:href>${phone.list}${own}.ics`));
  });

  it('what an app deletes is dropped here; what it deletes within a minute is one Undo, and an empty list is mailed', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    const ids = [await create(ada, {}), await create(ada, {}), await create(ada, {})];
    // What was dropped in the browser a moment before has an Undo of its own.
    const inBrowser = await create(ada, {});
    await ada.ask('POST', '/v1/batches', { as: 'dropped', tasks: [{ id: inBrowser }] });
    for (const id of ids) {
      assert.equal((await phone.send('DELETE', `${phone.list}${id}.ics`)).status, 204);
      await app.clock.advance('20s');
    }
    assert.equal((await phone.send('DELETE', `${phone.list}${ids[0]}.ics`)).status, 404);
    assert.deepEqual(await namesIn(phone), []);
    const [batch, ...others] = (await ada.ask('GET', '/v1/batches')).body.data;
    assert.deepEqual(batch.task_ids.toSorted(), ids.toSorted());
    assert.deepEqual(
      others.map(({ task_ids }: { task_ids: string[] }) => task_ids),
      [[inBrowser]],
    );
    await app.clock.advance('1s');
    const mails = app.printed.filter((mail) => mail.includes('An app deleted your tasks'));
    assert.equal(mails.length, 1);
    assert.match(mails[0] ?? '', /deleted 3 tasks/);
    await ada.ask('POST', `/v1/batches/${batch.batch_id}/undo`);
    assert.deepEqual(await namesIn(phone), ids.map((id) => `${id}.ics`).sort());
  });

  it('a list of a space that an app empties is mailed, whatever other lists have and whoever asks for more there', async ({
    app,
    ada,
  }) => {
    const space_id = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data.id;
    const grace = await createPerson(app);
    await joinSpace(space_id, ada, grace);
    await create(grace, { title: 'not accepted yet', owner_id: ada.userId, space_id });
    const shared = await connectApp(app, ada, { list: space_id });
    await create(ada, { title: 'in her own list' });
    const ids = [await create(ada, { space_id }), await create(ada, { space_id }), await create(ada, { space_id })];
    for (const id of ids) assert.equal((await shared.send('DELETE', `${shared.list}${id}.ics`)).status, 204);
    await waitUntil(() => app.printed.some((mail) => mail.includes('An app deleted your tasks')));
  });

  it('a task that is done stays in the app for 30 days, and can be deleted there before', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const [kept, deleted] = [await create(ada, { title: 'kept' }), await create(ada, { title: 'deleted' })];
    for (const id of [kept, deleted]) await ada.ask('POST', `/v1/tasks/${id}/complete`);
    assert.ok((await phone.get(`${kept}.ics`)).lines.includes('STATUS:COMPLETED'));
    assert.equal((await phone.send('DELETE', `${phone.list}${deleted}.ics`)).status, 204);
    assert.deepEqual(await namesIn(phone), [`${kept}.ics`]);
    assert.equal((await ada.ask('GET', `/v1/tasks/${deleted}`)).body.data.status, 'done');
    await app.clock.advance('1m');
    let { token } = await phone.report(syncReport(''));
    // On PostgreSQL, what changed a moment before a report may be in the next one, too.
    await waitUntil(async () => {
      const report = await phone.report(syncReport(token));
      token = report.token;
      return report.entries.size === 0;
    });
    await app.clock.advance('1d');
    const nextDay = await phone.report(syncReport(token));
    assert.deepEqual([...nextDay.entries], [], 'what stays is not sent again with each day');
    await app.clock.advance('30d');
    assert.deepEqual(await namesIn(phone), []);
    const told = await phone.report(syncReport(token));
    assert.equal(told.entries.get(`${kept}.ics`)?.status, 404);
  });

  it('a change needs the state that it was made from, where the app says which', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    await phone.put('a.ics', ['UID:a', 'SUMMARY:1']);
    const { tag } = await phone.get('a.ics');
    assert.equal(await phone.put('a.ics', ['UID:a', 'SUMMARY:2'], { 'if-none-match': '*' }), 412);
    assert.equal(await phone.put('a.ics', ['UID:a', 'SUMMARY:2'], { 'if-match': tag }), 204);
    assert.equal(await phone.put('a.ics', ['UID:a', 'SUMMARY:3'], { 'if-match': tag }), 412);
    assert.equal((await phone.send('DELETE', `${phone.list}a.ics`, undefined, { 'if-match': tag })).status, 412);
    assert.equal(await phone.put('new.ics', ['UID:new', 'SUMMARY:1'], { 'if-match': tag }), 412);
    assert.equal(await phone.put('other.ics', ['UID:a', 'SUMMARY:twice']), 409);
    assert.equal(await phone.put('a.ics', ['UID:b', 'SUMMARY:another']), 409);
    const head = await phone.send('GET', `${phone.list}a.ics`, undefined, {
      'if-none-match': (await phone.get('a.ics')).tag,
    });
    assert.equal(head.status, 304);
    const race = await Promise.all(
      [1, 2, 3].map((round) => phone.put('race.ics', ['UID:race', `SUMMARY:${round}`], { 'if-none-match': '*' })),
    );
    assert.deepEqual(race.toSorted(), [201, 412, 412]);
  });

  it('an unchanged task keeps its tag while it nudges, and a sync token tells when it is lost', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    const id = await create(ada, { due_at: '2026-03-02T10:00:00Z', has_time: true });
    const { tag } = await phone.get(`${id}.ics`);
    await app.clock.advance('3h');
    assert.ok((await ada.ask('GET', `/v1/tasks/${id}`)).body.data.nudge_count > 0);
    assert.equal((await phone.get(`${id}.ics`)).tag, tag);
    for (const token of [
      'nonsense',
      'urn:x-crescendo:sync/1/1/1/aaaaaaaa',
      'urn:x-crescendo:sync/99999999999999/1/20000/aaaaaaaa',
    ]) {
      const { status, body } = await phone.send('REPORT', phone.list, syncReport(token));
      assert.deepEqual([status, body.includes('<D:valid-sync-token/>')], [403, true], token);
    }
    const { token } = await phone.report(syncReport(''));
    await ada.ask('PUT', '/v1/caldav', { high_is_must_not_miss: false, alarm_minutes: 10 });
    assert.equal((await phone.send('REPORT', phone.list, syncReport(token))).status, 403);
    assert.notEqual((await phone.get(`${id}.ics`)).tag, tag);
  });

  it('an alarm and a high priority mean something only for people who chose it', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const due = ['SUMMARY:x', 'DUE:20260305T080000Z', 'PRIORITY:1'];
    await phone.put('a.ics', ['UID:a', ...due]);
    assert.ok(!(await phone.get('a.ics')).text.includes('VALARM'));
    await ada.ask('PUT', '/v1/caldav', { high_is_must_not_miss: true, alarm_minutes: 10 });
    const { data } = (await ada.ask('GET', '/v1/caldav')).body;
    assert.deepEqual(data, {
      url: 'http://localhost:80/caldav/',
      user_name: ada.email,
      high_is_must_not_miss: true,
      alarm_minutes: 10,
    });
    await phone.put('b.ics', ['UID:b', ...due]);
    const { text, lines } = await phone.get('b.ics');
    assert.ok(lines.includes('TRIGGER;VALUE=DATE-TIME:20260305T081000Z'));
    await phone.put('b.ics', lines.slice(lines.indexOf('BEGIN:VTODO') + 1, lines.indexOf('END:VTODO')));
    assert.equal((await phone.get('b.ics')).text.split('BEGIN:VALARM').length, text.split('BEGIN:VALARM').length);
    const tasks = await app.db
      .selectFrom('tasks')
      .select(['break_quiet_hours'])
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      tasks.map(({ break_quiet_hours }) => break_quiet_hours),
      [false, true],
    );
    await phone.put('b.ics', ['UID:b', 'SUMMARY:x', 'DUE:20260305T080000Z', 'PRIORITY:9']);
    const quiet = await app.db
      .selectFrom('tasks')
      .select('break_quiet_hours')
      .where('break_quiet_hours', '=', true)
      .execute();
    assert.deepEqual(quiet, []);
    const weak = await connectApp(app, ada, { max_stage: 1 });
    assert.equal(await weak.put('c.ics', ['UID:c', ...due]), 201);
    const limited = await app.db
      .selectFrom('tasks')
      .select(['max_stage', 'break_quiet_hours'])
      .where('max_stage', '=', 1)
      .execute();
    assert.deepEqual(limited, [{ max_stage: 1, break_quiet_hours: false }]);
  });

  it('a file that cannot be taken is refused by the name of what is wrong', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const cases: [string, string][] = [
      ['not a calendar', 'valid-calendar-data'],
      [CALENDAR('x').replace('END:VTODO\r\n', ''), 'valid-calendar-data'],
      [CALENDAR('x').replace('SUMMARY:x', 'DUE:20269999T000000Z'), 'valid-calendar-data'],
      [CALENDAR('x').replaceAll('VTODO', 'VEVENT'), 'supported-calendar-component'],
      [CALENDAR('x').replace('UID:x\r\n', ''), 'valid-calendar-object-resource'],
      [
        CALENDAR('x').replace('BEGIN:VTODO', 'BEGIN:VTODO\r\nUID:y\r\nEND:VTODO\r\nBEGIN:VTODO'),
        'valid-calendar-object-resource',
      ],
      [CALENDAR('x').replace('SUMMARY:x', `DESCRIPTION:${'a'.repeat(70_000)}`), 'max-resource-size'],
    ];
    for (const [text, condition] of cases) {
      const { status, body } = await phone.send('PUT', `${phone.list}x.ics`, text);
      assert.deepEqual([status, body.includes(`<C:${condition}/>`)], [403, true], `${condition}: ${body}`);
    }
    assert.deepEqual(await namesIn(phone), []);
  });

  it('addresses of others, of nothing and of other kinds are not found, and no list is made or deleted', async ({
    app,
    ada,
  }) => {
    const grace = await createPerson(app);
    const hers = await create(grace, {});
    const space = (await grace.ask('POST', '/v1/spaces', { name: 'hers' })).body.data.id;
    const phone = await connectApp(app, ada);
    const foreign = phone.list.replace(ada.userId, grace.userId);
    const lost = [
      foreign,
      `${foreign}${hers}.ics`,
      `${phone.list}${hers}.ics`,
      `${phone.home}${space}/`,
      `${phone.home}nothing/`,
      '/caldav/x',
      '/caldav//',
      `${phone.list}/a.ics`,
      `${phone.list}a/b.ics`,
      `${phone.list}%2Fa.ics`,
      '/caldav/principals/x/',
    ];
    for (const url of lost)
      assert.equal((await phone.send('PROPFIND', url, PROPFIND, { depth: '0' })).status, 404, url);
    for (const method of ['GET', 'DELETE'])
      assert.equal((await phone.send(method, `${phone.list}${hers}.ics`)).status, 404);
    assert.equal((await phone.send('PUT', `${phone.home}${space}/a.ics`, CALENDAR('a'))).status, 404);
    const wanted = [`${phone.list}${hers}.ics`, `${foreign}${hers}.ics`, 'http://elsewhere.example/x'];
    const { body } = await phone.send('REPORT', phone.list, multiget(wanted));
    assert.equal(body.split('HTTP/1.1 404').length, wanted.length + 1, body);
    for (const method of ['MKCALENDAR', 'MKCOL', 'DELETE'])
      assert.equal((await phone.send(method, `${phone.home}tasks/`)).status, 403);
    const patch =
      '<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><D:displayname>x</D:displayname></D:prop></D:set></D:propertyupdate>';
    const patched = await phone.send('PROPPATCH', phone.list, patch);
    assert.deepEqual([patched.status, patched.body.includes('403 Forbidden')], [207, true]);
    assert.equal((await phone.send('PROPFIND', phone.list, PROPFIND, { depth: 'infinity' })).status, 403);
    assert.equal((await phone.send('REPORT', phone.list, '<D:expand-property xmlns:D="DAV:"/>')).status, 403);
    assert.equal((await phone.send('COPY', phone.list)).status, 405);
  });

  it('an export has what apps sent, and an import gives it back, but nothing that is not lines', async ({
    app,
    ada,
  }) => {
    const grace = await createPerson(app);
    const [phone, other] = [await connectApp(app, ada), await connectApp(app, grace)];
    const lines = ['UID:a', 'SUMMARY;LANGUAGE=de:A', 'X-STRANGE:1', 'DUE:20260310T090000Z'];
    await phone.put('a.ics', lines);
    await phone.put('b.ics', ['UID:b', 'SUMMARY:B']);
    await ada.ask('PUT', '/v1/caldav', { high_is_must_not_miss: true, alarm_minutes: 5 });
    const { data } = (await ada.ask('GET', '/v1/me/export')).body;
    const forged = data.tasks.find(({ title }: { title: string }) => title === 'B').caldav_entries[0];
    forged.kept = JSON.stringify({ ...JSON.parse(forged.kept), rest: 'END:VTODO\r\nBEGIN:VEVENT\r\n' });
    assert.equal((await grace.ask('POST', '/v1/me/import', data)).body.data.imported, 2);
    for (const line of lines) assert.ok((await other.get('a.ics')).lines.includes(line), line);
    assert.equal((await namesIn(other)).filter((name) => name === 'b.ics').length, 0);
    const { url: _, user_name: __, ...chosen } = (await grace.ask('GET', '/v1/caldav')).body.data;
    assert.deepEqual(chosen, { high_is_must_not_miss: true, alarm_minutes: 5 });
    assert.equal((await ada.ask('DELETE', '/v1/me')).status, 200);
    assert.equal((await phone.send('GET', `${phone.list}a.ics`)).status, 401);
  });

  it('the password is an access token of that very person, and ends with it', async ({ app, ada }) => {
    const grace = await createPerson(app);
    const phone = await connectApp(app, ada);
    const ask = (authorization?: string) =>
      app.fastify.inject({
        method: 'PROPFIND' as 'GET',
        url: '/caldav/',
        headers: authorization ? { authorization } : {},
      });
    for (const right of [
      basic(ada.email, phone.token),
      basic(ada.email.toUpperCase(), phone.token),
      basic(ada.userId, phone.token),
    ])
      assert.equal((await ask(right)).statusCode, 207);
    const refusals = await Promise.all(
      [
        undefined,
        basic(ada.email, 'pk_wrong'),
        basic(grace.email, phone.token),
        basic('nobody', phone.token),
        basic('', phone.token),
        basic(ada.email, ada.sessionToken),
        `Bearer ${ada.sessionToken}`,
        'Basic !!!',
        basic(ada.email, ''),
      ].map(ask),
    );
    const told = new Set(
      refusals.map(({ statusCode, body, headers }) => JSON.stringify([statusCode, body, headers['www-authenticate']])),
    );
    assert.equal(told.size, 1, [...told].join('\n'));
    assert.deepEqual(
      [refusals[0]?.statusCode, refusals[0]?.headers['www-authenticate']],
      [401, 'Basic realm="crescendo", charset="UTF-8"'],
    );
    const reader = await connectApp(app, ada, { scopes: ['tasks:read'] });
    assert.equal(await reader.put('a.ics', ['UID:a', 'SUMMARY:a']), 403);
    const { body } = await reader.send(
      'PROPFIND',
      reader.list,
      '<D:propfind xmlns:D="DAV:"><D:prop><D:current-user-privilege-set/></D:prop></D:propfind>',
    );
    assert.ok(body.includes('<D:read/>') && !body.includes('<D:write/>'), body);
    await ada.ask('DELETE', `/v1/tokens/${phone.tokenId}`);
    assert.equal((await phone.send('GET', `${phone.list}a.ics`)).status, 401);
  });
});

const CALENDAR = (uid: string): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VTODO', `UID:${uid}`, 'SUMMARY:x', 'END:VTODO', 'END:VCALENDAR', ''].join(
    '\r\n',
  );

const multiget = (paths: readonly string[]): string =>
  `<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/><C:calendar-data/></D:prop>${paths.map((path) => `<D:href>${path}</D:href>`).join('')}</C:calendar-multiget>`;

onEveryEngine((engine, it) => {
  it('a password over plain HTTP is taken on the machine itself, and from elsewhere where the operator allows it', async () => {
    for (const [allowed, status] of [
      ['false', 403],
      ['true', 207],
    ] as const) {
      await using app = await startTestApp(engine, { settings: { CALDAV_OVER_HTTP: allowed } });
      const ada = await createPerson(app);
      const { token } = await connectApp(app, ada);
      const ask = (remoteAddress: string) =>
        app.fastify.inject({
          method: 'PROPFIND' as 'GET',
          url: '/caldav/',
          remoteAddress,
          headers: { authorization: basic(ada.email, token) },
        });
      assert.equal((await ask('192.0.2.7')).statusCode, status);
      assert.equal((await ask('127.0.0.1')).statusCode, 207);
    }
  });

  it('a long list comes in pages, complete and in order, also as a first sync', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const phone = await connectApp(app, ada);
    const tasks = Array.from({ length: 350 }, (_, index) => ({
      title: `task ${index}`,
      notes: 'n'.repeat(index % 50 === 0 ? 9_000 : 10),
    }));
    await ada.ask('POST', '/v1/me/import', { schema_version: 1, tasks });
    const { entries } = await phone.report(queryReport('', '<C:calendar-data/>'));
    assert.equal(entries.size, 350);
    assert.ok([...entries.values()].every(({ text }) => text.includes('END:VCALENDAR')));
    assert.equal((await phone.report(syncReport(''))).entries.size, 350);
    const deep = await readMultiStatus((await phone.send('PROPFIND', phone.list, undefined, { depth: '1' })).body);
    assert.equal(deep.entries.size, 351);
    const got = await readMultiStatus(
      (await phone.send('REPORT', phone.list, multiget([...entries.keys()].map((name) => `${phone.list}${name}`))))
        .body,
    );
    assert.deepEqual([...got.entries.values()].filter(({ status }) => status === 200).length, 350);
    const { token } = await phone.report(syncReport(''));
    await app.clock.advance('1m');
    const removals = Array.from({ length: 350 }, () => ({
      viewer_id: ada.userId,
      task_id: crypto.randomUUID(),
      changed_at: sql<Date>`crescendo_now()`,
    }));
    await app.db.insertInto('task_removals').values(removals).execute();
    await app.clock.advance('1m');
    const gone = [...(await phone.report(syncReport(token))).entries].filter(([, { status }]) => status === 404);
    assert.deepEqual(gone.map(([name]) => name).sort(), removals.map(({ task_id }) => `${task_id}.ics`).sort());
  });
});
