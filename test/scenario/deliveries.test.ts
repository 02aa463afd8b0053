import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushResult } from '../../src/push/gateway.ts';
import { startBed } from '../support/bed.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { signIn } from '../support/people.ts';
import { addDevice, PretendPhones } from '../support/pretend-phone.ts';
import { type Scene, startScene } from '../support/scene.ts';

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };
const at = (time: string) => `2026-03-02T${time}`;

async function timelineOf(scene: Scene, id: string, person = scene.ada) {
  return (await person.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
}

const statusesOf = async ({ bed }: Scene) =>
  (await bed.db.selectFrom('deliveries').select('status').orderBy('entry_id').execute()).map(({ status }) => status);

onEveryEngine((engine) => {
  test('a nudge goes to each valid device, and the timeline tells its owner what became of each', async () => {
    await using scene = await startScene(engine);
    const second = await addDevice(scene.bed, scene.ada.userId);
    const unsent = await addDevice(scene.bed, scene.ada.userId, 'android');
    const task = await scene.create(DUE);
    await scene.advance('1h');
    scene.phone.expect(`${at('10:00')} 0 pills`, `${at('10:00')} 0 pills`);
    const [nudge, created] = await timelineOf(scene, task.id);
    assert.deepEqual([created.kind, created.by, created.reached, created.deliveries], ['created', 'owner', null, null]);
    assert.deepEqual([nudge.kind, nudge.stage, nudge.reached, nudge.by], ['nudge', 0, 'sent', null]);
    const byDevice = Object.fromEntries(
      nudge.deliveries.map((delivery: { device_id: string }) => [delivery.device_id, delivery]),
    );
    assert.deepEqual(Object.keys(byDevice).sort(), [scene.device, second, unsent].sort());
    assert.equal(byDevice[second].status, 'sent');
    assert.equal(byDevice[second].sent_at, '2026-03-02T10:00:00.000Z');
    assert.deepEqual([byDevice[unsent].status, byDevice[unsent].reason], ['failed_transient', 'not_configured']);
  });

  test('a task whose owner has no valid device still climbs, and its timeline says so', async () => {
    await using scene = await startScene(engine);
    const bob = await signIn(scene.bed, 'bob@example.org');
    const { id } = (await bob.ask('POST', '/v1/tasks', { title: 'alone', ...DUE })).body.data;
    await scene.advance('2h');
    const task = (await bob.ask('GET', `/v1/tasks/${id}`)).body.data;
    assert.deepEqual([task.escalation_stage, task.nudge_count], [2, 5]);
    const entries = await timelineOf(scene, id, bob);
    assert.equal(entries.length, 6);
    assert.ok(entries.slice(0, 5).every(({ reached }: { reached: string }) => reached === 'no_device'));
  });

  test('a provider that cannot take a nudge now is asked again until it does, and the device stays valid', async () => {
    await using scene = await startScene(engine);
    scene.phone.answer = () => ({ kind: 'retry', reason: 'TooManyRequests' });
    const task = await scene.create(DUE);
    await scene.advance('62m');
    assert.ok(scene.phone.tries >= 3, `${scene.phone.tries} tries`);
    scene.phone.expect();
    assert.equal((await timelineOf(scene, task.id))[0].reached, 'pending');
    scene.phone.answer = () => ({ kind: 'accepted' });
    await scene.advance('5m');
    assert.equal(scene.phone.shown.length, 1);
    const [nudge] = await timelineOf(scene, task.id);
    assert.deepEqual([nudge.reached, nudge.at], ['sent', '2026-03-02T10:00:00.000Z']);
    assert.ok(nudge.deliveries[0].attempts > 3);
  });

  test('a provider that asks for time gets it', async () => {
    await using scene = await startScene(engine);
    scene.phone.answer = () => ({ kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 600_000 });
    await scene.create(DUE);
    await scene.advance('69m');
    assert.equal(scene.phone.tries, 1);
    await scene.advance('2m');
    assert.equal(scene.phone.tries, 2);
  });

  test('a nudge that did not get through is superseded by the next one', async () => {
    await using scene = await startScene(engine);
    scene.phone.answer = (push) =>
      push.kind === 'nudge' && push.stage === 0 ? { kind: 'retry', reason: 'Shutdown' } : { kind: 'accepted' };
    await scene.create(DUE);
    await scene.advance('76m');
    scene.phone.expect(`${at('10:15')} 1 pills`);
    assert.deepEqual((await statusesOf(scene)).sort(), ['sent', 'superseded']);
  });

  test('only a provider that says so ends a device; the other devices go on', async () => {
    await using scene = await startScene(engine);
    await addDevice(scene.bed, scene.ada.userId);
    const bad = `${scene.device.replaceAll('-', '')}`;
    const answers: PushResult[] = [
      { kind: 'rejected', reason: 'PayloadTooLarge' },
      { kind: 'misconfigured', reason: 'InvalidProviderToken' },
      { kind: 'gone', reason: 'Unregistered' },
    ];
    for (const answer of answers) {
      scene.phone.answer = ({ target }) => (target.token.startsWith(bad) ? answer : { kind: 'accepted' });
      const { id } = await scene.create({ ...DUE, due_at: scene.bed.clock.now().toISOString(), title: answer.kind });
      await scene.ada.ask('POST', `/v1/tasks/${id}/complete`);
      assert.equal(scene.phone.take().length, 1, answer.kind);
      const device = await scene.bed.db
        .selectFrom('devices')
        .selectAll()
        .where('id', '=', scene.device)
        .executeTakeFirstOrThrow();
      assert.equal(device.valid, answer.kind !== 'gone', answer.kind);
    }
    await scene.create({ ...DUE, due_at: scene.bed.clock.now().toISOString() });
    assert.equal(scene.phone.take().length, 1);
  });

  test('a device that was registered again after the provider lost it stays valid', async () => {
    await using scene = await startScene(engine);
    const since = new Date(scene.bed.clock.now().getTime() - 1);
    scene.phone.answer = () => ({ kind: 'gone', reason: 'Unregistered', since });
    await scene.create({ ...DUE, due_at: scene.bed.clock.now().toISOString() });
    const device = await scene.bed.db.selectFrom('devices').selectAll().executeTakeFirstOrThrow();
    assert.equal(device.valid, true);
  });

  test('what is waiting to be sent is called back in the moment the task is dealt with', async () => {
    for (const action of ['complete', 'skip', 'drop', 'snooze']) {
      await using scene = await startScene(engine);
      scene.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown' });
      const { id } = await scene.create(DUE);
      await scene.advance('61m');
      await scene.ada.ask(
        'POST',
        `/v1/tasks/${id}/${action}`,
        action === 'snooze' ? { until: '2026-03-04T00:00:00Z' } : {},
      );
      assert.deepEqual(await statusesOf(scene), ['cancelled'], action);
      const tries = scene.phone.tries;
      scene.phone.answer = () => ({ kind: 'accepted' });
      await scene.advance('10h');
      assert.equal(scene.phone.tries, tries, action);
    }
  });

  test('a send already in flight when the task is dealt with is recorded as what it was', async () => {
    await using scene = await startScene(engine);
    const answer = Promise.withResolvers<PushResult>();
    const sending = Promise.withResolvers<void>();
    scene.phone.answer = () => {
      sending.resolve();
      return answer.promise;
    };
    const { body } = await scene.ada.ask('POST', '/v1/tasks', {
      title: 'pills',
      ...DUE,
      due_at: '2026-03-02T08:00:00Z',
    });
    await sending.promise;
    await scene.ada.ask('POST', `/v1/tasks/${body.data.id}/complete`);
    answer.resolve({ kind: 'accepted' });
    await scene.bed.engine?.settled();
    assert.deepEqual(await statusesOf(scene), ['sent']);
  });

  test('a retry that runs into quiet hours waits for their end', async () => {
    await using scene = await startScene(engine);
    await scene.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '10:01', quiet_hours_end: '11:30' });
    scene.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown', afterMs: 120_000 });
    await scene.create({ ...DUE, mode: 'notify_once' });
    await scene.advance('61m');
    scene.phone.answer = () => ({ kind: 'accepted' });
    await scene.advance('88m');
    scene.phone.expect();
    await scene.advance('5m');
    assert.equal(scene.phone.shown.length, 1);
  });

  test('what a provider has no room for waits its turn and is sent', async () => {
    await using scene = await startScene(engine);
    scene.phone.roomLeft = 0;
    for (const title of ['a', 'b', 'c']) await scene.ada.ask('POST', '/v1/tasks', { title, ...DUE });
    await scene.advance('1h');
    scene.phone.expect();
    scene.phone.roomLeft = 2;
    await scene.create({ title: 'd', due_at: scene.bed.clock.now().toISOString(), has_time: true });
    await scene.advance('10s');
    assert.equal(scene.phone.take().length, 4);
  });

  test('a provider that does not answer keeps only its own pushes waiting', async () => {
    const database = await createDatabase(engine);
    const silent = Promise.withResolvers<PushResult>();
    {
      const clock = new FakeClock();
      const [slow, quick] = [new PretendPhones(clock), new PretendPhones(clock)];
      slow.answer = () => silent.promise;
      await using bed = await startBed(engine, {
        clock,
        databaseUrl: database.url,
        extra: { gateways: { apns: slow, fcm: quick } },
      });
      const ada = await signIn(bed, 'ada@example.org');
      await addDevice(bed, ada.userId, 'ios');
      await addDevice(bed, ada.userId, 'android');
      const shown = Promise.withResolvers<void>();
      quick.answer = () => {
        shown.resolve();
        return { kind: 'accepted' };
      };
      await ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE, due_at: '2026-03-02T08:00:00Z' });
      await shown.promise;
      silent.resolve({ kind: 'accepted' });
      await bed.engine?.settled();
      assert.equal(slow.shown.length, 1);
    }
    await database.drop();
  });

  test('one task that cannot be planned stops no other, and is put off', async () => {
    await using scene = await startScene(engine);
    const bad = await scene.create({ title: 'bad', due_at: '2026-03-03T10:00:00Z' });
    await scene.bed.db
      .updateTable('tasks')
      .set({ due_written: 'no date', next_fire_at: new Date('2026-03-02T10:00:00Z') })
      .where('id', '=', bad.id)
      .execute();
    await scene.create({ title: 'good', ...DUE });
    await scene.advance('61m');
    scene.phone.expect(`${at('10:00')} 0 good`);
    const { next_fire_at } = await scene.read(bad.id);
    assert.equal(next_fire_at, '2026-03-02T10:15:00.000Z');
    assert.ok(scene.bed.log.some(({ task_id, level }) => task_id === bad.id && level === 'error'));
  });

  test('after an outage each task gets one nudge at its next step, not one for each that was missed', async () => {
    const database = await createDatabase(engine);
    const clock = new FakeClock();
    {
      const phone = new PretendPhones(clock);
      await using bed = await startBed(engine, {
        clock,
        databaseUrl: database.url,
        extra: { gateways: { apns: phone } },
      });
      const ada = await signIn(bed, 'ada@example.org');
      await addDevice(bed, ada.userId);
      await ada.ask('POST', '/v1/tasks', { title: 'climbing', ...DUE });
      await ada.ask('POST', '/v1/tasks', { title: 'new', due_at: '2026-03-02T12:00:00Z', has_time: true });
      await clock.advance('80m');
      assert.equal(phone.take().length, 2);
    }
    await clock.advance('10h');
    {
      const phone = new PretendPhones(clock);
      await using bed = await startBed(engine, {
        clock,
        databaseUrl: database.url,
        extra: { gateways: { apns: phone } },
      });
      await bed.engine?.settled();
      phone.expect(`${at('20:20')} 0 new`, `${at('20:20')} 1 climbing`);
      await clock.advance('15m');
      phone.expect(`${at('20:35')} 1 climbing`, `${at('20:35')} 1 new`);
      assert.ok(bed.log.some(({ msg }) => msg === 'the engine is late'));
      assert.ok(bed.log.some(({ msg }) => msg === 'the engine has caught up'));
    }
    await database.drop();
  });

  test('a delivery whose sender died is sent by the next one once its lease has run out, and not before', async () => {
    const database = await createDatabase(engine);
    const clock = new FakeClock();
    let task = '';
    {
      const phone = new PretendPhones(clock);
      await using bed = await startBed(engine, {
        clock,
        databaseUrl: database.url,
        extra: { gateways: { apns: phone } },
      });
      const ada = await signIn(bed, 'ada@example.org');
      await addDevice(bed, ada.userId);
      task = (await ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE })).body.data.id;
      await clock.advance('1h');
      phone.take();
      // As if it had ended between the commit and the answer.
      await bed.db
        .updateTable('deliveries')
        .set({ status: 'pending', next_attempt_at: new Date(clock.now().getTime() + 8_000), sent_at: null })
        .execute();
    }
    {
      const phone = new PretendPhones(clock);
      await using _bed = await startBed(engine, {
        clock,
        databaseUrl: database.url,
        extra: { gateways: { apns: phone } },
      });
      await clock.advance('7s');
      phone.expect();
      await clock.advance('1s');
      assert.deepEqual(
        phone.shown.map(({ push }) => push.task.id),
        [task],
      );
    }
    await database.drop();
  });

  test('a clock that is set back repeats nothing; one that is set forward skips nothing and bursts nothing', async () => {
    await using scene = await startScene(engine);
    const { bed, phone } = scene;
    const look = async () => {
      bed.engine?.wakeUp();
      await bed.engine?.settled();
    };
    await scene.create(DUE);
    await scene.advance('1h');
    phone.expect(`${at('10:00')} 0 pills`);
    bed.clock.set('2026-03-02T06:00:00Z');
    await look();
    phone.expect();
    bed.clock.set('2026-03-02T10:20:00Z');
    await look();
    phone.expect(`${at('10:20')} 1 pills`);
    bed.clock.set('2026-03-05T00:00:00Z');
    await look();
    phone.expect('2026-03-05T00:00 1 pills');
    await scene.advance('15m');
    phone.expect('2026-03-05T00:15 1 pills');
  });

  test('a delivery that waits for a moment which the clock was set back from is not forgotten', async () => {
    await using scene = await startScene(engine);
    scene.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown' });
    await scene.create({ ...DUE, mode: 'notify_once' });
    await scene.advance('1h');
    scene.phone.answer = () => ({ kind: 'accepted' });
    scene.bed.clock.set('2026-03-01T00:00:00Z');
    scene.bed.engine?.wakeUp();
    await scene.bed.engine?.settled();
    assert.equal(scene.phone.shown.filter(({ push }) => push.task.title === 'pills').length, 1);
  });

  test('the assigner sees the nudges of what they asked for, but not the owner’s devices; members see neither', async () => {
    await using scene = await startScene(engine);
    const bob = await signIn(scene.bed, 'bob@example.org');
    const eve = await signIn(scene.bed, 'eve@example.org');
    const space = (await bob.ask('POST', '/v1/spaces', { name: 'home' })).body.data;
    for (const person of [scene.ada, eve]) {
      const invite = (await bob.ask('POST', `/v1/spaces/${space.id}/invites`)).body.data;
      await person.ask('POST', `/v1/invites/${invite.token}/accept`);
    }
    const request = { title: 'bins', ...DUE, owner_id: scene.ada.userId, space_id: space.id };
    const { id } = (await bob.ask('POST', '/v1/tasks', request)).body.data;
    await scene.ada.ask('POST', `/v1/tasks/${id}/accept`);
    await scene.advance('1h');
    const [nudge, accepted, created] = await timelineOf(scene, id, bob);
    assert.deepEqual([created.by, accepted.kind, accepted.by], ['assigner', 'accepted', 'owner']);
    assert.deepEqual([nudge.reached, nudge.deliveries], ['sent', null]);
    assert.equal((await timelineOf(scene, id))[0].deliveries.length, 1);
    assert.equal((await eve.ask('GET', `/v1/tasks/${id}/timeline`)).status, 403);
    const stranger = await signIn(scene.bed, 'mallory@example.org');
    assert.equal((await stranger.ask('GET', `/v1/tasks/${id}/timeline`)).status, 404);
  });

  test('a timeline is read page by page, newest first, without gap or repetition', async () => {
    await using scene = await startScene(engine);
    const { id } = await scene.create(DUE);
    await scene.advance('10h');
    await scene.ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-02T20:00:00Z' });
    await scene.ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'renamed' });
    await scene.ada.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T21:00:00Z' });
    await scene.ada.ask('POST', `/v1/tasks/${id}/complete`);
    await scene.ada.ask('POST', `/v1/tasks/${id}/reopen`);
    const whole = await timelineOf(scene, id);
    assert.deepEqual(
      whole.slice(0, 4).map(({ kind }: { kind: string }) => kind),
      ['reopened', 'done', 'rescheduled', 'snoozed'],
    );
    assert.equal(whole[3].until, '2026-03-02T20:00:00.000Z');
    assert.equal(whole.at(-1).kind, 'created');
    const pages: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { body, headers } = await scene.ada.ask('GET', `/v1/tasks/${id}/timeline?limit=3${cursor}`);
      pages.push(...body.data);
      if (headers['x-next-cursor'] === undefined) break;
      cursor = `&cursor=${headers['x-next-cursor']}`;
    }
    assert.deepEqual(pages, whole);
    for (const query of ['limit=0', 'limit=201', 'cursor=nonsense', 'cursor=W10']) {
      assert.equal((await scene.ada.ask('GET', `/v1/tasks/${id}/timeline?${query}`)).status, 422, query);
    }
  });

  test('a deleted account leaves neither timeline nor deliveries behind', async () => {
    await using scene = await startScene(engine);
    const { bed } = scene;
    await scene.create({ ...DUE, due_at: '2026-03-02T08:00:00Z' });
    assert.equal((await scene.ada.ask('DELETE', '/v1/me')).status, 200);
    for (const table of ['tasks', 'timeline', 'deliveries', 'devices'] as const) {
      assert.deepEqual(await bed.db.selectFrom(table).selectAll().execute(), [], table);
    }
  });

  test('one delivery that cannot be read stops no other of its provider', async () => {
    await using scene = await startScene(engine);
    const bob = await signIn(scene.bed, 'bob@example.org');
    await addDevice(scene.bed, bob.userId);
    await scene.bed.db.updateTable('devices').set({ keys: 'no JSON' }).where('id', '=', scene.device).execute();
    scene.phone.roomLeft = 0;
    await scene.ada.ask('POST', '/v1/tasks', { title: 'unreadable', ...DUE });
    await bob.ask('POST', '/v1/tasks', { title: 'readable', ...DUE });
    // In a sweep it fails alone as well; here both wait in the outbox.
    await scene.bed.db.updateTable('devices').set({ keys: null }).where('id', '=', scene.device).execute();
    await scene.advance('1h');
    await scene.bed.db.updateTable('devices').set({ keys: 'no JSON' }).where('id', '=', scene.device).execute();
    scene.phone.roomLeft = 100;
    scene.bed.engine?.wakeUp();
    await scene.advance('1s');
    scene.phone.expect(`${at('10:00')} 0 readable`);
  });

  test('whatever a provider says, its words keep no other result from being stored', async () => {
    await using scene = await startScene(engine);
    await addDevice(scene.bed, scene.ada.userId);
    const bad = scene.device.replaceAll('-', '');
    scene.phone.answer = ({ target }) =>
      target.token.startsWith(bad)
        ? { kind: 'gone', reason: `a\u0000b${'x'.repeat(10_000)}`, since: new Date(Number.NaN) }
        : { kind: 'accepted' };
    await scene.create({ ...DUE, mode: 'notify_once' });
    await scene.advance('2h');
    assert.deepEqual((await statusesOf(scene)).sort(), ['failed_permanent', 'sent']);
    assert.equal(scene.phone.tries, 2);
  });

  test('waiting out a hold uses up none of the attempts', async () => {
    await using scene = await startScene(engine, '2026-03-02T21:00:00Z');
    await scene.ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '00:00' });
    scene.phone.answer = () => ({ kind: 'retry', reason: 'Shutdown' });
    const { id } = await scene.create({ due_at: '2026-03-02T21:59:50Z', has_time: true, mode: 'notify_once' });
    await scene.advance('3h');
    assert.ok((await timelineOf(scene, id))[0].deliveries[0].attempts < 15);
    scene.phone.answer = () => ({ kind: 'accepted' });
    await scene.advance('10m');
    assert.equal(scene.phone.shown.length, 1);
  });

  test('a result that waits for the database is not sent a second time by the same process', async () => {
    await using scene = await startScene(engine);
    const answer = Promise.withResolvers<PushResult>();
    scene.phone.answer = () => answer.promise;
    await scene.ada.ask('POST', '/v1/tasks', { title: 'pills', ...DUE, due_at: '2026-03-02T08:00:00Z' });
    while (scene.phone.tries === 0) await new Promise(setImmediate);
    // Long after the lease, and the answer is still awaited.
    scene.bed.clock.set('2026-03-02T09:05:00Z');
    scene.bed.engine?.wakeUp();
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
    answer.resolve({ kind: 'accepted' });
    await scene.bed.engine?.settled();
    assert.equal(scene.phone.tries, 1);
  });
});
