/** Who gets a leased delivery about somebody else's task, and by whose settings. */
import assert from 'node:assert/strict';
import { listTasksToPush } from '../../src/deliveries/outbox.store.ts';
import { preparePushes } from '../../src/deliveries/outbox.ts';
import { findRecipients } from '../../src/deliveries/recipients.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine } from '../support/engines.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('a stand-in is told from their rung on, by their own settings, and on a phone only of what they read', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db, clock } = app;
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    await ada.ask('PATCH', '/v1/me', { display_name: 'Ada' });
    await grace.ask('PATCH', '/v1/me', { display_name: 'Grace', timezone: 'Asia/Tokyo' });
    const [space_id, agreed_in] = [await createSpace(ada, grace), await createSpace(ada, grace)];
    const fields = { title: 'pills', space_id, break_quiet_hours: true };
    const task_id = (await ada.ask('POST', '/v1/tasks', fields)).body.data.id as string;
    const task = { id: task_id, owner_id: ada.userId };
    const now = clock.now();
    const agreement = { id: newId(), owner_id: ada.userId, person_id: grace.userId, space_id: agreed_in, task_id };
    await db
      .insertInto('stand_ins')
      .values({ ...agreement, label: null, from_rung: 1, passes_quiet_hours: false, asked_at: now, agreed_at: now })
      .execute();
    const { run } = await db.selectFrom('tasks').select('run').executeTakeFirstOrThrow();
    const target_id = await addDevice(app, grace.userId);
    const row = storedDelivery(task, { provider: 'apns', recipient_id: grace.userId, target_id, run, created_at: now });
    const leased = await db.insertInto('deliveries').values(row).returningAll().execute();
    const [delivery] = leased;
    assert.ok(delivery);
    const find = async () => {
      const tasks = await listTasksToPush(db, [task_id]);
      const [stored] = tasks;
      assert.ok(stored);
      return (await findRecipients(db, leased, new Map(tasks.map((one) => [one.id, one]))))(delivery, stored);
    };
    const prepare = () => {
      const parts = { db, clock, wallClock: clock, limits: undefined, logger: createLogger('silent') };
      return preparePushes(parts, 'apns', leased);
    };
    const setTask = (changes: object) => db.updateTable('tasks').set(changes).execute();
    const setStandIn = (changes: object) => db.updateTable('stand_ins').set(changes).execute();

    await setTask({ step: 1 });
    assert.equal(await find(), undefined, 'the owner may have asked for a later rung since');
    assert.deepEqual(
      (await prepare()).unsent.map(({ result }) => [result.status, result.reason]),
      [['cancelled', 'no_stand_in']],
    );
    await setTask({ step: 2 });
    const told = await find();
    assert.deepEqual(told?.standInFor, { name: 'Ada', isEither: false });
    assert.deepEqual([told?.settings.timezone, told?.mustNotMiss, told?.readsTask], ['Asia/Tokyo', false, true]);
    const [outgoing] = (await prepare()).pushes;
    assert.ok(outgoing?.push.kind === 'nudge');
    assert.deepEqual([outgoing.push.task.timezone, outgoing.push.task.standInFor], ['Asia/Tokyo', told?.standInFor]);
    await setStandIn({ passes_quiet_hours: true, from_rung: 0 });
    const either = await find();
    assert.deepEqual([either?.mustNotMiss, either?.standInFor?.isEither], [true, true]);
    await setTask({ break_quiet_hours: false });
    assert.equal((await find())?.mustNotMiss, false);

    await db.deleteFrom('space_members').where('space_id', '=', space_id).where('user_id', '=', ada.userId).execute();
    assert.equal((await find())?.readsTask, false, 'its owner is not in the space any more');
    assert.deepEqual((await prepare()).pushes, []);
    await setStandIn({ agreed_at: null });
    assert.equal(await find(), undefined);
  });
});
