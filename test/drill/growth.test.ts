import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, judgeRemains } from './growth.ts';

const NAME = 'rows of sessions';

const growing = (valueAt: (index: number) => number, name = NAME) =>
  judge(Array.from({ length: 40 }, (_, index) => ({ [name]: valueAt(index) }))).some(({ grows }) => grows);

test('what rises to the end grows; what swings, falls or has levelled off does not', () => {
  assert.equal(
    growing((index) => 100 + 10 * index),
    true,
  );
  assert.equal(
    growing((index) => 100 + 40 * (index % 3)),
    false,
  );
  assert.equal(
    growing((index) => 500 - 10 * index),
    false,
  );
  assert.equal(
    growing((index) => (index < 18 ? 100 : 400)),
    false,
    'as high in the middle as at the end',
  );
});

test('the start does not count, and what has a reason to grow may', () => {
  assert.equal(
    growing((index) => Math.min(index, 8) * 100),
    false,
  );
  assert.equal(
    growing((index) => index * 100, 'rows of throttles'),
    false,
  );
});

test('a figure without a rule is refused', () => {
  assert.throws(() => growing(() => 1, 'something new'), /No rule/);
});

test('rows that stay in proportion to the people who left are a leak, unless they may stay until they expire', () => {
  const PEOPLE = 100;
  const isLeak = (name: string, after: number) =>
    judgeRemains({ [name]: 2 }, { [name]: 2 + after }, PEOPLE).some(({ grows }) => grows);
  assert.equal(isLeak(NAME, 10), true);
  assert.equal(isLeak(NAME, 5), false, 'rows of the installation itself');
  assert.equal(isLeak('rows of email_codes', PEOPLE), false);
  assert.equal(isLeak('expired rows of email_codes', 1), true);
});
