import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { migrate } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { postgresDialect } from '../../src/db/postgres/postgres.ts';
import type { Database, Db } from '../../src/db/schema.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite/sqlite.ts';
import { fallbackKey, listFallbackStates } from '../../src/deliveries/fallback.store.ts';
import { listRefs } from '../../src/deliveries/messages.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { NtfyRig } from '../support/channel-rigs.ts';
import { BASE_URL } from '../support/channel-scenario.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, type EngineName, onEveryEngine, type TestDatabase } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { openSession, personWith } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp } from '../support/test-app.ts';

const LAST_BEFORE_CHANNELS = '0019-stored-tasks';

async function openPlain(engine: EngineName, { url }: TestDatabase, clock: FakeClock): Promise<Db> {
  if (engine === 'sqlite') return openSqlite(sqliteDialect(url.replace('sqlite:', ''), () => clock.now()));
  return new Kysely<Database>({ dialect: postgresDialect(url, 'migration', createLogger('silent')) });
}

/** An empty database, although the template of a run has the newest schema. */
async function createEmpty(engine: EngineName): Promise<TestDatabase> {
  const { CRESCENDO_TEST_SQLITE: template } = process.env;
  delete process.env.CRESCENDO_TEST_SQLITE;
  const database = await createDatabase(engine, 'template1');
  if (template !== undefined) process.env.CRESCENDO_TEST_SQLITE = template;
  return database;
}

onEveryEngine((engine) => {
  test('a database from before channels upgrades with its rows, and its tasks are then nudged by a channel', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name <= LAST_BEFORE_CHANNELS);
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const dueAt = new Date(clock.now().getTime() + 3_600_000);
    const [owner = ''] = await insertDueTasks(old, { tasks: 3, owners: 1, dueAt });
    const session = { id: newId(), user_id: owner, token_hash: 'old', created_at: clock.now(), expires_at: dueAt };
    await old.insertInto('sessions').values(session).execute();
    await old.destroy();
    const rig = closing.use(await NtfyRig.start());
    const settings = { BASE_URL, ...rig.settings };
    const app = closing.use(await startTestApp(engine, { clock, settings, databaseUrl: database.url }));
    const ada = personWith(app, '', owner, await openSession(app, owner));
    const upgraded = app.db.selectFrom('sessions').select('proven_at').where('id', '=', session.id);
    assert.deepEqual(await upgraded.execute(), [{ proven_at: session.created_at }]);
    assert.equal((await ada.ask('GET', '/v1/channels')).body.data.fallback_minutes, 3);
    await rig.connect(ada);
    await clock.advance('1h');
    assert.equal(rig.take().length, 3);
    const deliveries = await app.db.selectFrom('deliveries').select(['status', 'tier']).where('provider', '=', 'ntfy');
    assert.deepEqual(await deliveries.execute(), Array(3).fill({ status: 'sent', tier: 0 }));
  });

  test('channels from before proofs were stored go on, and a webhook that any 2xx confirmed counts as not proven', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name < '0038');
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const [user_id = ''] = await insertDueTasks(old, { tasks: 1, owners: 1, dueAt: clock.now() });
    const add = async (provider: string, given: object = {}) => {
      const { proven_by: _, ...row } = channelRow(clock.now(), { user_id, provider, label: 'old', ...given });
      await old.insertInto('channels').values(row).execute();
    };
    for (const provider of ['webhook', 'pushover', 'telegram', 'ntfy']) await add(provider);
    await add('email', { address: null });
    await add('webhook', { address_hash: 'unconfirmed', verified_at: null });
    await old.destroy();
    const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url }));
    const channels = await app.db.selectFrom('channels').select(['provider', 'proven_by', 'verified_at']).execute();
    assert.deepEqual(
      channels
        .map(({ provider, proven_by, verified_at }) => `${provider} ${proven_by} ${verified_at !== null}`)
        .toSorted(),
      [
        'email sign_in true',
        'ntfy code true',
        'pushover return true',
        'telegram link true',
        'webhook answer true',
        'webhook null false',
      ],
    );
  });

  test('the mail that the service made takes every stage after the upgrade, unless its owner chose the stages', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name < '0041');
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const [user_id = ''] = await insertDueTasks(old, { tasks: 1, owners: 1, dueAt: clock.now() });
    const rows = [
      { address_hash: 'own', automatic: true, stages: 12 },
      { address_hash: 'chosen', automatic: false, stages: 12 },
    ].map((given) => channelRow(clock.now(), { user_id, provider: 'email', ...given }));
    await old.insertInto('channels').values(rows).execute();
    await old.destroy();
    const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url }));
    const channels = await app.db.selectFrom('channels').select(['address_hash', 'stages']).execute();
    assert.deepEqual(channels.map(({ address_hash, stages }) => `${address_hash} ${stages}`).toSorted(), [
      'chosen 12',
      'own 15',
    ]);
  });

  test('who administered a private service by being first still does after an upgrade, and no newcomer does', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name < '0035');
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const owners = (await insertDueTasks(old, { tasks: 2, owners: 2, dueAt: clock.now() })).toSorted();
    await old.destroy();
    const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url }));
    assert.equal(app.claimWord, undefined);
    const statuses = [];
    for (const id of owners) {
      const person = personWith(app, '', id, await openSession(app, id));
      statuses.push((await person.ask('GET', '/v1/admin')).status);
    }
    assert.deepEqual(statuses, [200, 403]);
  });

  test('a task from before writers were stored is marked with who created it', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name < '0029');
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const [owner = '', other = ''] = await insertDueTasks(old, { tasks: 6, owners: 2, dueAt: clock.now() });
    const own = await old.selectFrom('tasks').select('id').where('owner_id', '=', owner).orderBy('id').execute();
    const [byToken = '', byOther = '', byOwner = ''] = own.map(({ id }) => id);
    await old.updateTable('tasks').set({ created_by_token: byToken }).where('id', 'in', [byToken, byOther]).execute();
    await old.updateTable('tasks').set({ assigner_id: other }).where('id', '=', byOther).execute();
    await old.destroy();
    const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url }));
    const ada = personWith(app, '', owner, await openSession(app, owner));
    const { body } = await ada.ask('GET', '/v1/tasks/search');
    const writers = body.data.map(({ id, written_by }: { id: string; written_by: { kind: string } }) => [
      id,
      written_by.kind,
    ]);
    assert.deepEqual(Object.fromEntries(writers), { [byToken]: 'agent', [byOther]: 'person', [byOwner]: 'you' });
  });

  test('an assigner who shares no space with the owner of a task has no say over it after the upgrade', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name < '0036');
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const people = await insertDueTasks(old, { tasks: 20, owners: 4, dueAt: clock.now() });
    const [owner = '', member = '', former = '', stranger = ''] = people;
    const [left, shared] = [newId(), newId()];
    for (const id of [left, shared])
      await old.insertInto('spaces').values({ id, name: 'x', creator_id: null, created_at: clock.now() }).execute();
    for (const [space_id, user_id] of [
      [left, owner],
      [left, member],
      [shared, owner],
      [shared, former],
    ] as const) {
      const row = { space_id, user_id, role: 'member', joined_at: clock.now(), changed_at: clock.now() } as const;
      await old.insertInto('space_members').values(row).execute();
    }
    const own = await old.selectFrom('tasks').select('id').where('owner_id', '=', owner).orderBy('id').execute();
    const cases = [
      { assigner_id: member, space_id: left, accepted_by_owner: true, isKept: true },
      { assigner_id: former, space_id: left, accepted_by_owner: true, isKept: false },
      { assigner_id: former, space_id: null, accepted_by_owner: true, isKept: true },
      { assigner_id: stranger, space_id: null, accepted_by_owner: true, isKept: false },
      { assigner_id: stranger, space_id: null, accepted_by_owner: false, isKept: true },
    ];
    assert.equal(own.length, cases.length);
    for (const [index, { isKept: _, ...row }] of cases.entries())
      await old
        .updateTable('tasks')
        .set(row)
        .where('id', '=', own[index]?.id ?? '')
        .execute();
    await old.destroy();
    const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url }));
    for (const [index, { assigner_id, isKept }] of cases.entries()) {
      const assigner = personWith(app, '', assigner_id, await openSession(app, assigner_id));
      const { status } = await assigner.ask('GET', `/v1/tasks/${own[index]?.id}`);
      assert.equal(status, isKept ? 200 : 404, `case ${index}`);
    }
    const removals = await app.db.selectFrom('task_removals').select(['viewer_id', 'task_id']).execute();
    const ended = cases.flatMap(({ assigner_id: viewer_id, isKept }, index) =>
      isKept ? [] : [{ viewer_id, task_id: own[index]?.id }],
    );
    assert.deepEqual(new Set(removals), new Set(ended));
  });

  test('a database from before runs had numbers keeps them: nudges, answers, messages and what waits', async () => {
    await using closing = new AsyncDisposableStack();
    const clock = new FakeClock();
    const database = closing.adopt(await createEmpty(engine), ({ drop }) => drop());
    const before = Object.entries(migrations).filter(([name]) => name < '0032');
    const old = await openPlain(engine, database, clock);
    await migrate(old, { version: '0.0.9', startedAt: clock.now() }, Object.fromEntries(before));
    const at = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000);
    const [owner = ''] = await insertDueTasks(old, { tasks: 1, owners: 1, dueAt: at(90), withDevices: false });
    const { id: task } = await old.selectFrom('tasks').select('id').executeTakeFirstOrThrow();
    await sql`update tasks set nudge_count = 4, run_started_at = ${at(-30)}`.execute(old);
    // A nudge of the run before, then three of the present one; the first of these was answered after the second.
    const entries = [newId(), newId(), newId(), newId()].sort();
    const channel = newId();
    const nudge = async (index: number, minutes: number, row: Record<string, unknown>) => {
      await sql`insert into timeline (id, task_id, owner_id, at, kind, stage)
        values (${entries[index]}, ${task}, ${owner}, ${at(minutes)}, 'nudge', 0)`.execute(old);
      const values = { status: 'sent', reason: null, owner_id: owner, acked_at: null, tier: 0, ...row };
      await sql`insert into deliveries (entry_id, target_id, kind, task_id, owner_id, provider, stage, tier, status,
          reason, attempts, next_attempt_at, created_at, acked_at, ref)
        values (${entries[index]}, ${channel}, 'nudge', ${task}, ${values.owner_id}, 'ntfy', 0, ${values.tier},
          ${values.status}, ${values.reason}, 0, ${at(10)}, ${at(minutes)}, ${values.acked_at}, ${`ref ${index}`})`.execute(
        old,
      );
    };
    await nudge(0, -60, { owner_id: null });
    await nudge(1, -20, { acked_at: at(-9) });
    await nudge(2, -10, {});
    await nudge(3, -5, { status: 'pending', reason: 'unanswered', tier: 1 });
    await old.destroy();
    const app = closing.use(await startTestApp(engine, { clock, databaseUrl: database.url }));
    const rows = await app.db
      .selectFrom('deliveries')
      .select(['recipient_id', 'run', 'nudge', 'answered_nudge', 'waits_for', 'fell_because'])
      .orderBy('entry_id')
      .execute();
    const row = { recipient_id: owner, run: 1, answered_nudge: null, waits_for: null, fell_because: null };
    assert.deepEqual(rows, [
      { ...row, run: 0, nudge: 0 },
      { ...row, nudge: 2, answered_nudge: 3 },
      { ...row, nudge: 3 },
      { ...row, nudge: 4, waits_for: 'tier', fell_because: 'unanswered' },
    ]);
    const states = await listFallbackStates(app.db, [task]);
    assert.deepEqual(states.get(fallbackKey(task, owner)), { unansweredSince: at(-5), reachedTier: 0 });
    const retraction = { entry_id: newId(), target_id: channel, kind: 'retract', task_id: task } as const;
    assert.deepEqual(await listRefs(app.db, retraction), [], 'the run goes on');
  });
});
