import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedHosts, isAllowedHost, isAllowedOrigin } from './allowed-hosts.ts';

const BASE = 'https://crescendo.example';
const HOSTS = allowedHosts(BASE, 'reminders.lan');

test('the service accepts its own host names and IP addresses, and no other name', () => {
  const own = [
    'crescendo.example',
    'crescendo.example:443',
    'CRESCENDO.example',
    'reminders.lan:8080',
    'localhost:8080',
  ];
  for (const host of [...own, '127.0.0.1:8080', '[::1]:8080', '192.168.1.5', 'crescendo.localhost']) {
    assert.ok(isAllowedHost(host, HOSTS), host);
  }
  const foreign = ['evil.example', 'crescendo.example.evil.example', 'evil.example:8080', 'localhost.evil.example', ''];
  for (const host of [...foreign, 'a b', 'evil.example#localhost', 'localhost@evil.example']) {
    assert.ok(!isAllowedHost(host, HOSTS), host);
  }
});

test('a page may call if it is our own, or on the same machine as the service', () => {
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
