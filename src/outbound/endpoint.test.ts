import assert from 'node:assert/strict';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { canonicalHost, compileAllowList, isAllowedEndpoint, lookupKindOf, lookupsByKind } from './endpoint.ts';
import type { Resolve } from './name-resolver.ts';
import { publicLookup } from './public-lookup.ts';

const HOSTS = [
  'fcm.googleapis.com',
  '*.push.apple.com',
  'updates.push.services.mozilla.com',
  '*.notify.windows.com',
  '*.example.org:8443',
  'push.lan:8090',
  '127.0.0.1:9000',
  '[::1]:9000',
  '10.0.0.5',
  '[fd00::5]',
  '93.184.216.34',
];

const ALLOWED = [
  'https://fcm.googleapis.com/fcm/send/abc:APA91',
  'https://fcm.googleapis.com:443/fcm/send/abc',
  'https://FCM.googleapis.com/fcm/send/abc',
  'https://web.push.apple.com/QGuQyavXutnMH',
  'https://a.b.push.apple.com/x',
  'https://wns2-par02p.notify.windows.com/w/?token=BQYAAAB%2bx%2f==',
  'https://a.example.org:8443/x',
  'https://93.184.216.34/x',
  'http://push.lan:8090/x',
  'https://push.lan:8090/x',
  'http://127.0.0.1:9000/x',
  'http://2130706433:9000/x',
  'http://[::1]:9000/x',
  'http://[0:0:0:0:0:0:0:1]:9000/x',
];

const REFUSED = [
  '',
  'nonsense',
  '//fcm.googleapis.com/x',
  'fcm.googleapis.com',
  // Another scheme, another port.
  'http://fcm.googleapis.com/x',
  'http://fcm.googleapis.com:443/x',
  'ftp://fcm.googleapis.com/x',
  'ws://127.0.0.1:9000/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  'blob:https://fcm.googleapis.com/x',
  'https://fcm.googleapis.com:8443/x',
  'https://fcm.googleapis.com:80/x',
  'https://a.example.org/x',
  'http://a.example.org:8443/x',
  'https://example.org:8443/x',
  'http://127.0.0.1:9001/x',
  'http://127.0.0.1/x',
  'https://push.lan/x',
  // Another host that looks like a listed one.
  'https://push.apple.com/x',
  'https://.push.apple.com/x',
  'https://a..push.apple.com/x',
  'https://evilpush.apple.com/x',
  'https://web.push.apple.com.evil.example/x',
  'https://evil.example/web.push.apple.com',
  'https://xfcm.googleapis.com/x',
  'https://evil.example#fcm.googleapis.com',
  'https://evil.example?fcm.googleapis.com',
  'https://evil.example\\@fcm.googleapis.com/x',
  'https://fcm.googleapis.com.evil.example/x',
  'https://googleapis.com/x',
  'https://a.push.lan:8090/x',
  // Credentials before the @.
  'https://fcm.googleapis.com@evil.example/x',
  'https://user@fcm.googleapis.com/x',
  'https://u:p@fcm.googleapis.com/x',
  'https://:p@fcm.googleapis.com/x',
  'http://u@127.0.0.1:9000/x',
  // A trailing dot is another name for a resolver with a search list.
  'https://fcm.googleapis.com./x',
  'https://web.push.apple.com./x',
  'http://push.lan.:8090/x',
  // Letters that look alike, and bytes that end a name in other parsers.
  'https://fсm.googleapis.com/x',
  'https://xn--fm-fmc.googleapis.com/x',
  'https://fcm.googleapis.com%00.evil.example/x',
  'https://fcm.googleapis.com%2eevil.example/x',
  'https://fcm.googleapis.com。evil.example/x',
  'https://evil%2epush.apple.com:1/x',
  // Private addresses (their other notations follow below): they are allowed only if listed with their port.
  'https://127.0.0.1/x',
  'https://10.0.0.5/x',
  'https://[fd00::5]/x',
  'https://[::1]/x',
  'https://0/x',
  'https://localhost/x',
  'https://localhost:8090/x',
  'http://[::ffff:127.0.0.1]:9000/x',
  'https://169.254.169.254/latest',
];

for (const endpoint of ALLOWED) {
  test(`${endpoint} is called`, () => assert.equal(isAllowedEndpoint(endpoint, HOSTS), true));
}
for (const endpoint of REFUSED) {
  test(`${endpoint || 'an empty endpoint'} is never called`, () =>
    assert.equal(isAllowedEndpoint(endpoint, HOSTS), false));
}

test('an empty list allows nothing', () => {
  assert.equal(isAllowedEndpoint('https://fcm.googleapis.com/x', []), false);
});

test('no text around a listed host makes another host or scheme allowed', () => {
  const names = ['fcm.googleapis.com', 'push.apple.com', 'evil.example', '127.0.0.1', '[::1]'];
  const pieces = fc.constantFrom(...names, '%2e', '%40', '443', '80', 'xn--', ...'a.@:/\\#?。[]\t *');
  const endpoints = fc
    .tuple(fc.constantFrom('https://', 'http://', 'https:', 'https:/\\', ''), fc.array(pieces, { maxLength: 8 }))
    .map(([scheme, parts]) => scheme + parts.join(''));
  fc.assert(
    fc.property(endpoints, (endpoint) => {
      if (!isAllowedEndpoint(endpoint, ['fcm.googleapis.com', '*.push.apple.com'])) return;
      const { protocol, hostname, port, username, password } = new URL(endpoint);
      assert.deepEqual(
        { protocol, port, username, password },
        { protocol: 'https:', port: '', username: '', password: '' },
      );
      assert.match(hostname, /^(fcm\.googleapis\.com|([^.]+\.)+push\.apple\.com)$/);
    }),
    { numRuns: 2_000 },
  );
});

test('a private address that is listed without a port is refused in every notation', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const spellings: readonly ((...octets: [number, number, number, number]) => string)[] = [
    (a, b, c, d) => `${a}.${b}.${c}.${d}`,
    (a, b, c, d) => `${a}.${b}.${c}.${d}.`,
    (a, b, c, d) => `0x${a.toString(16)}.0${b.toString(8)}.${c}.${d}`,
    (a, b, c, d) => `${a}.${b}.${c * 256 + d}`,
    (a, b, c, d) => `${a}.${(b * 256 + c) * 256 + d}`,
    (a, b, c, d) => String(((a * 256 + b) * 256 + c) * 256 + d),
    (a, b, c, d) => `0x${(((a * 256 + b) * 256 + c) * 256 + d).toString(16)}`,
    (a, b, c, d) => `[::ffff:${a}.${b}.${c}.${d}]`,
    (a, b, c, d) => `${a}%2e${b}%2e${c}%2e${d}`,
    (a, b, c, d) => `${a}。${b}。${c}。${d}`,
  ];
  fc.assert(
    fc.property(fc.constantFrom(10, 127), octet, octet, octet, fc.constantFrom(...spellings), (a, b, c, d, spell) => {
      const hosts = [`${a}.${b}.${c}.${d}`, `[::ffff:${a}.${b}.${c}.${d}]`];
      assert.equal(isAllowedEndpoint(`https://${spell(a, b, c, d)}/x`, hosts), false);
    }),
    { numRuns: 500 },
  );
});

const resolving = (...addresses: readonly string[]): Resolve & { calls: number } => {
  const resolve = (_hostname: string, _options: unknown, done: Parameters<Resolve>[2]) => {
    resolve.calls += 1;
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  resolve.calls = 0;
  return resolve;
};

test('only the public addresses of a name are used, and the name is resolved once', async () => {
  const resolve = resolving('127.0.0.1', '8.8.8.8', 'fd00::1', '2606:4700::1');
  const found = await new Promise((done) => {
    publicLookup(resolve)('push.example', { all: true }, (_error, addresses) => done(addresses));
  });
  assert.deepEqual(found, [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1', family: 6 },
  ]);
  assert.equal(resolve.calls, 1);
});

test('a lookup for one address returns the first public one', async () => {
  const lookup = publicLookup(resolving('10.0.0.1', '8.8.4.4'));
  const found = await new Promise((done) => {
    lookup('push.example', {}, (error, address, family) => done([error, address, family]));
  });
  assert.deepEqual(found, [null, '8.8.4.4', 4]);
});

for (const addresses of [['127.0.0.1'], ['169.254.169.254', '::1'], ['::ffff:10.0.0.1'], []]) {
  test(`a name that resolves to ${addresses.join(' and ') || 'no address'} fails like a name that does not exist, and the operator is told`, async () => {
    const told: string[] = [];
    const lookup = promisify(publicLookup(resolving(...addresses), (host) => told.push(host)));
    const unknown = { code: 'ENOTFOUND', message: 'lookup ENOTFOUND push.example' };
    await assert.rejects(lookup('push.example', { all: true }), unknown);
    assert.deepEqual(told, ['push.example']);
  });
}

test('a name that cannot be resolved is not refused: the error is passed on', async () => {
  const failing: Resolve = (_hostname, _options, done) =>
    done(Object.assign(new Error('No.'), { code: 'EAI_AGAIN' }), []);
  await assert.rejects(promisify(publicLookup(failing))('push.example', {}), { code: 'EAI_AGAIN' });
});

/** How many calls of `dns.lookup` are under way. */
const lookupsInPool = () => process.getActiveResourcesInfo().filter((kind) => kind === 'GetAddrInfoReqWrap').length;

async function usesThreadPool(endpoint: string, ...hosts: readonly string[]): Promise<boolean> {
  const allowed = compileAllowList(hosts)(endpoint);
  assert.ok(allowed);
  const lookup = lookupsByKind()[lookupKindOf(allowed)];
  assert.ok(lookup);
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = lookupsInPool();
  lookup(allowed.url.hostname, { all: true }, () => resolve());
  const isUsed = lookupsInPool() > before;
  await promise;
  return isUsed;
}

test('only a name that the operator listed is looked up in the thread pool', async () => {
  assert.equal(await usesThreadPool('https://localhost/', '*', 'localhost'), true);
  assert.equal(await usesThreadPool('https://localhost/', '*'), false);
  assert.equal(await usesThreadPool('https://push.localhost/', '*.localhost', 'localhost'), false);
  assert.equal(await usesThreadPool('https://localhost/', '*', '*.localhost'), false);
});

test('a host that is listed with its port is looked up as Node.js does', () => {
  const endpoint = compileAllowList(['*', 'ntfy.lan:8090'])('http://ntfy.lan:8090/');
  assert.ok(endpoint);
  assert.equal(lookupsByKind()[lookupKindOf(endpoint)], undefined);
});

test('one host has one text, whatever its case, its port and the dots at its end', () => {
  for (const url of ['https://a.example/x', 'https://A.EXAMPLE:8443', 'http://a.example.', 'https://a.example..:1/y'])
    assert.equal(canonicalHost(new URL(url)), 'a.example', url);
});
