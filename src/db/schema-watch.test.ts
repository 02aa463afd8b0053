import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedDatabase } from '../../test/support/recorded-driver.ts';
import type { Logger } from '../lib/logger.ts';
import { SchemaWatch, TablesChangeError, whileTablesAreKnown } from './schema-watch.ts';
import { transact } from './transact.ts';

test('that the tables are newer is noticed and logged once, and work stops from then on', async () => {
  const lines: object[] = [];
  const logger = { error: (line: object) => void lines.push(line) } as unknown as Logger;
  const rows: object[] = [];
  const { db, queries } = recordedDatabase(() => rows);
  const schema = new SchemaWatch(logger, { '0001-a': {}, '0003-c': {}, '0002-b': {} });
  let worked = 0;
  const work = whileTablesAreKnown(schema, async () => {
    worked += 1;
    return new Date(0);
  });
  const { signal } = new AbortController();
  await schema.check(db);
  assert.deepEqual([queries[0]?.parameters, await work(signal)], [['0003-c'], new Date(0)]);
  rows.push({ name: '0004-d' });
  await schema.check(db);
  await schema.check(db);
  assert.deepEqual([lines, await work(signal), worked], [[{ migration: '0004-d' }], null, 1]);
});

test('work that meets newer tables ends in silence, and any other failure is told', async () => {
  const schema = new SchemaWatch({} as Logger);
  const { signal } = new AbortController();
  const failing = (error: Error) => whileTablesAreKnown(schema, () => Promise.reject(error))(signal);
  assert.equal(await failing(new TablesChangeError('newer')), null);
  await assert.rejects(failing(new Error('disk')), /disk/);
});

test('on PostgreSQL no work is claimed while a migration waits or runs, nor on newer tables', async () => {
  const claim = (isFree: boolean, newer: readonly object[]) => {
    const answer = ({ sql }: { readonly sql: string }) => (sql.includes('advisory') ? [{ is_free: isFree }] : newer);
    const { db } = recordedDatabase(answer, 'postgres');
    const schema = new SchemaWatch({ error: () => undefined } as unknown as Logger);
    return transact(db, (trx) => schema.hold(trx));
  };
  await claim(true, []);
  await assert.rejects(claim(false, []), TablesChangeError);
  await assert.rejects(claim(true, [{ name: '9999-newer' }]), TablesChangeError);
});
