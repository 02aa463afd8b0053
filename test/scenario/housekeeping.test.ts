import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { Engine } from '../../src/engine/engine.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';
import { createSpace } from '../support/spaces.ts';

const DAY_MS = 86_400_000;

onEveryEngine((name, it) => {
  test('housekeeping deletes each kind of row when its time is over by the clock that dated it, and none before', async () => {
    await using scenario = await startScenario(name);
    const { app, ada } = scenario;
    const { db } = app;
    await app.engine?.stop();
    const grace = await createPerson(app);
    const space_id = await createSpace(ada, grace);
    const task = await scenario.create({ title: 'pills' });
    // The clock of the service runs faster than real time.
    const [real, fast] = [app.clock, new FakeClock('2026-09-01T09:00:00Z')];
    const ago = (clock: FakeClock, ms: number) => new Date(clock.now().getTime() - ms);
    const both = (clock: FakeClock, ms: number) => [ago(clock, ms + 1_000), ago(clock, ms - 1_000)] as const;

    for (const [index, expires_at] of both(real, 0).entries()) {
      const challenge = { token_hash: `${index}`, user_id: ada.userId, mode: 'totp', tries: 0, expires_at };
      await db
        .insertInto('mfa_challenges')
        .values({ ...challenge, identity_id: null, provider_sid: null })
        .execute();
      const change = { id: newId(), user_id: ada.userId, old_email: 'a', new_email: 'b', changed_at: real.now() };
      await db
        .insertInto('address_changes')
        .values({ ...change, expires_at, mail_due_at: null })
        .execute();
    }
    for (const started_at of both(real, 2 * DAY_MS)) {
      const activity = { id: newId(), task_id: task.id, device_id: null, token: null, token_hash: null };
      await db
        .insertInto('live_activities')
        .values({ ...activity, push_env: 'production', started_at, ended_at: null })
        .execute();
    }
    const [owner_id, person_id] = [ada.userId, grace.userId];
    for (const [index, settled_at] of [...both(fast, DAY_MS), null].entries()) {
      const of = index === 0 ? task : await scenario.create({ title: 'water' });
      const agreement = { id: newId(), owner_id, person_id, space_id, task_id: of.id, label: null, from_rung: 0 };
      const agreed = { passes_quiet_hours: false, asked_at: real.now(), agreed_at: real.now() };
      await db
        .insertInto('stand_ins')
        .values({ ...agreement, ...agreed })
        .execute();
      const told = { task_id: of.id, person_id, stand_in_id: agreement.id, run: 1, occurrence_due_at: null };
      const times = { told_at: real.now(), last_told_at: real.now(), seen_at: null, snoozed_until: null, settled_at };
      await db
        .insertInto('stand_in_tasks')
        .values({ ...told, ...times, settled_by: null, settled_how: null })
        .execute();
    }
    for (const created_at of both(fast, 90 * DAY_MS)) {
      const message = { id: newId(), task_id: task.id, recipient_id: owner_id, other_id: person_id, kind: 'asked' };
      await db
        .insertInto('request_messages')
        .values({ ...message, kind: 'asked', due_at: null, sent_at: null, settled_at: null, created_at })
        .execute();
    }
    const session = { id: newId(), user_id: ada.userId, token_hash: 'valid in real time', created_at: real.now() };
    await db
      .insertInto('sessions')
      .values({ ...session, expires_at: ago(real, -60_000) })
      .execute();

    await new Housekeeping(db, real, fast).runOnce(AbortSignal.abort());
    const challenges = await db.selectFrom('mfa_challenges').selectAll().execute();
    assert.equal(challenges.length, 2, 'a process that stops begins nothing');
    const parts = { gateways: {}, slices: {} as never, addOwnChannels: async () => false, deliveriesPerMinute: 100 };
    const engine = new Engine({ db, clock: fast, wallClock: real, logger: createLogger('silent'), ...parts });
    engine.start();
    await engine.settled();
    await engine.stop();
    const sessions = await db.selectFrom('sessions').select('id').where('id', '=', session.id).execute();
    assert.equal(sessions.length, 1);
    const left = { mfa_challenges: 1, address_changes: 1, live_activities: 1, stand_in_tasks: 2, request_messages: 1 };
    for (const table of Object.keys(left) as (keyof typeof left)[])
      assert.equal((await db.selectFrom(table).selectAll().execute()).length, left[table], table);
  });

  it('a process of an older release deletes nothing from the tables of a newer one', async () => {
    await using scenario = await startScenario(name);
    const { app, ada } = scenario;
    const { db, clock } = app;
    await app.engine?.stop();
    const expires_at = new Date(clock.now().getTime() - DAY_MS);
    const session = { id: newId(), user_id: ada.userId, token_hash: 'expired', created_at: expires_at, expires_at };
    await db.insertInto('sessions').values(session).execute();
    const isKept = async (schema: SchemaWatch) => {
      const parts = { gateways: {}, slices: {} as never, addOwnChannels: async () => false, deliveriesPerMinute: 100 };
      const logger = createLogger('silent');
      const engine = new Engine({ db, clock, wallClock: clock, logger, schema, ...parts });
      engine.start();
      await engine.settled();
      await engine.stop();
      return (await db.selectFrom('sessions').select('id').where('id', '=', session.id).execute()).length > 0;
    };
    assert.equal(await isKept(new SchemaWatch(createLogger('silent'), { '0001-oldest': {} })), true);
    assert.equal(await isKept(new SchemaWatch(createLogger('silent'))), false);
  });
});
