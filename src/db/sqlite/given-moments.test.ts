import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedDatabase } from '../../../test/support/recorded-driver.ts';
import { GivenMoments } from './given-moments.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, seconds));

test('a moment is stored some seconds ahead, so that few syncs write', async () => {
  const { db, queries } = recordedDatabase();
  const moments = new GivenMoments(db);
  for (const seconds of [0, 5, 10]) await moments.store(at(seconds));
  assert.deepEqual(
    queries.map(({ parameters }) => parameters.includes(at(10).toISOString())),
    [true],
  );
  await moments.store(at(11));
  assert.ok(queries[1]?.parameters.includes(at(21).toISOString()));
});

test('a moment that could not be stored fails no sync, and the next one tries again', async () => {
  let isFull = true;
  const { db, queries } = recordedDatabase(() => {
    if (isFull) throw new Error('The disk is full.');
    return [];
  });
  const moments = new GivenMoments(db);
  await moments.store(at(0));
  isFull = false;
  await moments.store(at(1));
  assert.equal(queries.length, 2);
});

test('on PostgreSQL nothing is stored: the server stamps changes', async () => {
  const { db, queries } = recordedDatabase(undefined, 'postgres');
  await new GivenMoments(db).store(at(0));
  assert.deepEqual(queries, []);
});
