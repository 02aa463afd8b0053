import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfId, idFromWords, isEndOfId, isUuid, lowestIdAt, newId, withAscendingIds } from './ids.ts';

/** What the clock of ids says: other tests of this process may have replaced the one of dates. */
const momentOf = (id: string): number => Number.parseInt(id.slice(0, 13).replace('-', ''), 16);

test('items that get ids together keep their order when they are sorted by them', () => {
  const items = Array.from({ length: 50 }, (_, index) => index);
  const withIds = withAscendingIds(items);
  assert.deepEqual(
    withIds.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item),
    items,
  );
});

test('items that get ids after another one come after it, even in the same millisecond or by an earlier clock', () => {
  for (let last = newId(), count = 0; count < 200; count += 1) {
    const ids = withAscendingIds(['one', 'another'], last).map(([id]) => id);
    assert.deepEqual([last, ...ids], [last, ...ids].sort());
    assert.equal(new Set([last, ...ids]).size, 3);
    last = ids.at(-1) ?? '';
  }
  const later = lowestIdAt(new Date(momentOf(newId()) + 60_000));
  assert.equal(withAscendingIds(['one'], later)[0]?.[0], later.replace(/0$/, '1'));
});

test('every id of a moment or later is higher than the lowest one of that moment, and earlier ones are lower', () => {
  const at = Date.parse('2026-03-02T09:00:00Z');
  const idAt = (ms: number, rest: string) => {
    const hex = ms.toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}-${rest}`;
  };
  const lowest = lowestIdAt(new Date(at));
  for (const ms of [at, at + 1]) assert.ok(lowest <= idAt(ms, '7000-8000-000000000000'));
  assert.ok(lowest > idAt(at - 1, '7fff-bfff-ffffffffffff'));
  assert.ok(isUuid(lowest) && isUuid(newId()));
});

test('the lowest id of any moment is an id: of the first one, of one before it, and of a late one', () => {
  for (const moment of [0, -5, Date.UTC(9999, 0)]) assert.ok(isUuid(lowestIdAt(new Date(moment))));
  assert.equal(lowestIdAt(new Date(-5)), lowestIdAt(new Date(0)));
});

test('the same words give the same id, others another, and an id is known by its end', () => {
  assert.equal(idFromWords('fell_back', 'a', 'b'), idFromWords('fell_back', 'a', 'b'));
  assert.notEqual(idFromWords('ab', 'c'), idFromWords('a', 'bc'));
  const id = idFromWords('a');
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([isUuid(id), isUuid(`${id}0`), isUuid('')], [true, false, false]);
  assert.deepEqual([endOfId(id).length, isEndOfId(endOfId(id)), isEndOfId(id)], [8, true, false]);
});
