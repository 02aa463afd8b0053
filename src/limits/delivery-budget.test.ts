import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Booked, type Booking, BURST, bookDeliveries, LONGEST_WAIT_MS } from './delivery-budget.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const AT = NOW.getTime();
const PER_MINUTE = 3_000;

test('a burst goes out at once, then deliveries wait for their slice, and beyond ten minutes they are dropped', () => {
  const rows: readonly [what: string, before: Booked, kind: Booking['kind'], waitMs: number, bookedMs: number][] = [
    ['nothing is booked', { ms: 0, atMs: 0 }, 'send', 0, 1_000],
    ['the burst is used to the last slice', { ms: 10_000, atMs: AT }, 'send', 0, 11_000],
    ['one slice more', { ms: 10_020, atMs: AT }, 'wait', 20, 11_020],
    ['that slice has passed', { ms: 10_020, atMs: AT - 20 }, 'send', 0, 11_000],
    ['the longest wait', { ms: 610_000, atMs: AT }, 'wait', LONGEST_WAIT_MS, 611_000],
    ['a moment longer', { ms: 610_001, atMs: AT }, 'drop', 0, 610_001],
    ['a day later', { ms: 610_001, atMs: AT - 86_400_000 }, 'send', 0, 1_000],
    ['the clock was set back by an hour', { ms: 1_000, atMs: AT + 3_600_000 }, 'send', 0, 2_000],
  ];
  for (const [what, before, kind, waitMs, bookedMs] of rows) {
    const booking = bookDeliveries(before, 50, PER_MINUTE, NOW);
    assert.equal(booking.kind, kind, what);
    assert.deepEqual(booking.booked, { ms: bookedMs, atMs: AT }, what);
    if (booking.kind === 'wait') assert.equal(booking.until.getTime() - AT, waitMs, what);
  }
});

interface Step {
  readonly afterMs: number;
  readonly deliveries: number;
}

test('whatever an account asks for, its rate, its burst, its backlog and every wait are bounded', () => {
  const step = fc.record({ afterMs: fc.integer({ min: 0, max: 2_000 }), deliveries: fc.integer({ min: 1, max: 100 }) });
  const rate = fc.integer({ min: 60, max: 100_000 });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 300 }), rate, (steps: readonly Step[], perMinute) => {
      let [booked, nowMs, sent]: [Booked, number, number] = [{ ms: 0, atMs: 0 }, AT, 0];
      for (const { afterMs, deliveries } of steps) {
        nowMs += afterMs;
        const booking = bookDeliveries(booked, deliveries, perMinute, new Date(nowMs));
        booked = booking.booked;
        if (booking.kind === 'drop') continue;
        sent += deliveries;
        const sentAt = booking.kind === 'wait' ? booking.until.getTime() : nowMs;
        assert.ok(sentAt - nowMs <= LONGEST_WAIT_MS);
        // A slice is rounded to a millisecond per nudge.
        const allowed = BURST + deliveries + ((sentAt - AT + steps.length) * perMinute) / 60_000;
        assert.ok(sent <= allowed, `${sent} deliveries by then, ${allowed} allowed`);
      }
    }),
  );
});

test('an account within its rate never waits', () => {
  const deliveries = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(deliveries, (all) => {
      let [booked, nowMs]: [Booked, number] = [{ ms: 0, atMs: 0 }, AT];
      for (const count of all) {
        const booking = bookDeliveries(booked, count, PER_MINUTE, new Date(nowMs));
        assert.equal(booking.kind, 'send');
        booked = booking.booked;
        nowMs += (count * 60_000) / PER_MINUTE;
      }
    }),
  );
});
