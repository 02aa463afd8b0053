import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isPublicAddress, isPublicUrl } from './public-address.ts';

const PRIVATE = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd12:3456::1',
  'ff02::1',
  'fec0::1',
  '2001:db8::1',
  '2001::1',
  '2002:7f00:1::',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '100::1',
  '3fff::1',
  '2606:4700::1%eth0',
];
const PUBLIC = [
  '8.8.8.8',
  '17.57.144.1',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.0.1',
  '172.32.0.1',
  '1.1.1.1',
  '2606:4700:4700::1111',
  '2a00:1450:4001::200a',
  '64:ff9b::8.8.8.8',
];
const MALFORMED = ['', 'localhost', '127.1', '0x7f.0.0.1', '[::1]', '8.8.8.8 ', '1.2.3', '::g'];

for (const address of PRIVATE) test(`${address} is not public`, () => assert.equal(isPublicAddress(address), false));
for (const address of PUBLIC) test(`${address} is public`, () => assert.equal(isPublicAddress(address), true));
for (const text of MALFORMED) test(`"${text}" is not an address`, () => assert.equal(isPublicAddress(text), false));

test('no IPv6 notation makes a private IPv4 address public', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const privateAddresses = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127, 224, 255), octet, octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  );
  fc.assert(
    fc.property(privateAddresses, fc.constantFrom('', '::', '::ffff:', '::ffff:0:', '64:ff9b::'), (octets, prefix) => {
      assert.equal(isPublicAddress(prefix + octets.join('.')), false);
    }),
  );
});

test('a URL is public unless its host is on this machine or can only be in a local network', () => {
  const local = [
    'http://localhost:8080',
    'http://app.localhost',
    'http://127.0.0.1',
    'http://[::1]:8080',
    'https://192.168.1.5',
    'https://[fd00::1]',
    'https://nas',
    'https://nas.local',
    'https://nas.lan.',
    'https://pi.home',
    'https://pi.home.arpa',
    'https://reminders.corp.internal',
    'http://crescendo.reminders.svc',
    'http://crescendo.reminders.svc.cluster.local',
  ];
  for (const url of local) assert.equal(isPublicUrl(url), false, url);
  const open = ['https://reminders.example.org', 'http://8.8.8.8', 'https://[2606:4700::1]', 'https://local.example'];
  for (const url of open) assert.equal(isPublicUrl(url), true, url);
});
