import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkOffset, offsetMs } from './clock-offset.ts';

const at = (ms: number) => new Date(ms);
const moment = fc.integer({ min: 0, max: 4e12 });
const span = fc.integer({ min: 0, max: 600_000 });

test('a clock read at any moment between request and answer has no offset, however long the answer took', () => {
  fc.assert(
    fc.property(moment, span, fc.double({ min: 0, max: 1, noNaN: true }), (asked, took, share) => {
      assert.equal(Math.abs(offsetMs(at(asked + Math.floor(took * share)), at(asked), at(asked + took))), 0);
    }),
  );
});

test('the offset is what lies outside that interval, positive where our clock is ahead', () => {
  fc.assert(
    fc.property(moment, span, fc.integer({ min: 1, max: 1e9 }), (asked, took, off) => {
      assert.equal(offsetMs(at(asked - off), at(asked), at(asked + took)), off);
      assert.equal(offsetMs(at(asked + took + off), at(asked), at(asked + took)), -off);
    }),
  );
});

test('half a minute is a warning and two minutes are a fault, in either direction', () => {
  const verdicts = [0, 29_999, 30_000, 119_999, 120_000, 86_400_000].map((off) => {
    const [ahead, behind] = [off, -off].map((ms) => checkOffset('x', at(1e12 - ms), at(1e12), at(1e12)).verdict);
    assert.equal(ahead, behind);
    return ahead;
  });
  assert.deepEqual(verdicts, ['ok', 'ok', 'warning', 'warning', 'fault', 'fault']);
});
