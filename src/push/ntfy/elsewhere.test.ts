import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { isHere, mayBeElsewhere } from './elsewhere.ts';

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
    assert.equal(await isHere('https://ntfy.example:8443/path', async () => addresses), expected);
  });
}

test('the name is looked up without its port, and an address without its brackets', async () => {
  const asked: string[] = [];
  const lookUp = async (host: string) => {
    asked.push(host);
    return [];
  };
  await isHere('https://ntfy.example:8443/path', lookUp);
  await isHere('http://[2001:db8::7]:80', lookUp);
  assert.deepEqual(asked, ['ntfy.example', '2001:db8::7']);
});

test('a name that cannot be looked up is not called here', async () => {
  assert.equal(await isHere('https://ntfy.example', () => Promise.reject(new Error('ENOTFOUND'))), false);
});

test('by its name alone, only another host may be elsewhere', () => {
  const at = (server: string) => mayBeElsewhere(server, 'crescendo.example');
  assert.equal(at('https://ntfy.example'), true);
  assert.equal(at('https://crescendo.example:8443'), false);
  for (const host of ['localhost', '127.0.0.1', '127.0.1.1', '[::1]', '0.0.0.0', '[::]']) {
    assert.equal(at(`http://${host}:8090`), false, host);
  }
});
