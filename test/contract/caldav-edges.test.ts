import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { CaldavSettingsService } from '../../src/caldav/caldav-settings.service.ts';
import { readToken, writeToken } from '../../src/caldav/sync-token.ts';
import { connectApp, readMultiStatus, syncReport } from '../support/caldav-client.ts';
import { countCharged } from '../support/charged-rows.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { onEveryEngineWith } from '../support/engines.ts';
import { createPerson, startWithAda } from '../support/people.ts';
import { waitUntil } from '../support/wait-until.ts';

const multiget = (paths: readonly string[]) =>
  '<C:calendar-multiget xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/></D:prop>' +
  `${paths.map((path) => `<D:href>${path}</D:href>`).join('')}</C:calendar-multiget>`;

onEveryEngineWith(startWithAda, (it, test) => {
  test('of two apps that change the same state at once, one is told that it changed', async ({ app, ada }) => {
    const [phone, laptop] = [await connectApp(app, ada), await connectApp(app, ada)];
    await phone.put('a.ics', ['UID:a', 'SUMMARY:1']);
    for (let round = 0; round < 3; round += 1) {
      const { tag } = await phone.get('a.ics');
      const change = (title: string) => ['UID:a', `SUMMARY:${title}`];
      const statuses = await Promise.all([
        phone.put('a.ics', change(`phone ${round}`), { 'if-match': tag }),
        laptop.put('a.ics', change(`laptop ${round}`), { 'if-match': tag }),
      ]);
      assert.deepEqual(statuses.toSorted(), [204, 412]);
    }
  });

  test('what one app deletes while another changes it is either deleted or changed', async ({ app, ada }) => {
    const [phone, laptop] = [await connectApp(app, ada), await connectApp(app, ada)];
    for (let round = 0; round < 3; round += 1) {
      const name = `${round}.ics`;
      await phone.put(name, [`UID:${round}`, 'SUMMARY:1']);
      const { tag } = await phone.get(name);
      const [changed, { status: deleted }] = await Promise.all([
        phone.put(name, [`UID:${round}`, 'SUMMARY:2'], { 'if-match': tag }),
        laptop.send('DELETE', `${laptop.list}${name}`, undefined, { 'if-match': tag }),
      ]);
      assert.deepEqual([changed, deleted].toSorted(), [204, 412]);
    }
  });

  test('what is done is deleted by one app or opened again by another, not both', async ({ app, ada }) => {
    const [phone, laptop] = [await connectApp(app, ada), await connectApp(app, ada)];
    for (let round = 0; round < 6; round += 1) {
      const name = `${round}.ics`;
      await phone.put(name, [`UID:${round}`, 'SUMMARY:1']);
      await phone.put(name, [`UID:${round}`, 'SUMMARY:1', 'STATUS:COMPLETED']);
      const { tag } = await phone.get(name);
      const open = () => phone.put(name, [`UID:${round}`, 'SUMMARY:2', 'STATUS:NEEDS-ACTION'], { 'if-match': tag });
      const remove = async () =>
        (await laptop.send('DELETE', `${laptop.list}${name}`, undefined, { 'if-match': tag })).status;
      const asked = round % 2 === 0 ? [open(), remove()] : [remove(), open()];
      assert.deepEqual((await Promise.all(asked)).toSorted(), [204, 412], `round ${round}`);
    }
  });

  it('an app that asks for many tasks gets all of them, and none of another person', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const bulk = { tasks: 101, owners: 1, dueAt: new Date('2026-03-09T09:00:00Z'), withDevices: false };
    const [owner = ''] = await insertDueTasks(app.db, bulk);
    await app.db.updateTable('tasks').set({ owner_id: ada.userId }).where('owner_id', '=', owner).execute();
    const bob = await createPerson(app);
    const { id: other } = (await bob.ask('POST', '/v1/tasks', { title: 'of Bob' })).body.data;
    const ids = (await app.db.selectFrom('tasks').select('id').execute()).map(({ id }) => id);
    const rows = countCharged(app);
    const { status, body } = await phone.send(
      'REPORT',
      phone.list,
      multiget(ids.map((id) => `${phone.list}${id}.ics`)),
    );
    assert.deepEqual([status, rows()], [207, 101]);
    const { entries } = await readMultiStatus(body);
    const missing = [...entries].filter(([, entry]) => entry.status !== 200).map(([name]) => name);
    assert.deepEqual([entries.size, missing], [102, [`${other}.ics`]]);
  });

  it('an app that lists or asks for tasks is charged for each, and waits once its person has spent their budget', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    for (const title of ['one', 'two', 'three']) await ada.ask('POST', '/v1/tasks', { title });
    const rows = countCharged(app);
    const list = (depth: string) => phone.send('PROPFIND', phone.list, undefined, { depth });
    assert.deepEqual([(await list('0')).status, rows(), (await list('1')).status, rows()], [207, 0, 207, 3]);
    app.fastify.costBudget.charge(ada.userId, 10_000_000);
    const asked = [await list('1'), await phone.send('REPORT', phone.list, syncReport(''))];
    assert.deepEqual(
      asked.map(({ status }) => status),
      [429, 429],
    );
    assert.equal(await phone.put('a.ics', ['UID:a', 'SUMMARY:still stored']), 201);
  });

  it('a task that an app has named keeps its address when another app uses its id as a name', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    await phone.put('mine.ics', ['UID:mine', 'SUMMARY:first']);
    const [{ id }] = (await ada.ask('GET', '/v1/tasks')).body.data;
    await ada.ask('POST', `/v1/tasks/${id}/drop`);
    assert.equal(await phone.put(`${id}.ics`, ['UID:other', 'SUMMARY:second']), 201);
    await ada.ask('POST', `/v1/tasks/${id}/reopen`);
    assert.ok((await phone.get('mine.ics')).lines.includes('SUMMARY:first'));
    assert.ok((await phone.get(`${id}.ics`)).lines.includes('SUMMARY:second'));
  });

  it('each change has a mark of its own, also after the clock was set back', async ({ app, ada }) => {
    const phone = await connectApp(app, ada);
    const mark = async () => (await phone.report(syncReport(''))).token;
    await ada.ask('POST', '/v1/tasks', { title: 'before' });
    const marks = [await mark()];
    app.clock.set(new Date(app.clock.now().getTime() - 600_000).toISOString());
    for (const title of ['one', 'two', 'three']) {
      await ada.ask('POST', '/v1/tasks', { title });
      marks.push(await mark());
      await app.clock.advance('1s');
    }
    assert.equal(new Set(marks).size, marks.length);
  });

  it('the mark of a list changes when a task is gone, and a mark that is older than removals are known is lost', async ({
    app,
    ada,
  }) => {
    const phone = await connectApp(app, ada);
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'imported' })).body.data;
    await app.clock.advance('1m');
    await ada.ask('POST', '/v1/tasks', { title: 'kept' });
    await app.clock.advance('1m');
    let { token: before } = await phone.report(syncReport(''));
    // On PostgreSQL, what changed a moment before a report may be in the next one, too.
    await waitUntil(async () => {
      const report = await phone.report(syncReport(before));
      before = report.token;
      return report.entries.size === 0;
    });
    await app.clock.advance('1m');
    // As when an import is taken back.
    await app.db.deleteFrom('tasks').where('id', '=', id).execute();
    const removal = { viewer_id: ada.userId, task_id: id, changed_at: sql<Date>`crescendo_now()` };
    await app.db.insertInto('task_removals').values(removal).execute();
    const rows = countCharged(app);
    const { entries } = await phone.report(syncReport(before));
    assert.deepEqual([...entries.keys()], [`${id}.ics`]);
    assert.equal(rows(), 1, 'a removal counts like a task');
    const { token: after } = await phone.report(syncReport(''));
    assert.notEqual(after, before);
    await ada.ask('POST', '/v1/tasks', { title: 'another' });
    const { token } = await phone.report(syncReport(''));
    const state = readToken(token);
    assert.ok(state);
    // Its moments are those of the database, whose clock no test moves.
    const old = writeToken({ ...state, until: new Date(state.until.getTime() - 91 * 86_400_000) });
    const noDate = Number.MAX_SAFE_INTEGER;
    const withUntil = [noDate, -noDate, -8e15].map((moment) => token.replace(/sync\/\d+/, `sync/${moment}`));
    const withDay = [noDate, -noDate].map((day) => token.replace(/\d+(\/[^/]+)$/, `${day}$1`));
    for (const lost of [old, ...withUntil, ...withDay]) {
      const { status } = await phone.send('REPORT', phone.list, syncReport(lost));
      assert.equal(status, 403, lost);
    }
  });

  it('an archive changes nothing that a person has chosen for their apps', async ({ app, ada }) => {
    const settings = new CaldavSettingsService(app.db);
    const archived = { high_is_must_not_miss: true, alarm_minutes: 5 };
    const chosen = async () => (await ada.ask('GET', '/v1/caldav')).body.data.alarm_minutes;
    await settings.restore(ada.userId, { settings: archived, entries: [] });
    assert.equal(await chosen(), 5);
    await ada.ask('PUT', '/v1/caldav', { high_is_must_not_miss: false, alarm_minutes: 10 });
    await settings.restore(ada.userId, { settings: archived, entries: [] });
    assert.equal(await chosen(), 10);
  });
});
