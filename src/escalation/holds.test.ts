import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_HOLDS } from '../../test/support/simulated-engine.ts';
import { sized } from '../../test/support/size.ts';
import { type Hold, releaseFrom, ringsAnyway } from './holds.ts';
import type { PlanSettings } from './plan-settings.ts';

const SEED = 2230;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** "22:00-07:00" in a zone. */
function quiet(hours: string, timezone = 'UTC'): PlanSettings {
  const [quiet_hours_start = null, quiet_hours_end = null] = hours.split('-');
  return { ...NO_HOLDS, timezone, quiet_hours_start, quiet_hours_end };
}

const pausedFrom = (from: string, until: string, settings = NO_HOLDS): PlanSettings => ({
  ...settings,
  pause_from: new Date(from),
  pause_until: new Date(until),
});

function expectRelease(settings: PlanSettings, wanted: string, released: string, holds: Hold[], mustNotMiss = false) {
  const { at, holds: actual } = releaseFrom(new Date(wanted), mustNotMiss, settings);
  assert.equal(at.toISOString(), new Date(released).toISOString());
  assert.deepEqual(actual, holds);
}

const expectFree = (settings: PlanSettings, wanted: string, mustNotMiss = false) =>
  expectRelease(settings, wanted, wanted, [], mustNotMiss);

const PLAIN_DAYS: [hours: string, wanted: string, released: string][] = [
  ['13:00-15:00', '2026-06-10T12:59:59.999Z', '2026-06-10T12:59:59.999Z'],
  ['13:00-15:00', '2026-06-10T13:00Z', '2026-06-10T15:00Z'],
  ['13:00-15:00', '2026-06-10T14:59:59.999Z', '2026-06-10T15:00Z'],
  ['13:00-15:00', '2026-06-10T15:00Z', '2026-06-10T15:00Z'],
  ['22:00-07:00', '2026-06-10T21:59:59.999Z', '2026-06-10T21:59:59.999Z'],
  ['22:00-07:00', '2026-06-10T22:00Z', '2026-06-11T07:00Z'],
  ['22:00-07:00', '2026-12-31T23:59:59.999Z', '2027-01-01T07:00Z'],
  ['22:00-07:00', '2026-06-11T00:00Z', '2026-06-11T07:00Z'],
  ['22:00-07:00', '2026-06-11T06:59:59.999Z', '2026-06-11T07:00Z'],
  ['22:00-07:00', '2026-06-11T07:00Z', '2026-06-11T07:00Z'],
  ['22:00-00:00', '2026-06-10T23:00Z', '2026-06-11T00:00Z'],
  ['00:00-06:00', '2026-06-10T00:00Z', '2026-06-10T06:00Z'],
  ['00:00-23:59', '2026-06-10T00:00Z', '2026-06-10T23:59Z'],
  ['00:01-00:00', '2026-06-10T00:01Z', '2026-06-11T00:00Z'],
  ['12:01-12:00', '2026-06-10T12:01Z', '2026-06-11T12:00Z'],
];
for (const [hours, wanted, released] of PLAIN_DAYS) {
  test(`quiet hours ${hours} release a nudge wanted at ${wanted} at ${released}`, () =>
    expectRelease(quiet(hours), wanted, released, wanted === released ? [] : ['quiet_hours']));
}

/** Quiet hours follow the wall clock: they end as soon as it shows a time outside of them. */
const CLOCK_CHANGES: [zone: string, hours: string, wanted: string, released: string][] = [
  // 02:00 becomes 03:00.
  ['America/New_York', '22:00-07:00', '2026-03-07T23:00-05:00', '2026-03-08T07:00-04:00'],
  ['America/New_York', '22:00-02:30', '2026-03-08T01:50-05:00', '2026-03-08T03:00-04:00'],
  ['America/New_York', '02:00-02:45', '2026-03-08T01:59-05:00', '2026-03-08T01:59-05:00'],
  ['America/New_York', '02:00-02:45', '2026-03-08T03:00-04:00', '2026-03-08T03:00-04:00'],
  ['America/New_York', '02:30-04:00', '2026-03-08T03:00-04:00', '2026-03-08T04:00-04:00'],
  ['America/New_York', '03:00-02:30', '2026-03-08T01:50-05:00', '2026-03-09T02:30-04:00'],
  // 02:00 becomes 01:00 again.
  ['America/New_York', '22:00-07:00', '2026-10-31T23:00-04:00', '2026-11-01T07:00-05:00'],
  ['America/New_York', '22:00-01:30', '2026-11-01T01:10-04:00', '2026-11-01T01:30-04:00'],
  ['America/New_York', '22:00-01:30', '2026-11-01T01:45-04:00', '2026-11-01T01:45-04:00'],
  ['America/New_York', '22:00-01:30', '2026-11-01T01:10-05:00', '2026-11-01T01:30-05:00'],
  ['America/New_York', '01:30-01:45', '2026-11-01T01:35-05:00', '2026-11-01T01:45-05:00'],
  ['America/New_York', '01:30-02:30', '2026-11-01T01:40-04:00', '2026-11-01T01:00-05:00'],
  ['America/New_York', '01:30-02:30', '2026-11-01T01:40-05:00', '2026-11-01T02:30-05:00'],
  // 01:00 becomes 02:00; in autumn 02:00 becomes 01:00 again.
  ['Europe/London', '23:00-06:30', '2026-03-28T23:30Z', '2026-03-29T06:30+01:00'],
  ['Europe/London', '23:00-01:30', '2026-03-29T00:15Z', '2026-03-29T02:00+01:00'],
  ['Europe/London', '00:30-01:30', '2026-10-25T01:15+01:00', '2026-10-25T01:30+01:00'],
  ['Europe/London', '00:30-01:30', '2026-10-25T01:15Z', '2026-10-25T01:30Z'],
  // Half an hour: 02:00 becomes 02:30; in autumn 02:00 becomes 01:30 again.
  ['Australia/Lord_Howe', '22:00-06:00', '2026-10-03T23:00+10:30', '2026-10-04T06:00+11:00'],
  ['Australia/Lord_Howe', '22:00-02:15', '2026-10-04T01:45+10:30', '2026-10-04T02:30+11:00'],
  ['Australia/Lord_Howe', '22:00-01:45', '2026-04-05T01:40+11:00', '2026-04-05T01:45+11:00'],
  ['Australia/Lord_Howe', '22:00-01:45', '2026-04-05T01:40+10:30', '2026-04-05T01:45+10:30'],
  // The 29th is followed by the 31st.
  ['Pacific/Apia', '22:00-07:00', '2011-12-29T23:30-10:00', '2011-12-31T07:00+14:00'],
  ['Pacific/Apia', '22:00-00:00', '2011-12-29T23:30-10:00', '2011-12-31T00:00+14:00'],
  ['Pacific/Apia', '09:00-17:00', '2011-12-29T10:00-10:00', '2011-12-29T17:00-10:00'],
  // Midnight becomes 01:00; in autumn midnight becomes 23:00 again.
  ['America/Sao_Paulo', '22:00-07:00', '2018-11-03T23:30-03:00', '2018-11-04T07:00-02:00'],
  ['America/Sao_Paulo', '22:00-00:00', '2018-11-03T23:30-03:00', '2018-11-04T01:00-02:00'],
  ['America/Sao_Paulo', '23:00-00:30', '2018-11-03T23:30-03:00', '2018-11-04T01:00-02:00'],
  ['America/Sao_Paulo', '00:01-00:00', '2018-11-03T12:00-03:00', '2018-11-05T00:00-02:00'],
  ['America/Sao_Paulo', '22:00-07:00', '2018-02-17T23:30-02:00', '2018-02-18T07:00-03:00'],
  ['America/Sao_Paulo', '23:30-00:00', '2018-02-17T23:40-02:00', '2018-02-17T23:00-03:00'],
];
for (const [zone, hours, wanted, released] of CLOCK_CHANGES) {
  test(`with a clock change in ${zone}, quiet hours ${hours} release a nudge wanted at ${wanted} at ${released}`, () =>
    expectRelease(quiet(hours, zone), wanted, released, wanted === released ? [] : ['quiet_hours']));
}

test('quiet hours with the same start and end hold nothing', () => {
  for (const hours of ['00:00-00:00', '07:00-07:00']) expectFree(quiet(hours), '2026-06-10T07:00Z');
});

test('quiet hours with only a start or only an end hold nothing', () => {
  expectFree({ ...NO_HOLDS, quiet_hours_start: '00:00' }, '2026-06-10T03:00Z');
  expectFree({ ...NO_HOLDS, quiet_hours_end: '23:59' }, '2026-06-10T03:00Z');
});

test('a pause includes its start and excludes its end', () => {
  const paused = pausedFrom('2026-06-10T12:00Z', '2026-06-14T12:00Z');
  expectFree(paused, '2026-06-10T11:59:59.999Z');
  expectRelease(paused, '2026-06-10T12:00Z', '2026-06-14T12:00Z', ['pause']);
  expectRelease(paused, '2026-06-14T11:59:59.999Z', '2026-06-14T12:00Z', ['pause']);
  expectFree(paused, '2026-06-14T12:00Z');
});

test('a pause with only a start or only an end holds nothing', () => {
  expectFree({ ...NO_HOLDS, pause_until: new Date('2026-06-14T12:00Z') }, '2026-06-10T12:00Z');
  expectFree({ ...NO_HOLDS, pause_from: new Date('2026-06-10T12:00Z') }, '2026-06-10T12:00Z');
});

test('after a pause that ends inside quiet hours, a nudge waits for the end of the quiet hours', () => {
  const settings = pausedFrom('2026-06-10T12:00Z', '2026-06-12T02:00Z', quiet('22:00-07:00'));
  expectRelease(settings, '2026-06-11T15:00Z', '2026-06-12T07:00Z', ['pause', 'quiet_hours']);
});

test('after quiet hours that end inside a pause, a nudge waits for the end of the pause', () => {
  const settings = pausedFrom('2026-06-11T06:00Z', '2026-06-11T12:00Z', quiet('22:00-07:00'));
  expectRelease(settings, '2026-06-10T23:00Z', '2026-06-11T12:00Z', ['quiet_hours', 'pause']);
});

test('quiet hours before and after a pause are listed once', () => {
  const settings = pausedFrom('2026-06-11T06:00Z', '2026-06-11T23:00Z', quiet('22:00-07:00'));
  expectRelease(settings, '2026-06-10T23:00Z', '2026-06-12T07:00Z', ['quiet_hours', 'pause']);
});

test('a must-not-miss task passes quiet hours', () => {
  expectFree(quiet('22:00-07:00'), '2026-06-10T23:00Z', true);
  expectFree({ ...quiet('22:00-07:00'), keep_must_not_miss: false }, '2026-06-10T23:00Z', true);
});

test('a must-not-miss task passes the pause only while the pause keeps such tasks', () => {
  const paused = pausedFrom('2026-06-10T12:00Z', '2026-06-12T02:00Z', quiet('22:00-07:00'));
  expectFree(paused, '2026-06-11T15:00Z', true);
  const strict = { ...paused, keep_must_not_miss: false };
  expectRelease(strict, '2026-06-11T15:00Z', '2026-06-12T02:00Z', ['pause'], true);
});

interface Case {
  readonly wanted: Date;
  readonly mustNotMiss: boolean;
  readonly settings: PlanSettings;
}

const ZONES = Intl.supportedValuesOf('timeZone');
const formats = new Map<string, Intl.DateTimeFormat>();

/** The minute of the day on the wall clock. Uses Intl, because the code under test uses Temporal. */
function minuteOfDay(instant: number, timeZone: string): number {
  const cached = formats.get(timeZone);
  const format = cached ?? new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
  if (!cached) formats.set(timeZone, format);
  return minutesIn(format.format(instant));
}

const minutesIn = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
const minutesFrom = (start: number, end: number) => (end - start + 1440) % 1440;

function isQuiet(instant: number, { quiet_hours_start, quiet_hours_end, timezone }: PlanSettings): boolean {
  if (quiet_hours_start === null || quiet_hours_end === null) return false;
  const start = minutesIn(quiet_hours_start);
  return minutesFrom(start, minuteOfDay(instant, timezone)) < minutesFrom(start, minutesIn(quiet_hours_end));
}

const isWithin = (instant: number, from: Date | null, until: Date | null): boolean =>
  from !== null && until !== null && instant >= from.getTime() && instant < until.getTime();

/** Whether a pause holds a must-not-miss task: the pause that ends last decides. */
function isPaused(instant: number, { mustNotMiss, settings }: Case): boolean {
  const { pause_from, pause_until, planned_pause_from, planned_pause_until } = settings;
  const running = { until: pause_until, keep: settings.keep_must_not_miss };
  const planned = { until: planned_pause_until, keep: settings.planned_keep_must_not_miss };
  const inForce = [
    ...(isWithin(instant, pause_from, pause_until) ? [running] : []),
    ...(isWithin(instant, planned_pause_from, planned_pause_until) ? [planned] : []),
  ].sort((one, other) => Number(other.until) - Number(one.until))[0];
  return inForce !== undefined && !(mustNotMiss && inForce.keep);
}

function holdsAt(instant: number, drawn: Case): Hold[] {
  const { mustNotMiss, settings } = drawn;
  const pause: Hold[] = isPaused(instant, drawn) ? ['pause'] : [];
  return !mustNotMiss && isQuiet(instant, settings) ? [...pause, 'quiet_hours'] : pause;
}

/** Half of the moments are near a clock change of the zone, where errors are most likely. */
const momentsIn = (zone: string) =>
  fc
    .record({
      instant: fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 11, 31) }),
      isNearChange: fc.boolean(),
      distance: fc.integer({ min: -30 * HOUR_MS, max: 6 * HOUR_MS }),
    })
    .map(({ instant, isNearChange, distance }) => {
      const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone);
      const change = isNearChange ? zoned.getTimeZoneTransition('next') : null;
      return new Date(change ? change.epochMilliseconds + distance : instant);
    });

const clocks = fc
  .oneof(fc.nat({ max: 1439 }), fc.nat({ max: 239 }))
  .map((minutes) => Temporal.PlainTime.from('00:00').add({ minutes }).toString({ smallestUnit: 'minute' }));

const casesIn = (zone: string): fc.Arbitrary<Case> =>
  momentsIn(zone).chain((wanted) =>
    fc.record({
      wanted: fc.constant(wanted),
      mustNotMiss: fc.nat({ max: 3 }).map((dice) => dice === 0),
      settings: fc
        .record({
          hours: fc.tuple(clocks, clocks),
          pause: fc.option(fc.tuple(fc.integer({ min: -2880, max: 2880 }), fc.integer({ min: 1, max: 5760 }))),
          planned: fc.option(fc.tuple(fc.nat({ max: 5760 }), fc.integer({ min: 1, max: 2880 }))),
          keep_must_not_miss: fc.boolean(),
          planned_keep_must_not_miss: fc.boolean(),
        })
        .map(({ hours: [quiet_hours_start, quiet_hours_end], pause, planned, ...keeps }) => {
          // A pause is planned while the other one runs or is over, so it begins later.
          const plannedFrom = (pause?.[0] ?? -2880) + (planned?.[0] ?? 0);
          const minutesLater = (minutes: number) => new Date(wanted.getTime() + minutes * MINUTE_MS);
          return {
            timezone: zone,
            quiet_hours_start,
            quiet_hours_end,
            day_start: '09:00',
            pause_from: pause && minutesLater(pause[0]),
            pause_until: pause && minutesLater(pause[0] + pause[1]),
            planned_pause_from: planned && minutesLater(plannedFrom),
            planned_pause_until: planned && minutesLater(plannedFrom + planned[1]),
            ...keeps,
            suspended_at: null,
            ladders: null,
          };
        }),
    }),
  );

function assertInEveryZone(check: (drawn: Case) => void): void {
  for (const [index, zone] of ZONES.entries()) {
    fc.assert(fc.property(casesIn(zone), check), { seed: SEED + index, numRuns: sized(2, 12) });
  }
}

test('in every zone, no nudge is released inside a hold', () => {
  assertInEveryZone((drawn) => {
    const { wanted, mustNotMiss, settings } = drawn;
    const { at } = releaseFrom(wanted, mustNotMiss, settings);
    assert.ok(at >= wanted);
    assert.deepEqual(holdsAt(at.getTime(), drawn), []);
    assert.deepEqual(releaseFrom(at, mustNotMiss, settings), { at, holds: [] });
  });
});

test('in every zone, a nudge waits only while one of the listed holds lasts', () => {
  assertInEveryZone((drawn) => {
    const { at, holds } = releaseFrom(drawn.wanted, drawn.mustNotMiss, drawn.settings);
    const moments = at > drawn.wanted ? [at.getTime() - 1] : [];
    for (let moment = drawn.wanted.getTime(); moment < at.getTime(); moment += 5 * MINUTE_MS) moments.push(moment);
    const unexplained = moments.filter((moment) => !holdsAt(moment, drawn).some((hold) => holds.includes(hold)));
    assert.deepEqual(unexplained, [], `held until ${at.toISOString()} by ${holds.join() || 'nothing'}`);
    if (moments.length === 0) assert.deepEqual(holds, []);
  });
});

test('a named moment rings for a quarter of an hour from then on', () => {
  const named = new Date('2026-06-30T20:00:00Z');
  const after = (seconds: number) => ringsAnyway(named, new Date(named.getTime() + seconds * 1_000));
  assert.deepEqual([-1, 0, 899, 900].map(after), [false, true, true, false]);
  assert.equal(ringsAnyway(null, new Date(0)), false);
});

test('quiet hours need a beginning and an end that differ', () => {
  const at = new Date('2026-06-30T22:30:00Z');
  const released = (quiet_hours_start: string | null, quiet_hours_end: string | null) =>
    releaseFrom(at, false, { ...NO_HOLDS, quiet_hours_start, quiet_hours_end }).at.toISOString();
  for (const [start, end] of [
    [null, null],
    ['22:00', null],
    [null, '07:00'],
    ['22:30', '22:30'],
  ] as const)
    assert.equal(released(start, end), at.toISOString(), `${start} ${end}`);
  assert.equal(released('22:30', '22:31'), '2026-06-30T22:31:00.000Z');
  assert.equal(released('22:31', '22:30'), at.toISOString());
  const secondsBefore = releaseFrom(new Date('2026-06-30T22:29:59.999Z'), false, {
    ...NO_HOLDS,
    quiet_hours_start: '22:30',
    quiet_hours_end: '07:00',
  });
  assert.equal(secondsBefore.at.toISOString(), '2026-06-30T22:29:59.999Z');
});

test('a pause without a say about them keeps what must not be missed', () => {
  const pause = {
    ...NO_HOLDS,
    planned_pause_from: new Date(0),
    planned_pause_until: new Date(10_000),
    planned_keep_must_not_miss: null,
  };
  assert.equal(releaseFrom(new Date(5_000), true, pause).at.getTime(), 5_000);
  assert.equal(
    releaseFrom(new Date(5_000), true, { ...pause, planned_keep_must_not_miss: false }).at.getTime(),
    10_000,
  );
});
