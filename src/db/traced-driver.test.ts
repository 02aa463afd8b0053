import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely';
import type { Span, Tracer } from '../lib/tracer.ts';
import type { Db } from './schema.ts';
import { summarizeStatement, tracedDialect } from './traced-driver.ts';
import { transact } from './transact.ts';

const SUMMARIES: readonly [sql: string, summary: string][] = [
  ['select "id" from "tasks" where "id" = ?', 'SELECT tasks'],
  ['\n    update deliveries set next_attempt_at = $1 where x in (select 1 from tasks)', 'UPDATE deliveries'],
  ['insert into "users" ("id") values ($1)', 'INSERT users'],
  ['insert into deliveries (a) select a from json_each(?)', 'INSERT deliveries'],
  ['delete from "sessions" where "id" = ?', 'DELETE sessions'],
  ['select 1', 'SELECT'],
  ['', ''],
];

for (const [sql, summary] of SUMMARIES) {
  test(`${JSON.stringify(sql)} is summarized as ${JSON.stringify(summary)}`, () =>
    assert.equal(summarizeStatement(sql), summary));
}

/** Runs work on a traced database, as part of a request or of nothing. `spans` are those that began, with how they ended. */
async function trace(work: (db: Kysely<object>) => Promise<unknown>, isRequest: boolean, fails: string | undefined) {
  const spans: { name: string; parent: string | undefined; ended?: string }[] = [];
  const start = (name: string, parent: string | undefined): Span => {
    const span: (typeof spans)[number] = { name, parent };
    spans.push(span);
    const end = (errorType = 'well') => {
      span.ended ??= errorType;
    };
    return { traceId: name, set: () => undefined, end };
  };
  const request: Span = { traceId: 'request', set: () => undefined, end: () => undefined };
  const tracer: Tracer = {
    start: (name, options) => start(name, options?.parent?.traceId),
    active: () => (isRequest ? request : undefined),
    run: (_, inside) => inside(),
  };
  class FailingDriver extends DummyDriver {
    override async acquireConnection() {
      const executeQuery = async ({ sql: text }: CompiledQuery) => {
        if (text === fails) throw new TypeError('about ada@example.org');
        return { rows: [] };
      };
      return { executeQuery, streamQuery: () => assert.fail() };
    }
    override async commitTransaction() {
      if (fails === 'commit') throw new TypeError('no disk');
    }
  }
  const plain = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new FailingDriver(),
    createIntrospector: () => assert.fail(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  const db = new Kysely<object>({ dialect: tracedDialect(plain, 'postgresql', tracer) });
  await work(db).catch((error: unknown) => assert.ok(error instanceof TypeError));
  return spans.map(({ name, parent = '-', ended }) => `${name} in ${parent}: ${ended}`);
}

const read = (db: Kysely<object>) => sql.raw('select 1').execute(db);
const readInside = (db: Kysely<object>) => transact(db as unknown as Db, (trx) => sql.raw('select 1').execute(trx));

test('statements and transactions of a request are in its trace, with how they ended, and others are in none', async () => {
  assert.deepEqual(await trace(read, false, undefined), []);
  assert.deepEqual(await trace(read, true, undefined), ['SELECT in request: well']);
  assert.deepEqual(await trace(read, true, 'select 1'), ['SELECT in request: TypeError']);
  const inside = 'SELECT in transaction: ';
  assert.deepEqual(await trace(readInside, true, undefined), ['transaction in -: well', `${inside}well`]);
  assert.deepEqual(await trace(readInside, true, 'select 1'), ['transaction in -: rollback', `${inside}TypeError`]);
  assert.deepEqual(await trace(readInside, true, 'commit'), ['transaction in -: rollback', `${inside}well`]);
});
