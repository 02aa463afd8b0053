import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vault } from '../keys/vault.ts';
import { type BulkChange, ConsentCodes } from './consent-codes.ts';

const OLD_KEY = 'an older key, long enough to be taken';
const NEW_KEY = 'a newer key, long enough to be taken';
const NOW = new Date('2026-03-05T09:00:00Z');
const inMs = (ms: number) => new Date(NOW.getTime() + ms);

const change: BulkChange = {
  caller: 'ada',
  action: 'close as done',
  states: new Map([
    ['one', 'open'],
    ['two', 'open'],
  ]),
};

test('a code is good for ten minutes, for its caller, its action and its tasks, in any order', () => {
  const codes = new ConsentCodes(new Vault([NEW_KEY]));
  const code = codes.make(change, NOW);
  assert.deepEqual(codes.read(code, change, inMs(600_000)), []);
  assert.deepEqual(codes.read(code, { ...change, states: new Map([...change.states].reverse()) }, NOW), []);
  assert.equal(codes.read(code, change, inMs(600_001)), undefined);
  const others: Partial<BulkChange>[] = [
    { caller: 'eve' },
    { action: 'close as dropped' },
    { states: new Map([['one', 'open']]) },
    { states: new Map([...change.states, ['three', 'open']]) },
    { states: new Map([...change.states].with(1, ['three', 'open'])) },
  ];
  for (const other of others) assert.equal(codes.read(code, { ...change, ...other }, NOW), undefined);
  for (const wrong of ['', 'x', `${code}x`, code.slice(1), `A${code.slice(1)}`, `${code.slice(0, -1)}A`])
    if (wrong !== code) assert.equal(codes.read(wrong, change, NOW), undefined, wrong);
});

test('what changed since is named, also after a rotation of keys', () => {
  const code = new ConsentCodes(new Vault([OLD_KEY])).make(change, NOW);
  const changed = { ...change, states: new Map([...change.states, ['two', 'done']]) };
  const rotated = new ConsentCodes(new Vault([NEW_KEY, OLD_KEY]));
  assert.deepEqual(rotated.read(code, change, NOW), []);
  assert.deepEqual(rotated.read(code, changed, NOW), ['two']);
  assert.equal(new ConsentCodes(new Vault([NEW_KEY])).read(code, change, NOW), undefined);
});
