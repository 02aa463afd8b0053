import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vault } from '../keys/vault.ts';
import { newId } from '../lib/ids.ts';
import { taskCode } from './task-code.ts';

test('a code is short and easy to read, differs between tasks, and cannot be made without the key', () => {
  const vault = new Vault(['one key']);
  const ids = Array.from({ length: 50 }, () => newId());
  const codes = ids.map((id) => taskCode(vault, id));
  for (const code of codes) assert.match(code, /^#[2-9BCDFGHJKMNPQRTVWXZ]{4}$/);
  // Of 50 tasks, two have the same code once in 400 runs; three pairs never.
  assert.ok(new Set(codes).size >= 48);
  assert.deepEqual(
    ids.map((id) => taskCode(vault, id)),
    codes,
  );
  assert.notDeepEqual(
    ids.map((id) => taskCode(new Vault(['another key']), id)),
    codes,
  );
});
