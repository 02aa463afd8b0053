import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vault } from '../keys/vault.ts';
import { newId } from '../lib/ids.ts';
import { TakeBackLinks } from './take-back-links.ts';

const [OLD_KEY, NEW_KEY] = ['an older key, long enough to be taken', 'a newer key, long enough to be taken'] as const;
const linksWith = (...keys: [string, ...string[]]) => new TakeBackLinks(new Vault(keys), 'https://home.test');
const tokenOf = (url: string) => /^https:\/\/home\.test\/take-back\/(.+)$/.exec(url)?.[1] ?? '';

test('a link names its change, also after a rotation of keys, and no longer once the key is gone', () => {
  for (const kind of ['address', 'reset'] as const) {
    const id = newId();
    const token = tokenOf(linksWith(OLD_KEY).urlOf(kind, id));
    assert.deepEqual(linksWith(OLD_KEY).read(token), { kind, id });
    assert.deepEqual(linksWith(NEW_KEY, OLD_KEY).read(token), { kind, id });
    assert.equal(linksWith(NEW_KEY).read(token), undefined);
  }
});

test('a link for one kind of change, or one change, is good for no other', () => {
  const links = linksWith(OLD_KEY);
  const [token, other] = [tokenOf(links.urlOf('address', newId())), tokenOf(links.urlOf('address', newId()))];
  for (const made of [
    `r${token.slice(1)}`,
    token.slice(0, 22) + other.slice(22),
    token.slice(0, -4),
    `${token}AAAA`,
    '',
  ])
    assert.equal(links.read(made), undefined, made);
});
