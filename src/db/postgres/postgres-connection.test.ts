import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { recordedDatabase } from '../../../test/support/recorded-driver.ts';
import type { PostgresBatch } from './postgres-batch.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { PreparedStatements } from './postgres-statements.ts';

const { db } = recordedDatabase(undefined, 'postgres');
const query = (text: string): CompiledQuery => sql.raw(text).compile(db);
const later = (text: string): CompiledQuery => ({ ...query(text), isPostponed: true }) as CompiledQuery;
const ofServer = (code: string) => Object.assign(new pg.DatabaseError('says the server', 0, 'error'), { code });

/** A connection whose server answers each statement with its text, or fails. `sent` are the round trips. */
function connect(failure: (texts: readonly string[]) => Error | undefined = () => undefined, command = 'DONE') {
  const sent: string[][] = [];
  const releases: boolean[] = [];
  const silences: Error[] = [];
  const client = {
    query: (batch: PostgresBatch | string) => {
      const texts = typeof batch === 'string' ? [batch] : batch.queries.map((one) => one.sql);
      sent.push(texts);
      const error = failure(texts);
      if (typeof batch === 'string') return error ? Promise.reject(error) : Promise.resolve();
      if (error) batch.callback(error);
      else
        batch.callback(
          null,
          texts.map((text) => ({ rows: [{ text }], command })),
        );
      return undefined;
    },
  };
  const pool = {
    release: (_: unknown, isIntact: boolean) => void releases.push(isIntact),
    reportSilence: (error: Error) => void silences.push(error),
  };
  const preparing = { isSafe: true };
  const connection = new PostgresConnection(client as never, pool as never, new PreparedStatements(), preparing);
  return { connection, sent, releases, silences, preparing };
}

test('a transaction goes out with its first statement, and what is postponed with the next one or the commit', async () => {
  const { connection, sent } = connect();
  connection.begin();
  const first = await connection.executeQuery(later('first'));
  assert.deepEqual(sent, []);
  assert.deepEqual((await connection.executeQuery(query('second'))).rows, [{ text: 'second' }]);
  assert.deepEqual(first.rows, [{ text: 'first' }]);
  await connection.executeQuery(later('third'));
  await connection.commit();
  assert.deepEqual(sent, [
    ['begin', 'first', 'second'],
    ['third', 'commit'],
  ]);
});

test('a transaction of postponed statements alone is stored by its commit, and an empty one costs nothing', async () => {
  const { connection, sent } = connect();
  connection.begin();
  await connection.executeQuery(later('only'));
  await connection.commit();
  assert.deepEqual(sent, [['begin', 'only', 'commit']]);
  const empty = connect();
  empty.connection.begin();
  await empty.connection.commit();
  assert.deepEqual(empty.sent, []);
});

test('a rollback drops what is postponed, and one of a transaction that the server does not know sends nothing', async () => {
  const { connection, sent } = connect();
  connection.begin();
  await connection.executeQuery(later('dropped'));
  await connection.rollback();
  assert.deepEqual(sent, []);
  const begun = connect();
  begun.connection.begin();
  await begun.connection.executeQuery(query('first'));
  await begun.connection.executeQuery(later('dropped'));
  await begun.connection.rollback();
  assert.deepEqual(begun.sent, [['begin', 'first'], ['rollback']]);
});

test('reads whose session has lost what was prepared are sent again, all of them; a transaction is left to its caller', async () => {
  let isLost = true;
  const failOnce = () => {
    const error = isLost ? ofServer('26000') : undefined;
    isLost = false;
    return error;
  };
  const { connection, sent, preparing } = connect(failOnce);
  const first = await connection.executeQuery(later('first'));
  await connection.executeQuery(query('second'));
  assert.deepEqual(
    [sent, first.rows],
    [[Array.of('first', 'second'), Array.of('first', 'second')], [{ text: 'first' }]],
  );
  // A pooler shares sessions after all.
  assert.equal(preparing.isSafe, false);
  isLost = true;
  const inside = connect(failOnce);
  inside.connection.begin();
  await assert.rejects(inside.connection.executeQuery(query('first')), { code: '26000' });
  assert.equal(inside.sent.length, 1);
});

test('a statement that collided is refused for now, and one of a transaction is left to the transaction', async () => {
  const collides = () => ofServer('40001');
  await assert.rejects(connect(collides).connection.executeQuery(query('alone')), { code: 'database_unavailable' });
  const { connection } = connect(collides);
  connection.begin();
  await assert.rejects(connection.executeQuery(query('inside')), { code: '40001' });
});

test('a commit that the server answers with a rollback has stored nothing', async () => {
  const { connection } = connect(undefined, 'ROLLBACK');
  connection.begin();
  await connection.executeQuery(query('first'));
  await assert.rejects(connection.commit(), /already rolled back by an earlier error/);
});

test('a connection is given back as whole, and after it broke or fell silent as broken', async () => {
  const whole = connect();
  await whole.connection.executeQuery(query('first'));
  whole.connection.release();
  const refused = connect(() => ofServer('23505'));
  await assert.rejects(refused.connection.executeQuery(query('first')), { code: '23505' });
  refused.connection.release();
  assert.deepEqual([whole.releases, refused.releases], [[true], [true]]);
  const silent = connect(() => new Error('Query read timeout'));
  await assert.rejects(silent.connection.executeQuery(query('first')), { code: 'database_unavailable' });
  silent.connection.release();
  assert.deepEqual([silent.releases, silent.silences.length], [[false], 1]);
});
