import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { releaseFrom } from '../../../src/escalation/holds.ts';
import type { Task } from '../api/client.ts';
import { findHeld, ringsInHold } from './held.ts';
import { type Holds, release } from './release.ts';

const MINUTE_MS = 60_000;
const ZONES = ['Europe/Amsterdam', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Casablanca'];

const clock = fc.integer({ min: 0, max: 95 }).map((quarter) => {
  const [hour, minute] = [Math.floor(quarter / 4), (quarter % 4) * 15];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
});
/** Around the changes of clocks of 2026, and at any other time of that year. */
const instant = fc
  .oneof(
    fc.integer({ min: 0, max: 365 * 24 * 60 }),
    ...['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-25', '2026-11-01'].map((day) => {
      const minutes = (Date.parse(day) - Date.UTC(2026, 0, 1)) / MINUTE_MS;
      return fc.integer({ min: minutes - 1_440, max: minutes + 1_440 });
    }),
  )
  .map((minutes) => Date.UTC(2026, 0, 1) + minutes * MINUTE_MS + (minutes % 7) * 1_234);
const pause = fc.option(
  fc
    .record({ from: instant, hours: fc.integer({ min: 1, max: 200 }), keepsMustNotMiss: fc.boolean() })
    .map((drawn) => ({
      from: drawn.from,
      until: drawn.from + drawn.hours * 60 * MINUTE_MS,
      keepsMustNotMiss: drawn.keepsMustNotMiss,
    })),
);

test('the app computes the end of holds as the planner of the service does', () => {
  const drawn = fc.record({
    wanted: instant,
    mustNotMiss: fc.boolean(),
    zone: fc.constantFrom(...ZONES),
    quiet: fc.option(fc.tuple(clock, clock).filter(([start, end]) => start !== end)),
    running: pause,
    planned: pause,
  });
  const date = (at: number | undefined) => (at === undefined ? null : new Date(at));
  const check = fc.property(drawn, ({ wanted, mustNotMiss, zone, quiet, running, planned }) => {
    const settings = {
      timezone: zone,
      quiet_hours_start: quiet?.[0] ?? null,
      quiet_hours_end: quiet?.[1] ?? null,
      day_start: '09:00',
      pause_from: date(running?.from),
      pause_until: date(running?.until),
      keep_must_not_miss: running?.keepsMustNotMiss ?? true,
      planned_pause_from: date(planned?.from),
      planned_pause_until: date(planned?.until),
      planned_keep_must_not_miss: planned?.keepsMustNotMiss ?? null,
      suspended_at: null,
    };
    const { at, holds } = releaseFrom(new Date(wanted), mustNotMiss, settings);
    const own = release(wanted, mustNotMiss, { zone, dayStart: '09:00', quiet, running, planned });
    assert.deepEqual([new Date(own.at).toISOString(), own.by], [at.toISOString(), holds]);
  });
  fc.assert(check, { seed: 37, numRuns: 400 });
});

const NIGHT: Holds = { zone: 'UTC', dayStart: '06:00', quiet: ['22:00', '07:00'], running: null, planned: null };
const NOW = Date.parse('2026-03-02T21:00:00Z');
const at = (time: string) => `2026-03-0${time}:00.000Z`;
const TASK = {
  status: 'open',
  accepted_by_owner: true,
  due_at: at('2T23:30'),
  has_time: true,
  deferred_until: null,
  lead_time_days: null,
  break_quiet_hours: false,
  next_fire_at: at('3T07:00'),
  last_nudge_at: null,
} as unknown as Task;

const CASES: [name: string, task: Partial<Task>, expected: [rings: string, wanted?: string] | undefined][] = [
  ['held', {}, [at('3T07:00'), at('2T23:30')]],
  ['rings anyway', { next_fire_at: at('2T23:30') }, undefined],
  ['must not be missed', { break_quiet_hours: true, next_fire_at: at('2T23:30') }, undefined],
  ['not sent yet', { next_fire_at: null }, [at('3T07:00'), at('2T23:30')]],
  ['snoozed, not sent yet', { deferred_until: at('3T01:00'), next_fire_at: null }, [at('3T07:00'), at('3T01:00')]],
  ['a heads-up comes first', { next_fire_at: at('2T21:30') }, [at('3T07:00'), at('2T23:30')]],
  ['all day, from the start of the day', { due_at: at('3T00:00'), has_time: false }, [at('3T07:00'), at('3T06:00')]],
  ['a later nudge in the night', { due_at: at('2T20:50'), last_nudge_at: at('2T21:50') }, [at('3T07:00')]],
  [
    'rang anyway before',
    { due_at: at('2T20:50'), last_nudge_at: at('2T20:50'), next_fire_at: at('2T21:05') },
    undefined,
  ],
  // Every ten minutes, or every three hours: whatever its ladder is.
  ['a nudge of any ladder', { due_at: at('2T20:50'), last_nudge_at: at('2T20:50') }, [at('3T07:00')]],
  ['a nudge of a ladder of days', { due_at: at('1T20:00'), last_nudge_at: at('2T07:00') }, undefined],
  [
    'a nudge at the start of the day',
    { due_at: at('1T20:00'), last_nudge_at: at('2T20:00'), next_fire_at: at('3T06:00') },
    undefined,
  ],
  ['due when quiet hours end', { due_at: at('3T07:00') }, undefined],
  ['later for another reason', { next_fire_at: at('3T08:00') }, [at('3T08:00'), at('2T23:30')]],
  ['closed', { status: 'done' }, undefined],
];
test('of a later nudge, what the service says counts', () => {
  const task = { ...TASK, due_at: at('2T20:50'), last_nudge_at: at('2T20:50') };
  const said = (holds: ('quiet_hours' | 'pause')[], moment = at('3T07:00')) =>
    findHeld(task, NIGHT, NOW, { at: moment, holds })?.by;
  assert.equal(said([]), undefined);
  assert.deepEqual(said(['pause', 'quiet_hours']), ['pause', 'quiet_hours']);
  assert.deepEqual(said([], at('3T06:00')), ['quiet_hours'], 'an answer of before the last change');
  // The ladder of the service begins the day when quiet hours end.
  assert.equal(findHeld(task, { ...NIGHT, dayStart: '07:00' }, NOW), undefined);
});

for (const [name, fields, expected] of CASES) {
  test(`what holds a task is said only if it explains its next nudge: ${name}`, () => {
    const held = findHeld({ ...TASK, ...fields }, NIGHT, NOW);
    const shown = held && [held.at, ...(held.wanted === undefined ? [] : [held.wanted])];
    assert.deepEqual(
      shown?.map((moment) => new Date(moment).toISOString()),
      expected,
    );
    assert.equal(ringsInHold({ ...TASK, ...fields }, NIGHT, NOW), name === 'rings anyway');
  });
}
