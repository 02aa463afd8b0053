import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTypedCode, normalizeTypedCode } from './typed-code.ts';

test('a code is accepted as people type it: in any case, with any spaces, and with the letters that look like digits', () => {
  const code = formatTypedCode(Uint8Array.from([0, 1, 0, 1, 31, 17, 200]), 4);
  assert.equal(code, '0101-ZH8');
  for (const typed of ['0101-zh8', 'oI0L zh8', ' O1 o1-Z H 8\n']) assert.equal(normalizeTypedCode(typed), '0101ZH8');
});
