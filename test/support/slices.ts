/** A service with small requests, which change two rows at once. Its follow-ups run only when the test lets them. */
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import type { Db } from '../../src/db/schema.ts';
import type { EngineName } from './engines.ts';
import type { FakeClock } from './fake-clock.ts';
import type { FakePhones } from './fake-phones.ts';
import { startTestApp, type TestApp } from './test-app.ts';

export const ROWS = 2;
/** Slices that no test needs. */
const MORE_THAN_NEEDED = 500;

export interface SlicedApp {
  readonly app: TestApp;
  /** Runs that many slices, or all. */
  runSlices(count?: number): Promise<void>;
}

export async function startSlicedApp(
  engine: EngineName,
  {
    databaseUrl,
    clock,
    phone,
    settings = {},
  }: { databaseUrl?: string; clock: FakeClock; phone?: FakePhones; settings?: Readonly<Record<string, string>> },
): Promise<SlicedApp> {
  let left = 0;
  const mayRun = () => {
    left -= 1;
    return left >= 0;
  };
  const extra = { rowsAtOnce: ROWS, followUps: { rows: ROWS, mayRun }, ...(phone && { gateways: { apns: phone } }) };
  const app = await startTestApp(engine, { clock, extra, settings, ...(databaseUrl && { databaseUrl }) });
  return {
    app,
    runSlices: async (count = MORE_THAN_NEEDED) => {
      left = count;
      app.engine?.wakeUp();
      await app.engine?.settled();
      assert.ok(left > 0 || count < MORE_THAN_NEEDED, 'a follow-up never ends');
      left = 0;
    },
  };
}

/** How many tasks are not planned by the present settings yet. */
export const countStale = async (db: Db, ownerId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from tasks join users on users.id = tasks.owner_id
    where owner_id = ${ownerId} and status = 'open' and tasks.plan_version <> users.plan_version`.execute(db);
  return Number(rows[0]?.count);
};

export const countFollowUps = async (db: Db) => (await db.selectFrom('follow_ups').select('id').execute()).length;
