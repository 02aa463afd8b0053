import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pairOf } from '../deliveries/leases.store.ts';
import { Places } from './places.ts';

const SHARED = 'https://shared.example';

const newPlaces = (placesPerServer: number | undefined = 4) =>
  new Places({
    placesPerServer,
    capacity: () => 100,
    send: async () => ({ kind: 'accepted' }),
    close: async () => undefined,
  });

const at = (recipientId: string, server: string | null = SHARED) => ({ recipientId, server });

/** Acts like a claim that finds a due delivery of each of these accounts. Returns the accounts it leased for. */
function claim(places: Places, due: readonly string[]) {
  const { servers, pairs } = places.except();
  const leased = due.filter(
    (owner) => !servers.includes(SHARED) && !pairs.includes(pairOf(owner, SHARED)) && places.reserve(at(owner)),
  );
  for (const owner of leased) {
    places.cancel(at(owner));
    places.occupy(at(owner));
    places.serve(at(owner));
  }
  return leased;
}

test('one account uses half of the places of a server, and two leave one for a third', () => {
  const places = newPlaces();
  assert.deepEqual(claim(places, ['ada', 'ada', 'ada', 'ada', 'bob', 'bob', 'eve', 'kim']), [
    'ada',
    'ada',
    'bob',
    'eve',
  ]);
  assert.deepEqual(places.except().servers, [SHARED]);
  assert.equal(places.reserve(at('kim', 'https://other.example')), true);
});

test('a place that was reserved and not used is free again', () => {
  const places = newPlaces(1);
  assert.deepEqual([places.reserve(at('ada')), places.reserve(at('bob'))], [true, false]);
  places.cancel(at('ada'));
  assert.equal(places.reserve(at('bob')), true);
});

test('a provider that is one server has no places per server', () => {
  const places = newPlaces(undefined);
  for (let count = 0; count < 50; count += 1) assert.equal(places.reserve(at('ada', null)), true);
  assert.equal(places.reserve(at('ada', null)), false, 'half of its capacity');
});

test('who had a place is left out while others wait, however much they have due', () => {
  const places = newPlaces(1);
  const due = ['ada', 'ada', 'ada', 'bob', 'eve'];
  const order: string[] = [];
  while (order.length < 3) {
    const [owner = ''] = claim(places, due);
    order.push(owner);
    places.startRounds();
    places.free(at(owner));
  }
  assert.deepEqual(order, ['ada', 'bob', 'eve']);
  assert.deepEqual(claim(places, due), [], 'all of them had their turn');
  assert.equal(places.startRounds(), true);
  assert.deepEqual(claim(places, due), ['ada']);
});

test('a place that is freed while a claim leaves out the full server starts no new round', () => {
  const places = newPlaces(1);
  claim(places, ['ada']);
  assert.deepEqual(claim(places, ['ada', 'bob']), []);
  places.free(at('ada'));
  assert.equal(places.startRounds(), false);
  assert.deepEqual(claim(places, ['ada', 'bob']), ['bob']);
});

test('a place that is freed while a claim is under way goes to who got none in it', () => {
  const places = newPlaces(1);
  assert.deepEqual(claim(places, ['ada', 'ada', 'bob']), ['ada']);
  places.free(at('ada'));
  assert.equal(places.startRounds(), false);
  assert.deepEqual(claim(places, ['ada', 'bob']), ['bob']);
});

test('once nothing is due, nobody is left out', () => {
  const places = newPlaces(1);
  claim(places, ['ada']);
  places.free(at('ada'));
  places.endRounds();
  assert.deepEqual(claim(places, ['ada']), ['ada']);
});

test('a provider that takes any number of pushes gets a bounded number at once: the others wait where Done cancels them', () => {
  const places = new Places({
    capacity: () => Number.POSITIVE_INFINITY,
    send: async () => ({ kind: 'accepted' }),
    close: async () => undefined,
  });
  let count = 0;
  while (count < 5_000 && places.reserve(at(count % 2 === 0 ? 'ada' : 'bob', null))) count += 1;
  assert.ok(count > 1_000 && count < 2_000, `${count} at once`);
});
