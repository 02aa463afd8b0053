import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizeStatement } from './traced-driver.ts';

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
