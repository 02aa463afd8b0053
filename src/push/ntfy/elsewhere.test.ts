import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import type { Resolve } from '../../outbound/name-resolver.ts';
import { isHere, mayBeElsewhere } from './elsewhere.ts';

/** Answers with these addresses, or with an error if there is none. */
const resolveWith =
  (addresses: readonly string[], asked: string[] = []): Resolve =>
  (host, _options, done) => {
    asked.push(host);
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    done(found.length > 0 ? null : new Error('ENOTFOUND'), found);
  };

const OWN = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));

const ANSWERS: readonly [addresses: readonly string[], isHere: boolean][] = [
  [['203.0.113.7'], false],
  [['203.0.113.7', '2001:db8::7'], false],
  [['127.0.0.1'], true],
  // Debian gives the name of the machine this address.
  [['127.0.1.1'], true],
  [['::1'], true],
  [['::ffff:127.0.0.1'], true],
  [['0.0.0.0'], true],
  [['::'], true],
  [['203.0.113.7', '127.0.0.1'], true],
  [OWN, true],
  [[], false],
];

for (const [addresses, expected] of ANSWERS) {
  test(`a server at ${addresses === OWN ? 'our own addresses' : addresses.join(' and ') || 'no address'} is ${expected ? 'here' : 'elsewhere'}`, async () => {
    assert.equal(await isHere('https://ntfy.example:8443/path', resolveWith(addresses)), expected);
  });
}

test('the name is looked up without its port, and an address not at all', async () => {
  const asked: string[] = [];
  assert.equal(await isHere('https://ntfy.example:8443/path', resolveWith([], asked)), false);
  assert.equal(await isHere('http://[2001:db8::7]:80', resolveWith([], asked)), false);
  assert.equal(await isHere('http://127.0.1.1:80', resolveWith([], asked)), true);
  assert.deepEqual(asked, ['ntfy.example']);
});

test('by its name alone, only another host may be elsewhere', () => {
  const at = (server: string) => mayBeElsewhere(server, 'crescendo.example');
  assert.equal(at('https://ntfy.example'), true);
  assert.equal(at('https://crescendo.example:8443'), false);
  for (const host of ['localhost', '127.0.0.1', '127.0.1.1', '[::1]', '0.0.0.0', '[::]']) {
    assert.equal(at(`http://${host}:8090`), false, host);
  }
});
