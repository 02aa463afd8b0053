import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnstoredSends } from './unstored-sends.ts';

test('a delivery whose result is stored is forgotten at once, so that the memory of an engine does not grow', () => {
  const sends = new UnstoredSends();
  sends.add('a');
  assert.ok(sends.has('a'));
  sends.stored('a');
  assert.ok(!sends.has('a'));
});

test('a result that is stored while deliveries are leased counts as unstored until the leased ones are sent', async () => {
  const sends = new UnstoredSends();
  sends.add('a');
  await sends.whileLeasing(async () => {
    sends.stored('a');
    assert.ok(sends.has('a'));
  });
  assert.ok(!sends.has('a'));
});

test('a lease that fails keeps nothing', async () => {
  const sends = new UnstoredSends();
  sends.add('a');
  const failing = sends.whileLeasing(async () => {
    sends.stored('a');
    throw new Error('the database is gone');
  });
  await assert.rejects(failing);
  assert.ok(!sends.has('a'));
  sends.add('b');
  sends.stored('b');
  assert.ok(!sends.has('b'));
});
