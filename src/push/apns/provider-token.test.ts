import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { jwtVerify } from 'jose';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { ProviderToken } from './provider-token.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

function newToken() {
  const clock = new FakeClock();
  return { clock, token: new ProviderToken({ pem, id: 'KEY1234567' }, 'TEAM123456', clock) };
}

test('the token contains the key id, the team id and a time of issue that a clock ahead by a minute makes right, and nothing else', async () => {
  const { clock, token } = newToken();
  const { payload, protectedHeader } = await jwtVerify(token.current(), publicKey, { currentDate: clock.now() });
  assert.deepEqual(protectedHeader, { alg: 'ES256', kid: 'KEY1234567' });
  assert.deepEqual(payload, { iss: 'TEAM123456', iat: clock.now().getTime() / 1_000 - 60 });
});

test('a token is kept for longer than 20 minutes and renewed within an hour', async () => {
  const { clock, token } = newToken();
  const first = token.current();
  await clock.advance('39m');
  assert.equal(token.current(), first);
  await clock.advance('1m');
  const second = token.current();
  assert.notEqual(second, first);
  assert.equal((await jwtVerify(second, publicKey)).payload.iat, clock.now().getTime() / 1_000 - 60);
});

test('a refused token that many pushes report is replaced once', () => {
  const { token } = newToken();
  const refused = token.current();
  token.discard(refused);
  const next = token.current();
  assert.notEqual(next, refused);
  token.discard(refused);
  assert.equal(token.current(), next);
});

test('after the clock is set back by an hour, a token from the future is replaced', () => {
  const moments = [new Date('2026-03-02T10:00:00Z'), new Date('2026-03-02T09:00:00Z')];
  const clock = { now: () => moments[0] ?? new Date(0), sleepUntil: () => Promise.resolve() };
  const token = new ProviderToken({ pem, id: 'KEY1234567' }, 'TEAM123456', clock);
  const first = token.current();
  moments.shift();
  assert.notEqual(token.current(), first);
});
