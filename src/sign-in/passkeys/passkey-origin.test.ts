import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPasskeyOrigin } from './passkey-origin.ts';

test('passkeys work on https with a host name and on localhost, which stands for the loopback addresses', () => {
  const cases: [string, string | undefined][] = [
    ['https://crescendo.example', 'crescendo.example at https://crescendo.example'],
    ['https://crescendo.example:8443', 'crescendo.example at https://crescendo.example:8443'],
    ['http://localhost:8080', 'localhost at http://localhost:8080'],
    ['http://127.0.0.1:8080', 'localhost at http://localhost:8080'],
    ['http://[::1]:8080', 'localhost at http://localhost:8080'],
    ['http://app.localhost:8080', 'app.localhost at http://app.localhost:8080'],
    ['http://crescendo.example', undefined],
    ['http://nas', undefined],
    ['http://192.168.1.5:8080', undefined],
    ['https://192.168.1.5', undefined],
    ['https://[2001:db8::1]', undefined],
  ];
  for (const [baseUrl, expected] of cases) {
    const found = findPasskeyOrigin(baseUrl);
    assert.equal(found && `${found.id} at ${found.origin}`, expected, baseUrl);
  }
});
