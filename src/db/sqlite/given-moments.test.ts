import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedDatabase } from '../../../test/support/recorded-driver.ts';
import { GivenMoments } from './given-moments.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, seconds));

test('a moment is stored some seconds ahead, so that few syncs write', async () => {
  const { db, queries } = recordedDatabase();
  const moments = new GivenMoments(db);
  for (const seconds of [0, 5, 10]) await moments.give(at(seconds));
  assert.deepEqual(
    queries.map(({ parameters }) => parameters.includes(at(10).toISOString())),
    [true],
  );
  await moments.give(at(11));
  assert.ok(queries[1]?.parameters.includes(at(21).toISOString()));
});

test('where a moment cannot be stored, clients are told an earlier one that was given out, and the next sync tries again', async () => {
  let isFull = true;
  const { db, queries } = recordedDatabase(() => {
    if (isFull) throw new Error('The disk is full.');
    return [];
  });
  const moments = new GivenMoments(db);
  assert.deepEqual(await moments.give(at(20), at(5)), at(5), 'what the client was told last');
  assert.deepEqual(await moments.give(at(20), at(30)), at(20), 'never later than now');
  assert.deepEqual(
    await moments.give(at(20)),
    new Date(at(20).getTime() - 86_400_000),
    'a new client has no earlier one',
  );
  isFull = false;
  assert.deepEqual(await moments.give(at(21), at(5)), at(21));
  assert.equal(queries.length, 4);
  isFull = true;
  assert.deepEqual(await moments.give(at(40), at(5)), at(31), 'the latest that is stored');
});

test('on PostgreSQL nothing is stored: the server stamps changes', async () => {
  const { db, queries } = recordedDatabase(undefined, 'postgres');
  await new GivenMoments(db).give(at(0), at(9));
  assert.deepEqual(queries, []);
});
