import assert from 'node:assert/strict';
import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { type DnsAnswer, DnsServer, NEVER } from '../../test/support/dns-server.ts';
import { nameResolver, type Resolve } from './name-resolver.ts';
import { publicLookup } from './public-lookup.ts';

type Options = Parameters<Resolve>[1];

async function serve(t: TestContext, answer: Parameters<typeof DnsServer.start>[0]): Promise<DnsServer> {
  const server = await DnsServer.start(answer);
  t.after(() => server[Symbol.asyncDispose]());
  return server;
}

const resolve = (server: DnsServer, name: string, options: Partial<Options> = {}) =>
  promisify(nameResolver([server.host]))(name, { ...options, all: true });

const IPV4 = { address: '8.8.8.8', family: 4 };
const IPV6 = { address: '2606:4700::1', family: 6 };
const addressesOf = (family: 4 | 6) => [family === 4 ? IPV4.address : IPV6.address];

const BY_ITSELF = { timeout: 10_000 };

describe('names that strangers choose', { concurrency: true }, () => {
  test('many slow names delay neither another name nor the thread pool', BY_ITSELF, async (t) => {
    const slow = Promise.withResolvers<DnsAnswer>();
    const server = await serve(t, (name, family) => (name.startsWith('slow') ? slow.promise : addressesOf(family)));
    let ended = 0;
    const lookups = Array.from({ length: 40 }, async (_, index) => {
      const found = await resolve(server, `slow${index}.example`, { family: 4 });
      ended += 1;
      return found;
    });
    await server.untilAsked(40);

    await lookup('localhost');
    await readFile(import.meta.filename);
    assert.deepEqual(await resolve(server, 'other.example'), [IPV4, IPV6]);
    assert.equal(ended, 0);

    slow.resolve(['8.8.8.8']);
    assert.deepEqual(await Promise.all(lookups), Array(40).fill([IPV4]));
  });

  test('a name that is never answered fails by itself, and may be tried again', BY_ITSELF, async (t) => {
    // Two rounds over five servers would take 15 seconds or more.
    const hosts: string[] = [];
    while (hosts.length < 5) hosts.push((await serve(t, () => NEVER)).host);
    const silent = promisify(nameResolver(hosts));
    await assert.rejects(silent('silent.example', { all: true }), {
      code: 'EAI_AGAIN',
      message: 'lookup EAI_AGAIN silent.example',
    });
  });

  test('a question that was lost on the way is asked again', BY_ITSELF, async (t) => {
    let questions = 0;
    const server = await serve(t, () => {
      questions += 1;
      return questions === 1 ? NEVER : ['8.8.8.8'];
    });
    assert.deepEqual(await resolve(server, 'lossy.example', { family: 4 }), [IPV4]);
  });

  test('one family that never answers does not cost the addresses of the other', BY_ITSELF, async (t) => {
    const server = await serve(t, (_name, family) => (family === 6 ? NEVER : addressesOf(4)));
    assert.deepEqual(await resolve(server, 'half.example'), [IPV4]);
  });

  for (const failure of [[], 'NXDOMAIN', 'SERVFAIL'] as const) {
    for (const [failing, found] of [
      [4, IPV6],
      [6, IPV4],
    ] as const) {
      test(`IPv${failing} that ends with ${failure.length ? failure : 'no address'} leaves the other family`, async (t) => {
        const server = await serve(t, (_name, family) => (family === failing ? failure : addressesOf(family)));
        assert.deepEqual(await resolve(server, 'half.example'), [found]);
      });
    }
  }

  const failures: readonly (readonly [DnsAnswer, DnsAnswer, string])[] = [
    ['NXDOMAIN', 'NXDOMAIN', 'ENOTFOUND'],
    [[], [], 'ENOTFOUND'],
    ['SERVFAIL', 'SERVFAIL', 'EAI_AGAIN'],
    ['SERVFAIL', 'NXDOMAIN', 'EAI_AGAIN'],
    [[], 'SERVFAIL', 'EAI_AGAIN'],
  ];
  for (const [ofIpv4, ofIpv6, code] of failures) {
    test(`the answers ${JSON.stringify(ofIpv4)} and ${JSON.stringify(ofIpv6)} are ${code}, as people know it`, async (t) => {
      const server = await serve(t, (_name, family) => (family === 4 ? ofIpv4 : ofIpv6));
      await assert.rejects(resolve(server, 'gone.example'), { code, hostname: 'gone.example' });
    });
  }

  test('a name that cannot exist is not found', async (t) => {
    const server = await serve(t, () => 'SERVFAIL');
    await assert.rejects(resolve(server, `${'x'.repeat(64)}.example`), { code: 'ENOTFOUND' });
  });

  test('without a name server the name may be tried again', BY_ITSELF, async () => {
    const server = await DnsServer.start(() => NEVER);
    const { host } = server;
    await server[Symbol.asyncDispose]();
    await assert.rejects(promisify(nameResolver([host]))('some.example', { all: true }), { code: 'EAI_AGAIN' });
  });

  test('only the wanted family is asked for, in either spelling', async (t) => {
    const server = await serve(t, (_name, family) => addressesOf(family));
    assert.deepEqual(await resolve(server, 'a.example', { family: 4 }), [IPV4]);
    assert.deepEqual(await resolve(server, 'b.example', { family: 'IPv4' }), [IPV4]);
    assert.deepEqual(await resolve(server, 'c.example', { family: 6 }), [IPV6]);
    assert.deepEqual(await resolve(server, 'd.example', { family: 'IPv6' }), [IPV6]);
    assert.deepEqual(server.asked, ['a.example/4', 'b.example/4', 'c.example/6', 'd.example/6']);
  });

  test('IPv6 comes first only if that is asked for', async (t) => {
    const server = await serve(t, (_name, family) => addressesOf(family));
    assert.deepEqual(await resolve(server, 'a.example', { family: 0, order: 'verbatim' }), [IPV4, IPV6]);
    assert.deepEqual(await resolve(server, 'a.example', { order: 'ipv6first' }), [IPV6, IPV4]);
  });

  for (const name of ['localhost', 'nas', 'app.localhost', 'nas.local', 'nas.lan.']) {
    test(`${name} has no public address, and no name server hears of it`, async (t) => {
      const server = await serve(t, () => ['8.8.8.8']);
      assert.deepEqual(await resolve(server, name), []);
      assert.deepEqual(server.asked, []);
    });
  }

  test('private addresses count as none, and are left out next to public ones', async (t) => {
    const answers: Readonly<Record<string, readonly string[]>> = {
      'private.example/4': ['127.0.0.1', '10.0.0.1'],
      'private.example/6': ['fd00::1'],
      'mixed.example/4': ['192.168.0.1', '8.8.8.8'],
      'mixed.example/6': ['::1'],
    };
    const server = await serve(t, (name, family) => answers[`${name}/${family}`] ?? 'NXDOMAIN');
    const find = promisify(publicLookup(nameResolver([server.host])));
    for (const name of ['private.example', 'localhost', 'missing.example'])
      await assert.rejects(find(name, { all: true }), { message: `lookup ENOTFOUND ${name}` });
    assert.deepEqual(await find('mixed.example', { all: true }), [IPV4]);
    assert.equal(await find('mixed.example', {}), '8.8.8.8');
  });
});

const at = (family: 'IPv4' | 'IPv6', address: string, internal = false) => ({ family, address, internal });
const loopback = [at('IPv4', '127.0.0.1', true), at('IPv6', '::1', true)];
const machines: readonly (readonly [string, () => unknown, readonly string[]])[] = [
  ['IPv4 alone', () => [...loopback, at('IPv4', '10.0.0.2'), at('IPv6', 'fe80::1')], ['a.example/4']],
  ['IPv6 alone', () => [...loopback, at('IPv6', '2606:4700::2')], ['a.example/6']],
  ['both', () => [at('IPv4', '10.0.0.2'), at('IPv6', 'fd00::2')], ['a.example/4', 'a.example/6']],
  ['loopback alone', () => loopback, ['a.example/4', 'a.example/6']],
  [
    'interfaces that cannot be listed',
    () => {
      throw new Error('Unknown system error 97');
    },
    ['a.example/4', 'a.example/6'],
  ],
];
for (const [what, list, asked] of machines) {
  test(`a machine with ${what} asks for the addresses that it can reach`, async (t) => {
    t.mock.method(os, 'networkInterfaces', () => ({ eth0: list() }));
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const server = await serve(t, (_name, family) => addressesOf(family));
    await resolve(server, 'a.example', { hints: ADDRCONFIG });
    assert.deepEqual(server.asked.toSorted(), asked);
  });
}
