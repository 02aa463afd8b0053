import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../test/support/size.ts';
import { releaseFrom } from '../escalation/holds.ts';
import {
  acknowledgePause,
  cancelPlannedPause,
  coverPauses,
  endPause,
  findPauseEnd,
  findPlannedPause,
  listPastPauses,
  openPause,
  type PauseFacts,
  planPause,
  settlePause,
} from './pause.ts';

const NOTHING: PauseFacts = {
  pause_from: null,
  pause_until: null,
  keep_must_not_miss: true,
  unseen_pause_from: null,
  unseen_pause_until: null,
  planned_pause_from: null,
  planned_pause_until: null,
  planned_keep_must_not_miss: null,
};
const NO_QUIET_HOURS = {
  timezone: 'UTC',
  day_start: '09:00',
  quiet_hours_start: null,
  quiet_hours_end: null,
  suspended_at: null,
  ladders: null,
};

/** A moment of August. */
const day = (number: number) => new Date(Date.UTC(2026, 7, 1) + (number - 1) * 86_400_000);
const planned = (from: number, until: number, keep_must_not_miss = true) => ({
  from: day(from),
  until: day(until),
  keep_must_not_miss,
});
const open = (facts: PauseFacts, now: number, until: number, keep = true) =>
  openPause(facts, day(until), keep, day(now));
const holiday = planPause(NOTHING, planned(10, 20), day(1));

/** What the settings show on a day: the end of the running pause, the planned one, and what the card covers. */
function shownOn(facts: PauseFacts, number: number) {
  const now = day(number);
  const until = findPauseEnd(facts, now);
  const next = findPlannedPause(facts, now);
  const card = coverPauses(listPastPauses(facts, now));
  const dates = (...moments: (Date | undefined)[]) => moments.map((moment) => moment?.getUTCDate()).join('–');
  return {
    running: until ? until.getUTCDate() : null,
    planned: next && dates(next.from, next.until),
    card: card && dates(card.paused_from, card.paused_until),
  };
}

test('a planned pause is planned before its start, running from its start on, and over at its end', () => {
  assert.deepEqual(shownOn(holiday, 9), { running: null, planned: '10–20', card: null });
  assert.deepEqual(shownOn(holiday, 10), { running: 20, planned: null, card: null });
  assert.deepEqual(shownOn(holiday, 20), { running: null, planned: null, card: '10–20' });
  assert.deepEqual(shownOn(acknowledgePause(holiday, day(21)), 22), { running: null, planned: null, card: null });
});

test('a pause that is opened and ended before the planned one leaves it as it is', () => {
  const ill = open(holiday, 2, 12, false);
  assert.deepEqual(shownOn(ill, 3), { running: 12, planned: '10–20', card: null });
  const well = acknowledgePause(endPause(ill, day(5)), day(6));
  assert.deepEqual(shownOn(well, 6), { running: null, planned: '10–20', card: null });
  assert.deepEqual(shownOn(endPause(ill, day(5)), 12), { running: 20, planned: null, card: '2–5' });
});

test('a pause that is over stays as it was, and a planned one that says nothing lets through what must not be missed', () => {
  const over = open(NOTHING, 2, 5);
  assert.deepEqual(endPause(over, day(6)), over);
  assert.deepEqual(endPause(endPause(over, day(4)), day(6)).pause_until, day(4));
  const silent = { ...planPause(NOTHING, planned(10, 20, false), day(1)), planned_keep_must_not_miss: null };
  assert.equal(settlePause(silent, day(11)).keep_must_not_miss, true);
});

test('pauses that meet are one from the start of the planned one on, and end together', () => {
  for (const until of [10, 12]) {
    const both = open(holiday, 2, until);
    assert.deepEqual(shownOn(both, 11), { running: 20, planned: null, card: null });
    assert.deepEqual(shownOn(both, 25), { running: null, planned: null, card: '2–20' });
    assert.deepEqual(shownOn(endPause(both, day(15)), 16), { running: null, planned: null, card: '2–15' });
  }
});

test('a planned pause inside a longer one changes nothing, and comes back if the longer one is ended before it', () => {
  const longer = open(planPause(NOTHING, planned(10, 20, false), day(1)), 2, 30, true);
  assert.deepEqual(shownOn(longer, 15), { running: 30, planned: null, card: null });
  assert.equal(settlePause(longer, day(15)).keep_must_not_miss, true);
  assert.deepEqual(shownOn(endPause(longer, day(5)), 15), { running: 20, planned: null, card: '2–5' });
});

test('a pause can be planned while another runs, replaced, and cancelled; one that has begun is ended, not cancelled', () => {
  const second = planPause(holiday, planned(25, 28), day(12));
  assert.deepEqual(shownOn(second, 12), { running: 20, planned: '25–28', card: null });
  assert.deepEqual(shownOn(second, 29), { running: null, planned: null, card: '10–28' });
  assert.deepEqual(shownOn(planPause(holiday, planned(3, 4), day(2)), 2).planned, '3–4');
  assert.deepEqual(shownOn(cancelPlannedPause(holiday, day(9)), 15).running, null);
  assert.deepEqual(shownOn(cancelPlannedPause(holiday, day(11)), 15).running, 20);
});

type Change = (facts: PauseFacts, now: Date) => PauseFacts;

const later = fc.integer({ min: 1, max: 20 });
const daysAfter = (moment: Date, days: number) => new Date(moment.getTime() + days * 86_400_000);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(later, fc.boolean()).map(
    ([days, keep]): Change =>
      (facts, now) =>
        openPause(facts, daysAfter(now, days), keep, now),
  ),
  fc.tuple(later, later, fc.boolean()).map(
    ([start, length, keep_must_not_miss]): Change =>
      (facts, now) => {
        const from = daysAfter(now, start);
        return planPause(facts, { from, until: daysAfter(from, length), keep_must_not_miss }, now);
      },
  ),
  fc.constantFrom<Change>(endPause, acknowledgePause, cancelPlannedPause),
);

test('whatever people do, settling changes no plan, and it does not matter when it is done', () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 8 }), change), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(steps, fc.nat({ max: 30 }), fc.nat({ max: 30 }), fc.boolean(), (changes, wait, ahead, mustNotMiss) => {
      let [facts, now] = [NOTHING, day(1)];
      for (const [days, apply] of changes) {
        now = daysAfter(now, days);
        facts = apply(facts, now);
      }
      const [soon, last] = [daysAfter(now, wait / 2), daysAfter(now, wait)];
      assert.deepEqual(settlePause(settlePause(facts, soon), last), settlePause(facts, last));
      const wanted = daysAfter(last, ahead);
      const plan = (stored: PauseFacts) => releaseFrom(wanted, mustNotMiss, { ...NO_QUIET_HOURS, ...stored });
      assert.deepEqual(plan(settlePause(facts, last)), plan(facts));
      const end = findPauseEnd(facts, last);
      if (end) assert.ok(releaseFrom(last, false, { ...NO_QUIET_HOURS, ...facts }).at >= end);
    }),
    { seed: 24, numRuns: sized(2_000, 20_000) },
  );
});
