/** The counts by which an administrator judges whether an account works, and who counts as a person. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  countAccess,
  countPeople,
  countStandIns,
  countTargets,
  findAdminFacts,
  findPersonByEmail,
  findPersonById,
  listAdminCandidates,
  listPeople,
} from '../../src/admin/people.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { onlyOn } from '../support/engines.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, makeAdmin, openSession, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onlyOn('sqlite', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  const addChannel = ({ userId: user_id }: Person, valid: boolean, isConfirmed: boolean) => {
    const verified_at = isConfirmed ? app.clock.now() : null;
    return app.db
      .insertInto('channels')
      .values(channelRow(app.clock.now(), { user_id, provider: 'webhook', address_hash: newId(), valid, verified_at }))
      .execute();
  };

  test('only devices and channels that reach a person count as working, and a dead channel is broken, confirmed or not', async () => {
    const ada = await createPerson(app);
    await addDevice(app, ada.userId);
    const lost = await addDevice(app, ada.userId);
    await app.db.updateTable('devices').set({ valid: false }).where('id', '=', lost).execute();
    for (const [isValid, isConfirmed] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const)
      await addChannel(ada, isValid, isConfirmed);
    assert.equal((await findPersonById(app.db, ada.userId))?.working_targets, 2);
    const byState = (await countTargets(app.db, ada.userId)).map(({ state, count }) => `${state} ${count}`).toSorted();
    assert.deepEqual(byState, ['broken 1', 'broken 2', 'waiting 1', 'working 1', 'working 1']);
  });

  test('people who were asked to stand in, have agreed, or are stood in for are counted apart', async () => {
    const [ada, bob, eve] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob, eve);
    const now = app.clock.now();
    const task_id = (await ada.ask('POST', '/v1/tasks', { title: 'pills', space_id })).body.data.id;
    const ask = (owner: Person, person: Person, agreed_at: Date | null, more: object = {}) => {
      const two = { id: newId(), owner_id: owner.userId, person_id: person.userId, space_id, asked_at: now, agreed_at };
      const what = { task_id: null, label: null, from_rung: 2, passes_quiet_hours: false };
      return app.db
        .insertInto('stand_ins')
        .values({ ...two, ...what, ...more })
        .execute();
    };
    await ask(ada, bob, now);
    await ask(ada, eve, null);
    await ask(bob, ada, now);
    await ask(eve, ada, null);
    // Only that this person is not told of one task.
    await ask(ada, bob, now, { task_id, from_rung: null });
    assert.deepEqual(await countStandIns(app.db, ada.userId), { asked: 1, agreed: 1, stands_in: 1 });
    assert.deepEqual(await countStandIns(app.db, eve.userId), { asked: 1, agreed: 0, stands_in: 0 });
  });

  test('a session that has expired is none, and the last use of an account is that of its newest session', async () => {
    const ada = await createPerson(app);
    const began = app.clock.now();
    await app.clock.advance('30d');
    await openSession(app, ada.userId);
    const used = app.clock.now();
    assert.deepEqual(await countAccess(app.db, ada.userId, used), { sessions: 2, tokens: 0 });
    const later = new Date(began.getTime() + 90 * 86_400_000);
    assert.deepEqual(await countAccess(app.db, ada.userId, later), { sessions: 1, tokens: 0 });
    assert.deepEqual((await findPersonById(app.db, ada.userId))?.last_sign_at, used);
  });

  test('the last use of an account is the newest of those by its sessions, its apps and its access tokens', async () => {
    const ada = await createPerson(app);
    const lastUse = async () => (await findPersonById(app.db, ada.userId))?.last_sign_at;
    const on = (days: number) => new Date(app.clock.now().getTime() + days * 86_400_000);
    const device = await addDevice(app, ada.userId);
    const { id } = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    await app.db
      .updateTable('devices')
      .set({ last_seen_at: on(2) })
      .where('id', '=', device)
      .execute();
    assert.deepEqual(await lastUse(), on(2));
    await app.db
      .updateTable('access_tokens')
      .set({ last_used_at: on(3) })
      .where('id', '=', id)
      .execute();
    assert.deepEqual(await lastUse(), on(3));
    await app.db
      .updateTable('devices')
      .set({ last_seen_at: on(1) })
      .where('id', '=', device)
      .execute();
    assert.deepEqual(await lastUse(), on(3));
  });

  test('an account that is being deleted is no person and no administrator any more', async () => {
    const ada = await createPerson(app);
    await makeAdmin(app, ada);
    const before = await countPeople(app.db);
    await app.db.updateTable('users').set({ deleted_at: app.clock.now() }).where('id', '=', ada.userId).execute();
    assert.equal(await countPeople(app.db), before - 1);
    const listed = await listPeople(app.db, { limit: 100 });
    assert.ok(!listed.some(({ id }) => id === ada.userId));
    for (const find of [findPersonById, findAdminFacts]) assert.equal(await find(app.db, ada.userId), undefined);
    assert.equal(await findPersonByEmail(app.db, ada.email), undefined);
    assert.ok(!(await listAdminCandidates(app.db, [ada.email])).some(({ id }) => id === ada.userId));
  });
});
