import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  HEADS_UP,
  MINUTE_MS,
  minutesAfter,
  run,
  type Sent,
  TASK,
  timesOf,
} from '../../test/support/simulated-engine.ts';
import { sized } from '../../test/support/size.ts';
import { findLadderProblem } from './check-ladder.ts';
import { releaseFrom } from './holds.ts';
import type { Ladder, Rung } from './ladder.ts';
import { type HeadsUp, type NudgeTask, planNudge } from './plan-nudge.ts';
import type { PlanSettings } from './plan-settings.ts';

const SEED = 1515;

const ZONES = Intl.supportedValuesOf('timeZone');

interface Scenario {
  readonly task: NudgeTask;
  readonly settings: PlanSettings;
  readonly delays: readonly number[];
}

const clocks = fc
  .oneof(fc.nat({ max: 1439 }), fc.nat({ max: 239 }))
  .map((minutes) => Temporal.PlainTime.from('00:00').add({ minutes }).toString({ smallestUnit: 'minute' }));
const minutes = (days: number) => fc.integer({ min: -days * 1440, max: days * 1440 });
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 2 });
const zonedAt = (instant: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

/** Half of the moments are near a clock change of the zone, where errors are most likely. */
const momentsIn = (zone: string) =>
  fc
    .record({
      instant: fc.date({ min: new Date('2020-01-01T00:00Z'), max: new Date('2040-12-31T00:00Z'), noInvalidDate: true }),
      isNearChange: fc.boolean(),
      distance: minutes(1),
    })
    .map(({ instant, isNearChange, distance }) => {
      const change = isNearChange ? zonedAt(instant, zone).getTimeZoneTransition('next') : null;
      return change ? minutesAfter(new Date(change.epochMilliseconds), distance) : instant;
    });

const settingsAround = (moment: Date, timezone: string): fc.Arbitrary<PlanSettings> =>
  fc
    .record({
      day_start: clocks,
      quiet_hours_start: orNull(clocks),
      quiet_hours_end: orNull(clocks),
      keep_must_not_miss: fc.boolean(),
      planned_keep_must_not_miss: fc.boolean(),
      pause: orNull(fc.tuple(minutes(3), fc.integer({ min: 1, max: 5 * 1440 }))),
      planned: orNull(fc.tuple(fc.nat({ max: 5 * 1440 }), fc.integer({ min: 1, max: 3 * 1440 }))),
    })
    .map(({ pause, planned, ...settings }) => ({
      ...settings,
      timezone,
      suspended_at: null,
      ladders: null,
      pause_from: pause && minutesAfter(moment, pause[0]),
      pause_until: pause && minutesAfter(moment, pause[0] + pause[1]),
      ...plannedAfter(pause?.[0] ?? -1440, moment, planned),
    }));

/** A pause is planned while the other one runs or is over, so it begins later. */
const plannedAfter = (start: number, moment: Date, planned: [number, number] | null) => ({
  planned_pause_from: planned && minutesAfter(moment, start + planned[0]),
  planned_pause_until: planned && minutesAfter(moment, start + planned[0] + planned[1]),
});

const tasksAround = (moment: Date, zone: string): fc.Arbitrary<NudgeTask> =>
  fc
    .record({
      mustNotMiss: fc.boolean(),
      isAllDay: fc.boolean(),
      leadTimeDays: orNull(fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 30 }))),
      start: fc.oneof(minutes(2), minutes(40)),
      maxStage: orNull(fc.nat({ max: 2 })),
      snooze: orNull(fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 60_000 }))),
    })
    .map(({ mustNotMiss, isAllDay, leadTimeDays, start, snooze, maxStage }) => {
      const runStartedAt = minutesAfter(moment, start);
      const deferredUntil = snooze === null ? null : minutesAfter(runStartedAt, snooze);
      const due = isAllDay ? zonedAt(moment, zone).toPlainDate() : moment;
      return { ...TASK, mustNotMiss, due, leadTimeDays, runStartedAt, deferredUntil, maxStage };
    });

/** Minutes by which the engine is late; most often none. */
const engineDelays = fc.array(fc.oneof(fc.constant(0), fc.constant(0), fc.nat({ max: 30 }), fc.nat({ max: 4000 })), {
  maxLength: 12,
});

const scenariosIn = (zone: string): fc.Arbitrary<Scenario> =>
  momentsIn(zone).chain((moment) =>
    fc.record({ task: tasksAround(moment, zone), settings: settingsAround(moment, zone), delays: engineDelays }),
  );

const NUDGES = 12;

function assertInEveryZone(check: (sent: readonly Sent[], scenario: Scenario) => void): void {
  for (const [index, zone] of ZONES.entries()) {
    const property = fc.property(scenariosIn(zone), (scenario) =>
      check(run(scenario.task, scenario.settings, NUDGES, scenario.delays), scenario),
    );
    fc.assert(property, { seed: SEED + index, numRuns: sized(1, 5) });
  }
}

/** The earliest time of the first due nudge. */
function ladderStart({ task, settings }: Scenario): number {
  const { due, runStartedAt, deferredUntil } = task;
  const dueAt =
    due instanceof Temporal.PlainDate
      ? due.toZonedDateTime({ timeZone: settings.timezone, plainTime: settings.day_start }).epochMilliseconds
      : (due?.getTime() ?? Number.NEGATIVE_INFINITY);
  return Math.max(dueAt, runStartedAt.getTime(), deferredUntil?.getTime() ?? Number.NEGATIVE_INFINITY);
}

test('an open, accepted, dated, escalating task always has a next nudge, in every zone', () => {
  assertInEveryZone((sent) => assert.equal(sent.length, NUDGES));
});

test('a due nudge never comes before the due time, run start or snooze end, a heads-up never after, and neither in the past, in every zone', () => {
  assertInEveryZone((sent, scenario) => {
    const start = ladderStart(scenario);
    for (const { now, plan } of sent.flatMap(({ plans }) => plans)) {
      assert.ok(plan.at >= now, 'planned in the past');
      assert.equal(plan.at.getTime() >= start, plan.stage >= 0, `stage ${plan.stage} at ${plan.at.toISOString()}`);
    }
  });
});

/** `holds.test.ts` checks `releaseFrom` against an independent model. */
test('every nudge comes at the first moment outside of holds from its wanted time on, in every zone', () => {
  assertInEveryZone((sent, { task: { mustNotMiss }, settings }) => {
    for (const { now, plan } of sent.flatMap(({ plans }) => plans)) {
      const { at, wantedAt, holds } = plan;
      const earliest = new Date(Math.max(wantedAt.getTime(), now.getTime()));
      assert.deepEqual(releaseFrom(earliest, mustNotMiss, settings), { at, holds });
      assert.deepEqual(releaseFrom(at, mustNotMiss, settings), { at, holds: [] });
    }
  });
});

test('a heads-up whose moment has passed comes at once, or after holds, if the task is due more than an hour later, in every zone', () => {
  assertInEveryZone((sent, scenario) => {
    const { task, settings } = scenario;
    const { due, leadTimeDays, runStartedAt, deferredUntil, mustNotMiss } = task;
    const isAllDay = due instanceof Temporal.PlainDate;
    if (!due || leadTimeDays === null || deferredUntil || (isAllDay && leadTimeDays === 0)) return;
    const date = (isAllDay ? due : zonedAt(due, settings.timezone).toPlainDate()).subtract({ days: leadTimeDays });
    const moment = date.toZonedDateTime({ timeZone: settings.timezone, plainTime: settings.day_start });
    if (moment.epochMilliseconds > runStartedAt.getTime()) return;
    const { at, holds } = releaseFrom(runStartedAt, mustNotMiss, settings);
    const first = sent[0]?.plans[0]?.plan;
    const isInTime = ladderStart(scenario) - at.getTime() > 60 * MINUTE_MS;
    if (isInTime) assert.deepEqual(first, { at, holds, wantedAt: runStartedAt, stage: HEADS_UP });
    else assert.equal(first?.stage, 0);
  });
});

test('the wanted time of a due nudge follows the ladder exactly, in every zone', () => {
  assertInEveryZone((sent, scenario) => {
    const ladder = sent.filter(({ stage }) => stage >= 0);
    for (const [step, { wantedAt }] of ladder.entries()) {
      const before = ladder[step - 1];
      const wait = step < 5 ? 15 : 60;
      const expected = before ? minutesAfter(before.at, wait) : new Date(ladderStart(scenario));
      assert.equal(wantedAt.toISOString(), expected.toISOString());
    }
  });
});

test('stages never fall within a run, no step is skipped and maxStage is never exceeded, in every zone', () => {
  assertInEveryZone((sent, { task: { maxStage } }) => {
    const stages = sent.map(({ stage }) => stage);
    const headsUps = stages.filter((stage) => stage === HEADS_UP).length;
    assert.ok(headsUps <= 2, 'one heads-up for the lead time and one for the snooze');
    const ladder = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2].slice(0, NUDGES - headsUps);
    const capped = ladder.map((stage) => Math.min(stage, maxStage ?? 2));
    assert.deepEqual(stages, [...Array<number>(headsUps).fill(HEADS_UP), ...capped]);
  });
});

test('planning again before a nudge is sent gives the same nudge, in every zone', () => {
  assertInEveryZone((sent, { settings }) => {
    for (const { task, plans } of sent) {
      for (const { now, plan } of plans) {
        const moments = [0.1, 0.5, 0.99].map((part) => now.getTime() + part * (plan.at.getTime() - now.getTime()));
        const again = moments.map(
          (moment) => planNudge(task, settings, new Date(Math.floor(moment))) ?? { at: now, stage: Number.NaN },
        );
        assert.deepEqual(new Set(timesOf(again)), new Set(timesOf([plan])));
      }
    }
  });
});

test('a notify_once task gets exactly one due nudge, in every zone', () => {
  assertInEveryZone((_, { task, settings, delays }) => {
    const sent = run({ ...task, mode: 'notify_once' }, settings, NUDGES, delays);
    assert.deepEqual(
      sent.map(({ stage }) => stage).filter((stage) => stage !== HEADS_UP),
      [0],
    );
  });
});

const rungs: fc.Arbitrary<Rung> = fc.record({
  after: fc.oneof(
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 2_000 }),
    fc.constant('day_start' as const),
    clocks as fc.Arbitrary<`${number}:${number}`>,
  ),
  stage: fc.nat({ max: 2 }),
});

/** Every ladder that may be stored, for tasks that must not be missed too. */
const ladders: fc.Arbitrary<Ladder> = fc
  .record({
    rungs: fc.array(rungs, { minLength: 1, maxLength: 20 }),
    repeat: orNull(fc.record({ last: fc.integer({ min: 1, max: 19 }), times: orNull(fc.integer({ min: 1, max: 4 })) })),
  })
  .map(({ rungs: drawn, repeat }) => ({
    rungs: drawn.toSorted((a, b) => a.stage - b.stage).map((one, index) => (index === 0 ? { ...one, after: 0 } : one)),
    end:
      drawn.length === 1
        ? null
        : repeat && { repeat_last: Math.min(repeat.last, drawn.length - 1), times: repeat.times },
  }))
  .filter((ladder) => findLadderProblem(ladder, true) === undefined);

const headsUps: fc.Arbitrary<HeadsUp[]> = fc.array(
  fc.oneof(
    fc.record({ minutes: fc.integer({ min: 1, max: 1_440 }) }),
    fc.record({ hours: fc.integer({ min: 1, max: 48 }) }),
    fc.record({ days: fc.nat({ max: 5 }) }),
  ),
  { maxLength: 5 },
);

function assertClimbs(due: readonly Sent[], shortestMs: number): void {
  for (const [index, nudge] of due.slice(1).entries()) {
    const before = due[index] as Sent;
    assert.ok(nudge.at.getTime() - before.at.getTime() >= shortestMs, 'a wait is too short');
    assert.ok(nudge.stage >= before.stage, 'the stage falls');
  }
}

const lengthOf = ({ rungs, end }: Ladder): number =>
  rungs.length + (end ? end.repeat_last * (end.times ?? Number.POSITIVE_INFINITY) : 0);

test('with every ladder that may be stored and any heads-ups, waits have a shortest length, stages rise, no two heads-ups come at once, and only an end is silent', () => {
  for (const [index, zone] of ZONES.entries()) {
    const property = fc.property(
      scenariosIn(zone),
      ladders,
      headsUps,
      ({ task, settings, delays }, ladder, further) => {
        const sent = run({ ...task, ladder, headsUps: further }, settings, NUDGES, delays);
        const due = sent.filter(({ stage }) => stage !== HEADS_UP);
        const early = sent.slice(0, sent.length - due.length);
        assertClimbs(due, (task.mustNotMiss ? 1 : 5) * MINUTE_MS);
        assert.ok(
          early.every(({ stage }) => stage === HEADS_UP),
          'a heads-up comes after a due nudge',
        );
        assert.equal(new Set(early.map(({ at }) => at.getTime())).size, early.length);
        const length = task.mustNotMiss ? Number.POSITIVE_INFINITY : lengthOf(ladder);
        assert.equal(due.length, Math.min(length, NUDGES - early.length));
      },
    );
    fc.assert(property, { seed: SEED + index, numRuns: sized(1, 20) });
  }
});

test('the plan does not depend on the time zone of the process', () => {
  const scenarios = fc.sample(fc.constantFrom(...ZONES).chain(scenariosIn), { seed: SEED, numRuns: 50 });
  const own = process.env.TZ;
  const planIn = (zone: string) => {
    process.env.TZ = zone;
    const offset = new Date('2026-06-30T12:00Z').getTimezoneOffset();
    return { offset, runs: scenarios.map(({ task, settings, delays }) => timesOf(run(task, settings, 12, delays))) };
  };
  try {
    const [utc, tokyo, newYork] = [planIn('UTC'), planIn('Asia/Tokyo'), planIn('America/New_York')];
    assert.deepEqual([utc.offset, tokyo.offset, newYork.offset], [0, -540, 240]);
    assert.deepEqual(tokyo.runs, utc.runs);
    assert.deepEqual(newYork.runs, utc.runs);
  } finally {
    if (own === undefined) delete process.env.TZ;
    else process.env.TZ = own;
  }
});
