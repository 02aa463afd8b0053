import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mustTurnToTls } from './mailer.ts';

const cases: readonly [url: string, mustTurn: boolean][] = [
  ['smtp://u:p@mail.example.org:587', true],
  ['smtp://u:p@10.0.0.2', true],
  ['smtp://u:p@127.example.org', true],
  ['smtp://u:p@localhost.example.org', true],
  ['smtp://u:p@mail.example.org?ignoreTLS=false', true],
  ['smtp://u:p@mail.example.org?ignoreTLS=true', false],
  ['smtp://u:p@mail.example.org?requireTLS=false', false],
  ['smtp://mail.example.org', false],
  ['smtps://u:p@mail.example.org', false],
  ['smtp://u:p@LocalHost:25', false],
  ['smtp://u:p@127.0.0.1:25', false],
  ['smtp://u:p@[::1]:25', false],
];

for (const [url, mustTurn] of cases) {
  test(`a password ${mustTurn ? 'waits for' : 'does not wait for'} TLS at ${url}`, () => {
    assert.equal(mustTurnToTls(url), mustTurn);
  });
}
