import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createDurably, replaceDurably } from './durable-file.ts';

test('of those who create a file the first one wins, and a replaced file is whole and private', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'secret.key');
  assert.deepEqual([createDurably(file, 'first'), createDurably(file, 'second')], [true, false]);
  assert.equal(readFileSync(file, 'utf8'), 'first');
  replaceDurably(file, 'third');
  assert.equal(readFileSync(file, 'utf8'), 'third');
  assert.deepEqual(readdirSync(folder), ['secret.key']);
  if (process.platform !== 'win32') assert.equal(statSync(file).mode & 0o777, 0o600);
});
