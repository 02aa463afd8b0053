import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findTierToHasten, planTiers, type TierDelivery } from './fallback.ts';

const MINUTE = 60_000;
const at = (minute: number) => new Date(minute * MINUTE);
const FRESH = { unansweredSince: null, reachedTier: null };

test('the lowest tier is used at once, each further one after the fallback minutes', () => {
  const plan = planTiers([2, 0, 0, 1], FRESH, 3, at(100));
  assert.deepEqual(
    plan.map((tier) => [tier.tier, tier.at.getTime() / MINUTE, tier.isFall]),
    [
      [0, 100, false],
      [1, 103, true],
      [2, 106, true],
    ],
  );
});

test('a later nudge does not start the clock again, and a tier that was reached stays reached', () => {
  const later = planTiers([0, 1, 2], { unansweredSince: at(100), reachedTier: null }, 3, at(102));
  assert.deepEqual(
    later.map((tier) => tier.at.getTime() / MINUTE),
    [102, 103, 106],
  );
  const reached = planTiers([0, 1, 2], { unansweredSince: null, reachedTier: 1 }, 3, at(115));
  assert.deepEqual(
    reached.map((tier) => tier.at.getTime() / MINUTE),
    [115, 115, 121],
  );
});

test('a nudge that a clock set back since has put ahead delays no tier', () => {
  assert.deepEqual(
    planTiers([0, 1], { unansweredSince: at(700), reachedTier: null }, 3, at(100)).map(({ at: due }) => due),
    [at(100), at(103)],
  );
});

test('without devices and without a channel of tier 0, the lowest tier there is waits for nothing', () => {
  assert.deepEqual(
    planTiers([3, 1], FRESH, 3, at(0)).map((tier) => tier.at.getTime() / MINUTE),
    [0, 3],
  );
  assert.deepEqual(planTiers([1], FRESH, 3, at(100)), [{ tier: 1, at: at(100), isFall: false }]);
});

test('only tiers whose lower ones have all failed are hastened', () => {
  const of = (...states: [number, TierDelivery['state']][]) =>
    findTierToHasten(states.map(([tier, state]) => ({ tier, state })));
  assert.equal(of([0, 'failed'], [1, 'waiting']), 1);
  assert.equal(of([0, 'failed'], [0, 'accepted'], [1, 'waiting']), undefined);
  assert.equal(of([0, 'failed'], [0, 'waiting'], [1, 'waiting']), undefined);
  assert.equal(of([0, 'failed'], [1, 'failed'], [2, 'waiting']), 2);
  assert.equal(of([0, 'failed'], [1, 'accepted'], [2, 'waiting']), undefined);
  assert.equal(of([0, 'failed'], [1, 'failed']), undefined);
});

/** A run as the engine plays it, minute by minute. */
interface Run {
  readonly tiers: readonly number[];
  readonly fallbackMinutes: number;
  readonly nudges: readonly number[];
  /** What becomes of each tier's deliveries: accepted, failed for good, or confirmed after some minutes. */
  readonly fate: readonly ('accepted' | 'failed' | { readonly confirmedAfter: number })[];
  readonly endsAt: number | null;
}

interface Sent {
  readonly tier: number;
  readonly minute: number;
}

const LAST_MINUTE = 90;

class Play {
  readonly #run: Run;
  readonly sent: Sent[] = [];
  answeredAt: number | null = null;
  #waiting: { readonly tier: number; due: number }[] = [];
  #deliveries: { readonly tier: number; state: TierDelivery['state'] }[] = [];
  #unansweredSince: number | null = null;
  #reachedTier: number | null = null;
  readonly #confirmations: number[] = [];

  constructor(run: Run) {
    this.#run = run;
    for (let minute = 0; minute <= LAST_MINUTE && minute !== run.endsAt; minute += 1) {
      if (this.#confirmations.includes(minute)) this.#confirm(minute);
      if (run.nudges.includes(minute)) this.#nudge(minute);
      while (this.#sendDue(minute)) this.#hasten(minute);
    }
  }

  #confirm(minute: number): void {
    this.#waiting = [];
    this.answeredAt = minute;
    this.#unansweredSince = null;
  }

  #nudge(minute: number): void {
    this.#unansweredSince ??= minute;
    const state = { unansweredSince: at(this.#unansweredSince), reachedTier: this.#reachedTier };
    const plans = planTiers(this.#run.tiers, state, this.#run.fallbackMinutes, at(minute));
    this.#waiting = plans.map((plan) => ({ tier: plan.tier, due: plan.at.getTime() / MINUTE }));
    this.#deliveries = plans.map(({ tier }) => ({ tier, state: 'waiting' }));
  }

  #sendDue(minute: number): boolean {
    const due = this.#waiting.filter((one) => one.due <= minute);
    this.#waiting = this.#waiting.filter((one) => one.due > minute);
    for (const { tier } of due) this.#send(tier, minute);
    return due.length > 0;
  }

  #send(tier: number, minute: number): void {
    this.sent.push({ tier, minute });
    this.#reachedTier = Math.max(this.#reachedTier ?? 0, tier);
    const fate = this.#run.fate[tier] ?? 'accepted';
    const delivery = this.#deliveries.find((one) => one.tier === tier);
    if (delivery) delivery.state = fate === 'failed' ? 'failed' : 'accepted';
    if (typeof fate === 'object') this.#confirmations.push(minute + fate.confirmedAfter);
  }

  #hasten(minute: number): void {
    const tier = findTierToHasten(this.#deliveries);
    for (const one of this.#waiting) if (one.tier === tier) one.due = minute;
  }
}

const fateOfTier = fc.oneof(
  fc.constant('accepted' as const),
  fc.constant('failed' as const),
  fc.record({ confirmedAfter: fc.integer({ min: 1, max: 20 }) }),
);
const run: fc.Arbitrary<Run> = fc.record({
  tiers: fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 }),
  fallbackMinutes: fc.integer({ min: 1, max: 5 }),
  nudges: fc.constantFrom([0], [0, 15], [0, 15, 30, 45], [0, 4, 15]),
  fate: fc.array(fateOfTier, { minLength: 4, maxLength: 4 }),
  endsAt: fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }),
});

test('every due nudge is confirmed, or reaches the last tier, or the task was dealt with; nothing is sent afterwards', () => {
  fc.assert(
    fc.property(run, (played) => {
      const { sent, answeredAt } = new Play(played);
      const last = Math.max(...played.tiers);
      assert.ok(sent.some(({ tier }) => tier === last) || answeredAt !== null || played.endsAt !== null);
      assert.ok(sent.every(({ minute }) => played.endsAt === null || minute < played.endsAt));
    }),
    { numRuns: 2_000 },
  );
});

test('no tier is used early: only after its minutes, or after all lower ones have failed', () => {
  fc.assert(
    fc.property(run, (played) => {
      const { sent, answeredAt } = new Play(played);
      if (answeredAt !== null) return;
      const tiers = [...played.tiers].sort((a, b) => a - b);
      for (const [rank, tier] of tiers.entries()) {
        const first = sent.find((one) => one.tier === tier)?.minute;
        if (first === undefined) continue;
        const haveLowerFailed = tiers.slice(0, rank).every((lower) => played.fate[lower] === 'failed');
        assert.ok(first >= rank * played.fallbackMinutes || haveLowerFailed, `tier ${tier} at ${first}`);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('tiers are used in their order, whatever the order of the deliveries', () => {
  const of = (tier: number, state: TierDelivery['state']) => ({ tier, state });
  assert.equal(findTierToHasten([of(10, 'waiting'), of(2, 'waiting'), of(0, 'failed')]), 2);
  assert.equal(findTierToHasten([of(2, 'waiting'), of(10, 'failed'), of(0, 'failed')]), 2);
  assert.equal(findTierToHasten([of(10, 'waiting'), of(2, 'accepted'), of(0, 'failed')]), undefined);
});
