import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, findServer, hostOf, serverOf } from './server-of.ts';

/** Each row: one machine, in spellings that a limit must not tell apart. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'ntfy.example': [
    'https://ntfy.example',
    'https://NTFY.Example/',
    'https://ntfy.example.',
    'https://ntfy.example..:443/',
    'http://ntfy.example:8080/a/b?c=d#e',
    'https://user:password@ntfy.example/',
    'https://ntfy%2Eexample/',
    'https://ｎtfy。example/',
    '\thttps:\\\\ntfy.example\\',
  ],
  '127.0.0.1': [
    'http://127.0.0.1',
    'http://127.1:80/',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://2130706433',
    'http://127.0.0.1.',
    'http://[::ffff:127.0.0.1]:9/',
    'http://[0:0:0:0:0:ffff:7f00:1]',
  ],
  '[2001:db8::1]': ['https://[2001:DB8::1]', 'https://[2001:db8:0:0:0:0:0:1]:443/x', 'https://[2001:0db8::0001]'],
  'xn--mnchen-3ya.example': ['https://münchen.example', 'https://MÜNCHEN.example.', 'https://xn--mnchen-3ya.example'],
};

test('every spelling of a host is one host, whatever its port', () => {
  for (const [host, urls] of Object.entries(HOSTS)) for (const url of urls) assert.equal(hostOf(url), host, url);
  assert.notEqual(hostOf('https://a.example'), hostOf('https://b.a.example'));
});

test('a server keeps its scheme and its port', () => {
  const servers: readonly (readonly [url: string, server: string])[] = [
    ['https://NTFY.example.:443/x', 'https://ntfy.example'],
    ['http://ntfy.example:443', 'http://ntfy.example:443'],
    ['https://ntfy.example:8443/', 'https://ntfy.example:8443'],
    ['http://[::ffff:10.0.0.1]:80/', 'http://10.0.0.1'],
    ['https://[2001:DB8::1]:8443', 'https://[2001:db8::1]:8443'],
  ];
  for (const [url, server] of servers) assert.equal(serverOf(url), server, url);
  assert.equal(findServer('no URL'), null);
});

test('every spelling of an address is one address, and another path, query or port is another', () => {
  const address = 'https://hook.example/a~b/%2F?c=%20d';
  const spellings = [
    'https://hook.example/a~b/%2f?c=%20d#fragment',
    'https://HOOK.example.:443/%61%7Eb/%2F?c=%20%64',
    'https://user@hook.example/x/../a~b/%2F?c= d',
  ];
  for (const url of spellings) assert.equal(addressOf(url), address, url);
  assert.equal(addressOf('https://hook.example/?'), 'https://hook.example/');
  for (const url of ['https://hook.example/A~b/%2F?c=%20d', 'https://hook.example/a~b//?c=%20d']) {
    assert.notEqual(addressOf(url), address, url);
  }
  assert.notEqual(addressOf('https://hook.example:8443/'), addressOf('https://hook.example/'));
});
