/** What a request may cost, in figures that are the same on every machine: plans, bytes and allocations. */
import assert from 'node:assert/strict';
import { StatementSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { PostgresBatch } from '../../src/db/postgres/postgres-batch.ts';
import { type Db, isPostgres } from '../../src/db/schema.ts';
import { leaseDeliveries, NOTHING } from '../../src/deliveries/leases.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { insertUnderstudies, leaseWishes } from '../../src/understudies/wishes.store.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { understudyRow } from '../support/stored-understudy.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The tables that grow with the number of people. */
const LARGE = ['tasks', 'deliveries', 'timeline', 'outcomes', 'users', 'sessions', 'task_removals'];
/** PostgreSQL also chooses them for a table that it takes for small. */
async function leaveNestedLoops(trx: Db): Promise<void> {
  const others = ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material'];
  for (const plan of isPostgres(trx) ? others : []) await sql.raw(`set local enable_${plan} = off`).execute(trx);
}

const TASK = { title: 'Take the pills', due_at: '2031-05-04T18:00:00Z', has_time: true };

onEveryEngine((engine, it) => {
  test('no request and no sweep reads a whole table', async (t) => {
    await using app = await startTestApp(engine);
    const later = new Date(app.clock.now().getTime() + 300 * 86_400_000);
    await insertDueTasks(app.db, { tasks: 2_000, owners: 200, dueAt: later });
    await sql`insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, stage, status, attempts, next_attempt_at, created_at)
      select id, owner_id, 'nudge', id, owner_id, 1, 1, 'apns', 0, case when list_key % 2 = 0 then 'pending' else 'sent' end, 1, due_at, due_at
      from tasks`.execute(app.db);
    // PostgreSQL counts its rows by itself. A new SQLite file has no statistics, and its plans must be good without.
    if (engine === 'postgres') await sql`analyze`.execute(app.db);
    const statements = recordStatements(t, engine);
    await callEverything(app);
    await app.clock.advance('1d');
    const explained = [...statements].filter(([text]) => isExplainable(text));
    assert.ok(explained.length > 60, `only ${explained.length} statements were seen`);
    const found: string[] = [];
    for (const [text, parameters] of explained) {
      const scanned = await findScans(app, engine, text, parameters);
      if (scanned.length > 0) found.push(`all of ${scanned.join(', ')}: ${text}`);
    }
    assert.deepEqual(found, []);
  });

  test('a lease takes no more deliveries than its limit, whatever the plan of the database', async () => {
    await using app = await startTestApp(engine);
    const now = app.clock.now();
    const until = new Date(now.getTime() + 10_000);
    await insertDueTasks(app.db, { tasks: 200, owners: 20, dueAt: now });
    // A provider that is not configured: the engine leases nothing of it.
    await sql`insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, stage, status, attempts, next_attempt_at, created_at)
      select id, owner_id, 'nudge', id, owner_id, 1, 1, 'telegram', 0, 'pending', 0, due_at, due_at from tasks`.execute(
      app.db,
    );
    const leased = await app.db.transaction().execute(async (trx) => {
      await leaveNestedLoops(trx);
      return leaseDeliveries(trx, 'telegram', { now, until, newestMigration: '9999', limit: 5, except: NOTHING });
    });
    assert.equal(leased.length, 5);
  });

  test('nor does a lease of what another server is to hold', async () => {
    await using app = await startTestApp(engine);
    const now = app.clock.now();
    const wishes = Array.from({ length: 60 }, () =>
      understudyRow({ id: newId(), user_id: newId(), provider: 'ntfy' }, { sounds_at: now }),
    );
    await insertUnderstudies(app.db, wishes);
    const leased = await app.db.transaction().execute(async (trx) => {
      await leaveNestedLoops(trx);
      return leaseWishes(trx, { now, latest: now, until: new Date(now.getTime() + 10_000) }, 5);
    });
    assert.equal(leased.length, 5);
  });

  it('an answer has no more bytes than its tasks need', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const ids: string[] = [];
    for (let count = 0; count < 50; count += 1) ids.push((await ada.ask('POST', '/v1/tasks', TASK)).body.data.id);
    const bytesOf = async (url: string) => {
      const answer = await app.fastify.inject({ url, headers: { authorization: `Bearer ${ada.sessionToken}` } });
      assert.equal(answer.statusCode, 200);
      const head = Object.entries(answer.headers).reduce(
        (sum, [name, value]) => sum + `${name}: ${value}\r\n`.length,
        0,
      );
      return { head, body: Buffer.byteLength(answer.rawPayload) };
    };
    const [one, fifty] = [await bytesOf(`/v1/tasks/${ids[0]}`), await bytesOf('/v1/tasks?limit=50')];
    assert.ok(one.head <= 850, `${one.head} bytes of headers`);
    assert.ok(one.body <= 700, `${one.body} bytes for one task`);
    assert.ok(fifty.body <= 50 * 550, `${fifty.body} bytes for a list of 50`);
  });

  it('a read allocates a bounded amount of memory, and a list little more for each task', async (t) => {
    await using app = await startTestApp(engine, { settings: { LOG_LEVEL: 'silent' } });
    const ada = await createPerson(app);
    let id = '';
    for (let count = 0; count < 50; count += 1) id = (await ada.ask('POST', '/v1/tasks', TASK)).body.data.id;
    const [read, list] = [
      await allocatedBy(app, ada, `/v1/tasks/${id}`),
      await allocatedBy(app, ada, '/v1/tasks?limit=50'),
    ];
    t.diagnostic(`${engine}: a read allocates ${read} bytes, a list of 50 ${list}`);
    assert.ok(read <= MOST_ALLOCATED[engine].read, `a read allocates ${read} bytes`);
    assert.ok(list <= MOST_ALLOCATED[engine].list, `a list of 50 allocates ${list} bytes`);
  });
});

/** Half as much again as was measured. */
const MOST_ALLOCATED: Readonly<Record<EngineName, { readonly read: number; readonly list: number }>> = {
  sqlite: { read: 270_000, list: 1_000_000 },
  postgres: { read: 400_000, list: 1_400_000 },
};
const REQUESTS = 150;

/** Bytes per request, with what the test's own client allocates. */
async function allocatedBy(app: TestApp, { sessionToken }: Person, url: string): Promise<number> {
  const request = async () => {
    const { statusCode } = await app.fastify.inject({ url, headers: { authorization: `Bearer ${sessionToken}` } });
    assert.equal(statusCode, 200);
  };
  for (let count = 0; count < REQUESTS; count += 1) await request();
  const before = allocatedBytes();
  for (let count = 0; count < REQUESTS; count += 1) await request();
  return Math.round((allocatedBytes() - before) / REQUESTS);
}

/** The types of Node.js lack this figure. */
const allocatedBytes = (): number =>
  (getHeapStatistics() as ReturnType<typeof getHeapStatistics> & { total_allocated_bytes: number })
    .total_allocated_bytes;

/** Collects every statement that reaches the database, below every layer of ours, with its first parameters. */
function recordStatements(t: TestContext, engine: EngineName): ReadonlyMap<string, readonly unknown[]> {
  const statements = new Map<string, readonly unknown[]>();
  if (engine === 'sqlite') {
    for (const name of ['all', 'get', 'run', 'iterate'] as const) {
      const run = StatementSync.prototype[name] as (...parameters: unknown[]) => unknown;
      t.mock.method(StatementSync.prototype, name, function (this: StatementSync, ...parameters: unknown[]) {
        statements.set(this.sourceSQL, parameters);
        return run.apply(this, parameters);
      });
    }
    return statements;
  }
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown;
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    const [batch] = args;
    if (batch instanceof PostgresBatch) for (const query of batch.queries) statements.set(query.sql, query.parameters);
    return query.apply(this, args);
  });
  return statements;
}

/** Two people with a space, requests between them, and tasks in every state. */
async function callEverything(app: TestApp): Promise<void> {
  const [ada, ben] = [await createPerson(app), await createPerson(app)];
  const ok = async (person: Person, ...request: Parameters<Person['ask']>) => {
    const { status, body } = await person.ask(...request);
    assert.equal(status, 200, `${request.slice(0, 2).join(' ')}: ${JSON.stringify(body)}`);
    return body.data;
  };
  const space = await ok(ada, 'POST', '/v1/spaces', { name: 'Home' });
  const invite = await ok(ada, 'POST', `/v1/spaces/${space.id}/invites`, {});
  await ok(ben, 'POST', `/v1/invites/${invite.token}/accept`);
  const daily = { ...TASK, due_at: '2026-03-02T10:00:00Z', recurrence: { freq: 'daily' } };
  const repeating = await ok(ada, 'POST', '/v1/tasks', { ...daily, space_id: space.id });
  const request = await ok(ada, 'POST', '/v1/tasks', { ...TASK, owner_id: ben.userId, space_id: space.id });
  await ok(ben, 'POST', `/v1/tasks/${request.id}/accept`);
  const until = '2026-03-05T10:00:00Z';
  for (const [action, payload] of [['complete'], ['reopen'], ['skip'], ['snooze', { until }]] as const) {
    await ok(ada, 'POST', `/v1/tasks/${repeating.id}/${action}`, payload ?? {});
  }
  await ok(ada, 'PATCH', `/v1/tasks/${repeating.id}`, { title: 'Take two pills' });
  const dropped = await ok(ada, 'POST', '/v1/tasks', TASK);
  await ok(ada, 'POST', `/v1/tasks/${dropped.id}/drop`);
  const token = await ok(ada, 'POST', '/v1/tokens', { scopes: ['tasks:read', 'tasks:write'] });
  const since = app.clock.now().toISOString();
  for (const path of [
    `tasks/${repeating.id}`,
    `tasks/${repeating.id}/timeline`,
    `tasks/${repeating.id}/forecast`,
    'tasks',
    'tasks?limit=1',
    'tasks?assigned=true',
    'tasks?assigned=true&limit=5',
    ...['open', 'pending', 'overdue', 'snoozed', 'done'].map((status) => `tasks?status=${status}`),
    'sync',
    `sync?since=${since}`,
    'outcomes',
    'stats',
    'me',
    'spaces',
    `spaces/${space.id}/tasks`,
  ]) {
    await ok(ada, 'GET', `/v1/${path}`);
  }
  for (const path of ['tasks', 'sync', `sync?since=${since}`])
    await ok(ada, 'GET', `/v1/${path}`, undefined, token.token);
  await ok(ada, 'POST', '/v1/me/pause', { until });
  await ok(ada, 'DELETE', '/v1/me/pause');
  await ok(ada, 'PATCH', '/v1/me', { timezone: 'Asia/Tokyo', quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
  await ok(ben, 'DELETE', `/v1/spaces/${space.id}/membership`);
  await ok(ben, 'DELETE', '/v1/me');
}

const isExplainable = (text: string) =>
  /^\s*(select|insert|update|delete|with)\b/i.test(text) && LARGE.some((table) => text.includes(table));

/** The large tables of which this statement reads every row, unless it stops at a limit. */
async function findScans(
  { db }: TestApp,
  engine: EngineName,
  text: string,
  parameters: readonly unknown[],
): Promise<string[]> {
  const explain = engine === 'postgres' ? 'explain (format json)' : 'explain query plan';
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
  const hasLimit = /\blimit\b/i.test(text);
  if (engine === 'sqlite') {
    const lines = rows.map(({ detail = '' }) => detail);
    return lines.flatMap((line) => {
      const [, table = '', isByIndex] = /^SCAN (\w+)( USING)?/.exec(line) ?? [];
      // A subquery may have the name of a table.
      const isSubquery = lines.some((other) => other === `CO-ROUTINE ${table}` || other === `MATERIALIZE ${table}`);
      return LARGE.includes(table) && !isSubquery && !(hasLimit && isByIndex) ? [table] : [];
    });
  }
  const scanned: string[] = [];
  const visit = (node: PlanNode) => {
    const table = node['Relation Name'] ?? '';
    const isWhole =
      node['Node Type'] === 'Seq Scan' || (node['Node Type'].startsWith('Index') && !node['Index Cond'] && !hasLimit);
    if (LARGE.includes(table) && isWhole) scanned.push(table);
    node.Plans?.forEach(visit);
  };
  for (const { 'QUERY PLAN': plans = [] } of rows) for (const { Plan: plan } of plans) visit(plan);
  return scanned;
}

interface Row {
  readonly detail?: string;
  readonly 'QUERY PLAN'?: readonly { readonly Plan: PlanNode }[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}
