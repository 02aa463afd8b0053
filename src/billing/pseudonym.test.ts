import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vault } from '../keys/vault.ts';
import { namesByPseudonym, pseudonymOf } from './pseudonym.ts';

test('a customer whose account was deleted is found again after a rotation of keys, and does not show their name', () => {
  const before = new Vault(['an older key, long enough to be taken']);
  const after = new Vault(['a newer key, long enough to be taken', 'an older key, long enough to be taken']);
  const pseudonym = pseudonymOf(before, 'ada');
  assert.doesNotMatch(pseudonym, /ada/);
  assert.equal(namesByPseudonym(after, ['eve', 'ada']).get(pseudonym), 'ada');
  assert.equal(namesByPseudonym(after, ['ada']).get(pseudonymOf(after, 'ada')), 'ada');
  assert.equal(namesByPseudonym(after, ['eve']).get(pseudonym), undefined);
});
