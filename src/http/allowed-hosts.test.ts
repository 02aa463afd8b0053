import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowedHost, isAllowedOrigin, isOwnOrigin } from './allowed-hosts.ts';

const BASE = 'https://crescendo.example';
const NAMES = new Set(['crescendo.example', 'reminders.example.org']);

const OWN = [
  'crescendo.example',
  'crescendo.example:443',
  'CRESCENDO.example',
  'crescendo.example.',
  'reminders.example.org:8080',
];
/** Public DNS cannot point these anywhere: addresses in every spelling that browsers know, and local names. */
const UNREACHABLE = [
  '127.0.0.1:8080',
  '192.168.1.5',
  '8.8.8.8',
  '127.1',
  '0x7f.0.0.1',
  '0177.0.0.1',
  '2130706433',
  '127.0.0.1.',
  '[::1]:8080',
  '[fd00::1]',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:0:0:1]',
  'localhost:8080',
  'LOCALHOST.',
  'crescendo.localhost',
  'crescendo:8080',
  'my_service',
  'nas',
  'nas.local',
  'NAS.Local.:8080',
  'reminders.lan:8080',
  'pi.home',
  'pi.home.arpa',
  'api.default.svc.cluster.local',
  'reminders.corp',
  'reminders.internal',
  'reminders.intranet',
  'reminders.private',
  'nas.localdomain',
  'crescendo.test',
];
const FOREIGN = [
  'evil.example',
  'evil.example:8080',
  'EVIL.example.',
  'crescendo.example.evil.example',
  'evilcrescendo.example',
  'x.crescendo.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '127.0.0.1.nip.io',
  'evil.local.example',
  'evil.arpa',
  'fritz.box',
  'evil.home.example',
  'evil.onion',
  'evil.invalid',
  'eviltest.example',
  'evil.xn--local-',
];
const MALFORMED = [
  '',
  ' ',
  '.',
  '..',
  'a b',
  'evil.example#localhost',
  'localhost@evil.example',
  'evil.example/localhost',
  'evil.example?localhost',
  'evil.example\\localhost',
  'evil%2eexample',
  'loc%61lhost.evil.example',
  'localhost:99999',
  'localhost:x',
  'localhost,evil.example',
  'evil.example, localhost',
  '999.999.999.999',
  '1.2.3.4.5',
  '[:::]',
  '[::1]evil.example',
  'evil。example',
  'localhost..',
];

test('the service answers to its own names and to hosts that public DNS cannot point here, and to no other', () => {
  for (const host of [...OWN, ...UNREACHABLE]) assert.equal(isAllowedHost(host, NAMES), true, host);
  for (const host of [...FOREIGN, ...MALFORMED]) assert.equal(isAllowedHost(host, NAMES), false, host);
});

test('a page is our own if its origin is BASE_URL or the host that it called', () => {
  const own: [origin: string, host: string][] = [
    [BASE, 'localhost:8080'],
    ['http://nas:8080', 'nas:8080'],
    ['https://nas.local', 'nas.local'],
    ['http://[::1]:8080', '[::1]:8080'],
    ['http://nas:8080', 'NAS:8080'],
  ];
  for (const [origin, host] of own) assert.equal(isOwnOrigin(origin, host, BASE), true, origin);
  const foreign: [origin: string, host: string][] = [
    ['https://evil.example', 'crescendo.example'],
    ['http://nas:1234', 'nas:8080'],
    ['http://localhost:6274', 'localhost:8080'],
    ['https://crescendo.example.evil.example', 'crescendo.example'],
    ['https://crescendo.example:8443', 'localhost'],
    ['chrome-extension://crescendo.example', 'crescendo.example'],
    ['null', 'crescendo.example'],
    ['null', ''],
    ['', ''],
    ['file://', 'crescendo.example'],
    ['http://a, http://nas', 'nas'],
  ];
  for (const [origin, host] of foreign) assert.equal(isOwnOrigin(origin, host, BASE), false, origin);
});

test('a page may use the MCP server if it is our own, or on the same machine as the service', () => {
  const plain = 'http://crescendo.example';
  const mayCall = (origin: string | undefined, host = 'crescendo.example') => isAllowedOrigin(origin, host, plain);
  assert.ok(mayCall(undefined));
  assert.ok(mayCall(plain));
  assert.ok(mayCall('http://localhost:6274', 'localhost:8080'));
  assert.ok(mayCall('http://127.0.0.1:6274', 'localhost:8080'));
  const foreign = ['https://evil.example', 'null', '', 'https://crescendo.example.evil.example', 'file://', 'garbage'];
  for (const origin of [...foreign, 'http://localhost:6274', 'chrome-extension://crescendo.example']) {
    assert.ok(!mayCall(origin), origin);
  }
  assert.ok(!mayCall('https://evil.example', 'localhost:8080'));
  // Over https a page acts with a token that it was given, or not at all.
  for (const origin of ['https://inspector.example', 'null']) assert.ok(isAllowedOrigin(origin, 'x.example', BASE));
});
