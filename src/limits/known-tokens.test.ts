import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownTokens } from './known-tokens.ts';

test('a token that is refused is known no more, however many came after it', () => {
  const tokens = new KnownTokens();
  tokens.remember('early', 'ada');
  for (let count = 0; count < 10_000; count += 1) tokens.remember(`later ${count}`, 'bob');
  assert.equal(tokens.accountOf('early'), 'ada');
  tokens.forget('early');
  assert.equal(tokens.accountOf('early'), undefined);
});
