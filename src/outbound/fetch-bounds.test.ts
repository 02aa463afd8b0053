import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fetch, FetchBounds } from './fetch-bounds.ts';

const NOON = new Date('2026-03-02T12:00:00Z');
const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

const fetchOf = (address: string, replaced: Partial<Fetch> = {}): Fetch => ({
  url: new URL(address),
  userId: 'ada',
  clientId: address,
  isKnown: false,
  ...replaced,
});

/** Enters and leaves at once, up to 2,000 times. Returns how often it was let in. */
function hammer(bounds: FetchBounds, fetchNumber: (index: number) => Fetch, now = NOON): number {
  let count = 0;
  for (let index = 0; index < 2_000; index += 1) {
    const leave = bounds.enter(fetchNumber(index), now);
    leave?.();
    if (leave) count += 1;
  }
  return count;
}

const SPELLINGS = [
  'https://HOST.example',
  'https://host.example.',
  'https://host.example:8443',
  'https://host.example',
];
const invented = (index: number, userId: string) => fetchOf(`${SPELLINGS[index % 4]}/${index}`, { userId });

test('one client, one account and one host each have their bound, and the next minute is a new one', () => {
  const bounds = new FetchBounds();
  const byClient = (index: number) => fetchOf(`https://h${index}.example/`, { userId: `u${index}`, clientId: 'one' });
  assert.equal(hammer(bounds, byClient), 10);
  assert.equal(
    hammer(bounds, (index) => fetchOf(`https://i${index}.example/`)),
    20,
  );
  assert.equal(
    hammer(bounds, (index) => invented(index, `v${index}`)),
    120,
  );
  for (const now of [later(60), later(-60)]) assert.equal(hammer(bounds, byClient, now), 10);
});

test('strangers who invent addresses at a host refuse neither its known clients nor other hosts', () => {
  const bounds = new FetchBounds();
  hammer(bounds, (index) => invented(index, `stranger ${index}`));
  assert.equal(bounds.enter(fetchOf('https://host.example/new'), NOON), undefined);
  assert.ok(bounds.enter(fetchOf('https://host.example/client', { isKnown: true }), NOON));
  assert.ok(bounds.enter(fetchOf('https://other.example/client'), NOON));
});

test('one account that hammers leaves the host to others', () => {
  const bounds = new FetchBounds();
  hammer(bounds, (index) => invented(index, 'stranger'));
  assert.ok(bounds.enter(fetchOf('https://host.example/client'), NOON));
});

test('a client that hammers does not use up what the other clients of its person have', () => {
  const bounds = new FetchBounds();
  const evil = { isKnown: true, clientId: 'https://evil.example/doc' };
  hammer(bounds, (index) => fetchOf(`https://evil.example/${index}`, evil));
  assert.ok(bounds.enter(fetchOf('https://host.example/client', { isKnown: true }), NOON));
});

test('a host that hangs keeps a quarter of the places, one account an eighth, and all together not more than there are', () => {
  const bounds = new FetchBounds();
  const enter = (host: string, index: number, userId = `${host} ${index}`) =>
    bounds.enter(fetchOf(`https://${host}:${1_000 + index}/`, { userId }), NOON);
  const hang = (host: string, userId?: string) =>
    Array.from({ length: 50 }, (_, index) => enter(host, index, userId)).filter((leave) => leave !== undefined);
  assert.equal(hang('a.example').length, 16);
  assert.equal(hang('b.example', 'ada').length, 8);
  const last = [...hang('c.example'), ...hang('d.example'), ...hang('e.example')];
  assert.equal(last.length, 40);
  assert.equal(enter('f.example', 0), undefined);
  assert.ok(
    bounds.enter(fetchOf('https://f.example/', { isKnown: true }), NOON),
    'known clients have their own places',
  );
  last[0]?.();
  assert.ok(enter('f.example', 0));
});

test('a clock that was set back refuses nobody until it has caught up', () => {
  const bounds = new FetchBounds();
  const full = hammer(bounds, () => fetchOf('https://host.example'));
  assert.equal(
    hammer(bounds, () => fetchOf('https://host.example')),
    0,
  );
  assert.equal(
    hammer(bounds, () => fetchOf('https://host.example'), later(-86_400)),
    full,
  );
});
