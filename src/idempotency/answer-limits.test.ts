import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AnswerLimits, type KeptAnswer } from './answer-limits.ts';

const LIMITS = { keys: 5, bytes: 100, counted: 1_000 };
const answerOf = (bytes: number, index: number): KeptAnswer => ({
  keyHash: String(index),
  expiresAt: new Date(index),
  bytes,
});

test('of any answers, the newest that fit are kept, and each other one is dropped once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 40 }), (sizes) => {
      const limits = new AnswerLimits(LIMITS);
      const stored = sizes.map(answerOf);
      const dropped = { answers: [] as KeptAnswer[], keys: [] as KeptAnswer[] };
      for (const answer of stored) {
        const { answers, keys } = limits.add('ada', answer);
        dropped.answers.push(...answers);
        dropped.keys.push(...keys);
      }
      const keys = stored.slice(-LIMITS.keys);
      assert.deepEqual(dropped.keys, stored.slice(0, stored.length - keys.length));
      const bytesFrom = (index: number) => keys.slice(index).reduce((sum, { bytes }) => sum + bytes, 0);
      const fitting = keys.filter((_, index) => bytesFrom(index) <= LIMITS.bytes);
      const gone = new Set(dropped.answers);
      assert.equal(gone.size, dropped.answers.length);
      for (const one of keys)
        assert.equal(gone.has(one), !fitting.includes(one) && one.bytes > 0, JSON.stringify(sizes));
    }),
  );
});

test('accounts are counted apart, and beyond the total the first one is forgotten', () => {
  const limits = new AnswerLimits({ keys: 2, bytes: 100, counted: 5 });
  const add = (userId: string, index: number) => limits.add(userId, answerOf(1, index)).keys.length;
  assert.deepEqual([add('ada', 1), add('ada', 2), add('bob', 3), add('bob', 4), add('cem', 5)], [0, 0, 0, 0, 0]);
  assert.equal(add('ada', 6), 1);
  assert.equal(add('cem', 7), 0);
  // Ada was counted first, and is forgotten now.
  assert.deepEqual([add('bob', 8), add('ada', 9), add('ada', 10)], [1, 0, 0]);
  // Bob was forgotten for Ada's second one, and what he had counts no more.
  assert.deepEqual([add('cem', 11), add('dan', 12), add('cem', 13)], [1, 0, 1]);
});
