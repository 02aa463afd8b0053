import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import type { Vault } from '../keys/vault.ts';
import { newId } from '../lib/ids.ts';
import { ActTokens, readConfirmToken } from './act-token.ts';

/** Hashes under the first key, and finds what was hashed under any of them. */
function vaultOf(...keys: readonly string[]) {
  const hashes = (...parts: readonly string[]) =>
    keys.map((key) => createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url'));
  return { hash: (...parts: readonly string[]) => hashes(...parts)[0] ?? '', hashes } as unknown as Vault;
}

const [entryId, channelId] = [newId(), newId()];
const CONTENT = { entryId, channelId, title: 'pills', addressId: 'ada@example.org' };
const tokensOf = (...keys: readonly string[]) => new ActTokens(vaultOf(...keys), 'https://crescendo.example');

test('a token names its nudge and its channel, also under a former key, and no other text is one', () => {
  const token = tokensOf('one').make(CONTENT);
  assert.equal(token.length, 62);
  for (const keys of [['one'], ['two', 'one']]) {
    const { entryId: entry, channelId: channel } = tokensOf(...keys).read(token) ?? assert.fail('It is not read.');
    assert.deepEqual([entry, channel], [entryId, channelId]);
  }
  assert.equal(tokensOf('two').read(token), undefined, 'the key is gone');
  for (const at of [0, 25, 43, 47, 51, 60]) {
    const other = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    assert.equal(tokensOf('one').read(other), undefined, `changed at ${at}`);
  }
  for (const odd of ['', token.slice(0, -2), `${token}AA`, `${token.slice(0, -1)}!`])
    assert.equal(tokensOf('one').read(odd), undefined, odd);
});

test('a link shows the title that its message showed, whole or cut, and no later one', () => {
  const tokens = tokensOf('one');
  const shownBy = (given: string | null, title: string) => {
    const key = tokens.read(tokens.make({ ...CONTENT, title: given })) ?? assert.fail('It is not read.');
    return tokens.findShown(key, title);
  };
  const long = 'Pills 👩🏽‍⚕️ for Ada';
  assert.equal(shownBy('pills', 'pills'), 'pills');
  assert.equal(shownBy('Pills 👩🏽‍⚕️…', long), 'Pills 👩🏽‍⚕️…');
  for (const [given, title] of [
    [null, 'pills'],
    ['pills', 'Call the doctor'],
    ['Pills 👩…', long],
  ] as const)
    assert.equal(shownBy(given, title), null, `${given} ${title}`);
});

test('a link knows the address that its message went to, also under a former key', () => {
  const key = tokensOf('one').read(tokensOf('one').make(CONTENT)) ?? assert.fail('It is not read.');
  for (const keys of [['one'], ['two', 'one']]) {
    assert.equal(tokensOf(...keys).isTo(key, CONTENT.addressId), true);
    assert.equal(tokensOf(...keys).isTo(key, 'eve@example.org'), false);
    for (const other of [{ entryId: channelId }, { channelId: entryId }])
      assert.equal(tokensOf(...keys).isTo({ ...key, ...other }, CONTENT.addressId), false);
  }
});

const bytesOf = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex');
const hashOf = (purpose: string, ...parts: readonly string[]) =>
  Buffer.from(vaultOf('one').hash(purpose, ...parts), 'base64url');

test('a link from before there were marks acts and shows no title', () => {
  const mac = hashOf('act', entryId, channelId).subarray(0, 12);
  const token = Buffer.concat([bytesOf(entryId), bytesOf(channelId), mac]).toString('base64url');
  const key = tokensOf('one').read(token) ?? assert.fail('It is not read.');
  assert.deepEqual(key, { entryId, channelId, titleMark: null, addressMark: null });
  assert.equal(tokensOf('one').findShown(key, 'pills'), null);
  assert.equal(tokensOf('one').isTo(key, CONTENT.addressId), false);
});

test('a link from before there were marks of addresses acts and shows its title', () => {
  const mark = hashOf('act title', entryId, channelId, 'pills').subarray(0, 4);
  const mac = hashOf('act', entryId, channelId, mark.toString('hex')).subarray(0, 10);
  const token = Buffer.concat([bytesOf(entryId), bytesOf(channelId), mark, mac]).toString('base64url');
  const key = tokensOf('two', 'one').read(token) ?? assert.fail('It is not read.');
  assert.deepEqual(key, { entryId, channelId, titleMark: mark.toString('hex'), addressMark: null });
  assert.equal(tokensOf('two', 'one').findShown(key, 'pills'), 'pills');
});

test('each action of a message has its own link, and a confirm link has its channel and its code', () => {
  const { token, page, ...links } = tokensOf('one').actionsFor(CONTENT);
  assert.equal(page, `https://crescendo.example/a/${token}`);
  for (const [action, link] of Object.entries(links)) assert.equal(link, `${page}?do=${action}`);
  const url = tokensOf('one').confirmUrl(channelId, '012345');
  assert.deepEqual(readConfirmToken(url.split('/').at(-1) ?? ''), { channelId, code: '012345' });
  for (const odd of [token, 'c', `c${'A'.repeat(22)}12345`]) assert.equal(readConfirmToken(odd), undefined, odd);
});
