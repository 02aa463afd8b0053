import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { KnownTokens } from '../limits/known-tokens.ts';
import { trustedProxies } from './client-address.ts';
import { queueOf } from './shed-load.ts';

const [ADA, BOB] = ['st_ada', 'pk_bob'];

function queues(trusted: false | number | string[] = false) {
  const tokens = new KnownTokens();
  tokens.remember(ADA, 'ada');
  tokens.remember('st_ada-on-her-phone', 'ada');
  tokens.remember(BOB, 'bob');
  const isTrusted = trustedProxies(trusted);
  const queue = (remoteAddress: string, headers: Record<string, string> = {}) =>
    queueOf({ headers, socket: { remoteAddress } } as unknown as IncomingMessage, tokens, isTrusted);
  return { tokens, queue };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('a token that was accepted has the queue of its account, wherever and however it is sent', () => {
  const { tokens, queue } = queues();
  const ada = queue('1.1.1.1', bearer(ADA));
  const same = [
    queue('2.2.2.2', bearer(ADA)),
    queue('1.1.1.1', { authorization: `bearer  ${ADA}` }),
    queue('1.1.1.1', bearer('st_ada-on-her-phone')),
    queue('1.1.1.1', { cookie: `a=b; crescendo-session=${ADA}` }),
    queue('1.1.1.1', { cookie: `__Host-crescendo-session=${ADA}; c=d` }),
  ];
  for (const other of same) assert.equal(other, ada);
  assert.notEqual(queue('1.1.1.1', bearer(BOB)), ada);
  tokens.forget(ADA);
  assert.equal(queue('1.1.1.1', bearer(ADA)), queue('1.1.1.1'));
});

test('everything else of one network has one queue, whatever it sends', () => {
  const { queue } = queues();
  const made = queue('1.1.1.1');
  for (let count = 0; count < 20; count += 1) {
    const headers = [
      bearer(`st_made-up-${count}`),
      { authorization: `Basic ${count}` },
      { authorization: `Bearer ${ADA} ${count}` },
      { cookie: `crescendo-session=st_made-up-${count}` },
      { cookie: `x=${count}` },
      { 'x-forwarded-for': `9.9.9.${count}` },
    ];
    for (const one of headers) assert.equal(queue('1.1.1.1', one), made, JSON.stringify(one));
  }
  assert.notEqual(queue('1.1.1.2'), made);
  assert.equal(queue('::ffff:1.1.1.1'), made);
  assert.equal(queue('2001:db8:1:2::1'), queue('2001:db8:1:2:ffff::9'));
  // A provider gives a customer up to a /48, so nobody gets a new queue for each /64 of one.
  for (let count = 0; count < 20; count += 1)
    assert.equal(queue(`2001:db8:1:${count}::1`), queue('2001:db8:1:2::1'), `${count}`);
  assert.notEqual(queue('2001:db8:2:2::1'), queue('2001:db8:1:2::1'));
  // An address is never an account.
  assert.notEqual(queue('ada'), queue('1.1.1.1', bearer(ADA)));
});

test('behind a trusted proxy the network is that of the caller, as far as trusted proxies vouch for it', () => {
  const proxy = '10.0.0.1';
  const via = (...addresses: string[]) => ({ 'x-forwarded-for': addresses.join(', ') });
  const direct = queues().queue;
  for (const trusted of [1, ['10.0.0.0/8'], ['10.0.0.1', 'fd00::/8']] as const) {
    const { queue } = queues(typeof trusted === 'number' ? trusted : [...trusted]);
    assert.equal(queue(proxy, via('1.1.1.1')), direct('1.1.1.1'));
    assert.equal(queue(`::ffff:${proxy}`, via('1.1.1.1')), direct('1.1.1.1'));
    assert.equal(queue(proxy, via('8.8.8.8', '1.1.1.1')), direct('1.1.1.1'));
    assert.equal(queue(proxy), direct(proxy));
    assert.equal(queue(proxy, via('', ' ')), direct(proxy));
  }
  const { queue } = queues(['10.0.0.0/8']);
  assert.equal(queue('1.1.1.1', via('10.0.0.2')), direct('1.1.1.1'));
  assert.equal(queue(proxy, via('1.1.1.1', '10.0.0.2')), direct('1.1.1.1'));
  assert.equal(queue(proxy, via('1.1.1.1', 'garbage', '10.0.0.2')), direct('garbage'));
});

test('tokens are remembered for some minutes, and some thousand of them', (context) => {
  const many = new KnownTokens();
  for (let count = 0; count < 25_000; count += 1) many.remember(`st_${count}`, `${count}`);
  assert.deepEqual(
    [many.accountOf('st_24999'), many.accountOf('st_10000'), many.accountOf('st_9999')],
    ['24999', '10000', undefined],
  );
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const tokens = new KnownTokens();
  tokens.remember(BOB, 'bob');
  for (const expected of ['bob', undefined]) {
    now += 6 * 60_000;
    tokens.remember(ADA, 'ada');
    assert.deepEqual([tokens.accountOf(ADA), tokens.accountOf(BOB)], ['ada', expected]);
  }
});
