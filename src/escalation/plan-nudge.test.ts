import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { afterNudge, forecast } from './forecast.ts';
import { releaseFrom } from './holds.ts';
import { type NudgeSettings, type NudgeTask, type PlannedNudge, planNudge } from './plan-nudge.ts';

const SEED = 1515;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const HEADS_UP = -1;

const SETTINGS: NudgeSettings = {
  timezone: 'Asia/Kolkata',
  dayStart: '09:00',
  quietHoursStart: null,
  quietHoursEnd: null,
  pausedFrom: null,
  pausedUntil: null,
  keepMustNotMiss: true,
};
const QUIET_AT_NIGHT: NudgeSettings = { ...SETTINGS, quietHoursStart: '22:00', quietHoursEnd: '07:00' };

const DUE = local('2026-06-30T17:00');
const DUE_DATE = Temporal.PlainDate.from('2026-06-30');

/** An accepted, open task of the first of May, due at the end of June. */
const TASK: NudgeTask = {
  isOpen: true,
  isAccepted: true,
  mode: 'escalate',
  mustNotMiss: false,
  due: DUE,
  leadTimeDays: null,
  deferredUntil: null,
  runStartedAt: local('2026-05-01T12:00'),
  step: 0,
  lastNudgeAt: null,
  headsUpAt: null,
};

/** Kolkata's clock never changes, so that the arithmetic of the tables can be done by hand. */
function local(wall: string): Date {
  return new Date(`${wall}+05:30`);
}

const minutesAfter = (start: Date, minutes: number) => new Date(start.getTime() + minutes * MINUTE_MS);

interface Sent extends PlannedNudge {
  /** The task as it was before. */
  readonly task: NudgeTask;
  /** Each time that it was planned: after the nudge before, and as the engine woke up for it. */
  readonly plans: readonly { readonly now: Date; readonly plan: PlannedNudge }[];
}

/** Sends nudges one after another; each time the engine wakes up `delays` minutes late, and plans again. */
function run(task: NudgeTask, settings: NudgeSettings, count: number, delays: readonly number[] = []): Sent[] {
  const sent: Sent[] = [];
  let [current, now] = [task, task.runStartedAt];
  while (sent.length < count) {
    const plan = planNudge(current, settings, now);
    if (!plan) break;
    const wokenAt = minutesAfter(plan.at, delays[sent.length] ?? 0);
    const nudge = planNudge(current, settings, wokenAt);
    assert.ok(nudge, 'a planned nudge vanished while the engine slept');
    const plans = [
      { now, plan },
      { now: wokenAt, plan: nudge },
    ];
    sent.push({ ...nudge, task: current, plans });
    [current, now] = [afterNudge(current, nudge), nudge.at];
  }
  return sent;
}

type Expected = [at: Date, stage: number];

const timesOf = (sent: readonly Pick<PlannedNudge, 'at' | 'stage'>[]) =>
  sent.map(({ at, stage }) => `${at.toISOString()} stage ${stage}`);

function expectRun(task: NudgeTask, settings: NudgeSettings, expected: readonly Expected[]): void {
  const sent = run(task, settings, expected.length);
  assert.deepEqual(timesOf(sent), timesOf(expected.map(([at, stage]) => ({ at, stage }))));
}

const expectSilence = (task: NudgeTask, settings = SETTINGS, now = task.runStartedAt) =>
  assert.equal(planNudge(task, settings, now), null);

/** The ladder's table as the design has it: minutes after step 0, and stage. */
const LADDER = [
  [0, 0],
  [15, 1],
  [30, 1],
  [45, 1],
  [60, 2],
  [120, 2],
  [180, 2],
  [240, 2],
] as const;
const ladderFrom = (start: Date): Expected[] => LADDER.map(([minutes, stage]) => [minutesAfter(start, minutes), stage]);

const AFTER_STEP: [step: number, wait: number, stage: number][] = [
  [1, 15, 1],
  [2, 15, 1],
  [3, 15, 1],
  [4, 15, 2],
  [5, 60, 2],
  [6, 60, 2],
  [100, 60, 2],
  [10_000, 60, 2],
];
for (const [step, wait, stage] of AFTER_STEP) {
  test(`after ${step} due nudges the next comes ${wait} minutes later at stage ${stage}`, () => {
    const lastNudgeAt = local('2026-07-04T12:34:56.789');
    const planned = planNudge({ ...TASK, step, lastNudgeAt }, SETTINGS, lastNudgeAt);
    const at = minutesAfter(lastNudgeAt, wait);
    assert.deepEqual(planned, { at, wantedAt: at, stage, holds: [] });
  });
}

test('a task with a time climbs the ladder from the moment it is due', () => {
  expectRun(TASK, SETTINGS, ladderFrom(DUE));
});

test('a task without a time climbs the ladder from the start of its day', () => {
  expectRun({ ...TASK, due: DUE_DATE }, SETTINGS, ladderFrom(local('2026-06-30T09:00')));
  expectRun({ ...TASK, due: DUE_DATE }, { ...SETTINGS, dayStart: '00:00' }, ladderFrom(local('2026-06-30T00:00')));
});

test('a day that starts inside a skipped hour or a skipped day starts later, never not at all', () => {
  const apia = { ...SETTINGS, timezone: 'Pacific/Apia' };
  const task = { ...TASK, runStartedAt: new Date('2011-01-01T00:00Z') };
  const skipped = { ...task, due: Temporal.PlainDate.from('2011-12-30') };
  expectRun(skipped, apia, ladderFrom(new Date('2011-12-31T09:00+14:00')));
  const saoPaulo = { ...SETTINGS, timezone: 'America/Sao_Paulo', dayStart: '00:00' };
  const summer = { ...task, due: Temporal.PlainDate.from('2018-11-04') };
  expectRun(summer, saoPaulo, ladderFrom(new Date('2018-11-04T01:00-02:00')));
});

for (let days = 0; days <= 30; days += 1) {
  const morning = new Date(local('2026-06-30T09:00').getTime() - days * DAY_MS);

  test(`a task with a time and ${days} days of lead has its heads-up that many mornings before`, () => {
    expectRun({ ...TASK, leadTimeDays: days }, SETTINGS, [[morning, HEADS_UP], ...ladderFrom(DUE)]);
  });

  test(`a task without a time and ${days} days of lead has ${days === 0 ? 'no heads-up' : 'its heads-up too'}`, () => {
    const headsUp: Expected[] = days === 0 ? [] : [[morning, HEADS_UP]];
    const task = { ...TASK, due: DUE_DATE, leadTimeDays: days };
    expectRun(task, SETTINGS, [...headsUp, ...ladderFrom(local('2026-06-30T09:00'))]);
  });
}

const NEW_YORK = { ...SETTINGS, timezone: 'America/New_York' };
const HEADS_UPS_IN_NEW_YORK: [why: string, due: string, leadTimeDays: number, headsUp: string][] = [
  ['keeps to the wall clock over a change of it', '2026-03-09T17:00-04:00', 2, '2026-03-07T09:00-05:00'],
  ['keeps to the wall clock as it is set back', '2026-11-02T17:00-05:00', 30, '2026-10-03T09:00-04:00'],
  ['counts from the local date, not from that of UTC', '2026-06-10T02:00Z', 0, '2026-06-09T09:00-04:00'],
];
for (const [why, due, leadTimeDays, headsUp] of HEADS_UPS_IN_NEW_YORK) {
  test(`a heads-up ${why}`, () => {
    const task = { ...TASK, due: new Date(due), leadTimeDays, runStartedAt: new Date('2026-01-01T00:00Z') };
    expectRun(task, NEW_YORK, [[new Date(headsUp), HEADS_UP], ...ladderFrom(new Date(due))]);
  });
}

test('a task that is due before its day starts has no heads-up that morning', () => {
  const due = local('2026-06-30T08:00');
  expectRun({ ...TASK, due, leadTimeDays: 0 }, SETTINGS, ladderFrom(due));
});

test('a task without a time has no heads-up on its own day, even when it is snoozed past it', () => {
  const deferredUntil = local('2026-07-02T12:00');
  const runStartedAt = local('2026-06-29T12:00');
  const task = { ...TASK, due: DUE_DATE, leadTimeDays: 0, deferredUntil, runStartedAt };
  expectRun(task, SETTINGS, ladderFrom(deferredUntil));
});

test('a heads-up that is past when the task is made is dropped', () => {
  const task = { ...TASK, leadTimeDays: 3, runStartedAt: local('2026-06-27T09:00:00.001') };
  expectRun(task, SETTINGS, ladderFrom(DUE));
});

test('a heads-up still held when the task falls due is dropped', () => {
  const paused = { ...SETTINGS, pausedFrom: local('2026-06-29T12:00'), pausedUntil: local('2026-06-30T18:00') };
  expectRun({ ...TASK, leadTimeDays: 0 }, paused, ladderFrom(local('2026-06-30T18:00')));
  const untilDue = { ...paused, pausedUntil: DUE };
  expectRun({ ...TASK, leadTimeDays: 0 }, untilDue, ladderFrom(DUE));
});

test('a held heads-up comes as soon as it is free, if the task is not due yet', () => {
  const pausedUntil = local('2026-06-30T16:59');
  const paused = { ...SETTINGS, pausedFrom: local('2026-06-29T12:00'), pausedUntil };
  expectRun({ ...TASK, leadTimeDays: 0 }, paused, [[pausedUntil, HEADS_UP], ...ladderFrom(DUE)]);
  assert.deepEqual(planNudge({ ...TASK, leadTimeDays: 0 }, paused, TASK.runStartedAt), {
    at: pausedUntil,
    wantedAt: local('2026-06-30T09:00'),
    stage: HEADS_UP,
    holds: ['pause'],
  });
});

test('a task in mode notify_once has its heads-up and one due nudge, and then rests', () => {
  const once = { ...TASK, mode: 'notify_once', leadTimeDays: 1 };
  const sent = run(once, SETTINGS, 12);
  const morning = local('2026-06-29T09:00');
  assert.deepEqual(timesOf(sent), [`${morning.toISOString()} stage -1`, `${DUE.toISOString()} stage 0`]);
});

test('a snoozed notify_once task comes once more', () => {
  const deferredUntil = local('2026-07-02T10:00');
  const once = { ...TASK, mode: 'notify_once', deferredUntil, runStartedAt: local('2026-06-30T17:05') };
  assert.deepEqual(timesOf(run(once, SETTINGS, 12)), [`${deferredUntil.toISOString()} stage 0`]);
});

test('a task without a due date is never nudged', () => {
  for (const mode of ['escalate', 'notify_once']) {
    expectSilence({ ...TASK, mode, due: null });
    expectSilence({ ...TASK, mode, due: null, leadTimeDays: 0 });
    expectSilence({ ...TASK, mode, due: null, step: 3, lastNudgeAt: DUE });
  }
});

test('a snooze without a due date is where the ladder begins', () => {
  const deferredUntil = local('2026-05-03T08:15');
  expectRun({ ...TASK, due: null, leadTimeDays: 5, deferredUntil }, SETTINGS, ladderFrom(deferredUntil));
});

test('a snooze to before the due moment gives one more heads-up then, and the ladder at due', () => {
  const deferredUntil = local('2026-06-12T10:00');
  const snoozed = { ...TASK, deferredUntil, runStartedAt: local('2026-06-11T10:00') };
  expectRun(snoozed, SETTINGS, [[deferredUntil, HEADS_UP], ...ladderFrom(DUE)]);
  const [ownHeadsUp, ladder] = [local('2026-06-28T09:00'), ladderFrom(DUE)];
  const withLead = { ...snoozed, leadTimeDays: 2 };
  expectRun(withLead, SETTINGS, [[deferredUntil, HEADS_UP], [ownHeadsUp, HEADS_UP], ...ladder]);
});

test('a snooze to the due moment or later begins the ladder there, without a heads-up', () => {
  for (const deferredUntil of [DUE, minutesAfter(DUE, 1), local('2026-07-12T03:00')]) {
    const runStartedAt = local('2026-06-30T16:00');
    expectRun({ ...TASK, deferredUntil, runStartedAt }, SETTINGS, ladderFrom(deferredUntil));
  }
});

test('a snoozed task keeps quiet until its snooze is over, also about what it would have announced', () => {
  const runStartedAt = local('2026-06-29T10:00');
  for (const deferredUntil of [local('2026-07-02T08:00'), local('2026-06-30T12:00')]) {
    const snoozed = { ...TASK, leadTimeDays: 0, runStartedAt, deferredUntil };
    const first = planNudge(snoozed, SETTINGS, runStartedAt);
    assert.deepEqual(first?.at, deferredUntil);
  }
});

test('a snooze of a task that is already due begins the ladder anew at its end', () => {
  const [runStartedAt, deferredUntil] = [local('2026-07-01T12:00'), local('2026-07-01T13:00')];
  for (const due of [DUE, DUE_DATE]) {
    expectRun({ ...TASK, due, deferredUntil, runStartedAt }, SETTINGS, ladderFrom(deferredUntil));
  }
});

test('a task that is overdue when it is made is nudged at once, from the foot of the ladder', () => {
  const runStartedAt = local('2026-09-09T09:09');
  expectRun({ ...TASK, leadTimeDays: 2, runStartedAt }, SETTINGS, ladderFrom(runStartedAt));
  expectRun({ ...TASK, due: DUE_DATE, leadTimeDays: 2, runStartedAt }, SETTINGS, ladderFrom(runStartedAt));
});

test('a request is silent until it is accepted, and then begins at the later of acceptance and due', () => {
  const request = { ...TASK, isAccepted: false, leadTimeDays: 1 };
  expectSilence(request);
  expectSilence(request, SETTINGS, minutesAfter(DUE, 600));
  const acceptedLate = { ...TASK, runStartedAt: minutesAfter(DUE, 5) };
  expectRun(acceptedLate, SETTINGS, ladderFrom(minutesAfter(DUE, 5)));
  const acceptedEarly = { ...TASK, runStartedAt: minutesAfter(DUE, -5) };
  expectRun(acceptedEarly, SETTINGS, ladderFrom(DUE));
});

test('a closed task is never nudged, wherever on the ladder it stood', () => {
  for (const [step, deferredUntil] of [
    [0, null],
    [0, minutesAfter(DUE, 60)],
    [1, null],
    [7, null],
  ] as const) {
    const closed = { ...TASK, isOpen: false, leadTimeDays: 1, step, deferredUntil, lastNudgeAt: step > 0 ? DUE : null };
    expectSilence(closed);
    expectSilence(closed, SETTINGS, minutesAfter(DUE, 10_000));
  }
});

test('after an outage there is one nudge at once, and the ladder goes on from it without a burst', () => {
  const threeDays = 3 * 24 * 60;
  const start = minutesAfter(DUE, threeDays);
  assert.deepEqual(timesOf(run(TASK, SETTINGS, 3, [threeDays])), timesOf(run({ ...TASK, due: start }, SETTINGS, 3)));
  const sent = run(TASK, SETTINGS, 8, [0, 0, threeDays]);
  const minutes = sent.map(({ at }) => (at.getTime() - DUE.getTime()) / MINUTE_MS);
  assert.deepEqual(
    minutes,
    [0, 15, 30, 45, 60, 120, 180, 240].map((minute, step) => (step < 2 ? minute : minute + threeDays)),
  );
  const stages = sent.map(({ stage }) => stage);
  assert.deepEqual(stages, [0, 1, 1, 1, 2, 2, 2, 2]);
});

test('what an outage kept back past due is the due nudge alone, without its heads-up', () => {
  const deferredUntil = local('2026-06-20T10:00');
  const [first, second] = run({ ...TASK, deferredUntil, leadTimeDays: 2 }, SETTINGS, 2, [15 * 24 * 60]);
  assert.deepEqual([first?.stage, first?.at, first?.wantedAt], [0, minutesAfter(deferredUntil, 15 * 24 * 60), DUE]);
  assert.equal(second?.stage, 1);
});

test('two heads-ups that an outage kept back come as one', () => {
  const back = local('2026-06-29T12:00');
  const missed = { ...TASK, deferredUntil: local('2026-06-20T10:00'), leadTimeDays: 2 };
  const headsUp = planNudge(missed, SETTINGS, back);
  assert.ok(headsUp);
  assert.deepEqual([headsUp.at, headsUp.stage], [back, HEADS_UP]);
  assert.equal(planNudge(afterNudge(missed, headsUp), SETTINGS, back)?.at.getTime(), DUE.getTime());
});

test('an outage that ends inside quiet hours lets nothing go before they end', () => {
  const planned = planNudge(TASK, QUIET_AT_NIGHT, local('2026-07-02T23:30'));
  assert.deepEqual(planned, { at: local('2026-07-03T07:00'), wantedAt: DUE, stage: 0, holds: ['quiet_hours'] });
});

test('a held nudge waits at its step, and the ladder goes on from where it was let go', () => {
  const due = local('2026-06-30T21:50');
  const morning = local('2026-07-01T07:00');
  const held = planNudge({ ...TASK, due, step: 1, lastNudgeAt: due }, QUIET_AT_NIGHT, due);
  assert.deepEqual(held, { at: morning, wantedAt: minutesAfter(due, 15), stage: 1, holds: ['quiet_hours'] });
  expectRun({ ...TASK, due }, QUIET_AT_NIGHT, [
    [due, 0],
    [morning, 1],
    [minutesAfter(morning, 15), 1],
    [minutesAfter(morning, 30), 1],
    [minutesAfter(morning, 45), 2],
    [minutesAfter(morning, 105), 2],
  ]);
});

test('a must-not-miss task climbs through the night, and through a pause that keeps such tasks', () => {
  const due = local('2026-06-30T21:50');
  const paused = { ...QUIET_AT_NIGHT, pausedFrom: TASK.runStartedAt, pausedUntil: local('2026-07-04T00:00') };
  const task = { ...TASK, due, mustNotMiss: true };
  expectRun(task, paused, ladderFrom(due));
  expectRun(task, { ...paused, keepMustNotMiss: false }, ladderFrom(paused.pausedUntil));
});

test('a task whose day comes to start later than its last nudge waits for that day, and goes on from its step', () => {
  const lastNudgeAt = local('2026-06-30T09:00');
  const begun = { ...TASK, due: DUE_DATE, step: 1, lastNudgeAt };
  const later = planNudge(begun, { ...SETTINGS, dayStart: '18:00' }, lastNudgeAt);
  assert.deepEqual([later?.at, later?.stage], [local('2026-06-30T18:00'), 1]);
  const moved = planNudge(begun, { ...SETTINGS, timezone: 'America/New_York' }, lastNudgeAt);
  assert.deepEqual([moved?.at, moved?.stage], [new Date('2026-06-30T09:00-04:00'), 1]);
});

const ZONES = Intl.supportedValuesOf('timeZone');

interface Scenario {
  readonly task: NudgeTask;
  readonly settings: NudgeSettings;
  readonly delays: readonly number[];
}

const clocks = fc
  .oneof(fc.nat({ max: 1439 }), fc.nat({ max: 239 }))
  .map((minutes) => Temporal.PlainTime.from('00:00').add({ minutes }).toString({ smallestUnit: 'minute' }));
const minutes = (days: number) => fc.integer({ min: -days * 1440, max: days * 1440 });
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 2 });
const zonedAt = (instant: Date, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

/** Half of the moments lie around a change of the zone's clock, where mistakes live. */
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

const settingsAround = (moment: Date, timezone: string): fc.Arbitrary<NudgeSettings> =>
  fc
    .record({
      dayStart: clocks,
      quietHoursStart: orNull(clocks),
      quietHoursEnd: orNull(clocks),
      keepMustNotMiss: fc.boolean(),
      pause: orNull(fc.tuple(minutes(3), fc.integer({ min: 1, max: 5 * 1440 }))),
    })
    .map(({ pause, ...settings }) => ({
      ...settings,
      timezone,
      pausedFrom: pause && minutesAfter(moment, pause[0]),
      pausedUntil: pause && minutesAfter(moment, pause[0] + pause[1]),
    }));

const tasksAround = (moment: Date, zone: string): fc.Arbitrary<NudgeTask> =>
  fc
    .record({
      mustNotMiss: fc.boolean(),
      isAllDay: fc.boolean(),
      leadTimeDays: orNull(fc.oneof(fc.nat({ max: 2 }), fc.nat({ max: 30 }))),
      start: fc.oneof(minutes(2), minutes(40)),
      snooze: orNull(fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 60_000 }))),
    })
    .map(({ mustNotMiss, isAllDay, leadTimeDays, start, snooze }) => {
      const runStartedAt = minutesAfter(moment, start);
      const deferredUntil = snooze === null ? null : minutesAfter(runStartedAt, snooze);
      const due = isAllDay ? zonedAt(moment, zone).toPlainDate() : moment;
      return { ...TASK, mustNotMiss, due, leadTimeDays, runStartedAt, deferredUntil };
    });

/** Mostly the engine is on time. */
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
    fc.assert(property, { seed: SEED + index, numRuns: 5 });
  }
}

/** The earliest moment of step 0. */
function ladderStart({ task, settings }: Scenario): number {
  const { due, runStartedAt, deferredUntil } = task;
  const dueAt =
    due instanceof Temporal.PlainDate
      ? due.toZonedDateTime({ timeZone: settings.timezone, plainTime: settings.dayStart }).epochMilliseconds
      : (due?.getTime() ?? Number.NEGATIVE_INFINITY);
  return Math.max(dueAt, runStartedAt.getTime(), deferredUntil?.getTime() ?? Number.NEGATIVE_INFINITY);
}

test('an open, accepted, dated, escalating task always has a next nudge, in every zone', () => {
  assertInEveryZone((sent) => assert.equal(sent.length, NUDGES));
});

test('no due nudge comes before due, run start or snooze, no heads-up after, and none in the past, in every zone', () => {
  assertInEveryZone((sent, scenario) => {
    const start = ladderStart(scenario);
    for (const { now, plan } of sent.flatMap(({ plans }) => plans)) {
      assert.ok(plan.at >= now, 'planned in the past');
      assert.equal(plan.at.getTime() >= start, plan.stage >= 0, `stage ${plan.stage} at ${plan.at.toISOString()}`);
    }
  });
});

/** `holds.test.ts` holds `releaseFrom` against a model of its own. */
test('every nudge comes at the first free moment from when it is wanted, in every zone', () => {
  assertInEveryZone((sent, { task: { mustNotMiss }, settings }) => {
    for (const { now, plan } of sent.flatMap(({ plans }) => plans)) {
      const { at, wantedAt, holds } = plan;
      const earliest = new Date(Math.max(wantedAt.getTime(), now.getTime()));
      assert.deepEqual(releaseFrom(earliest, mustNotMiss, settings), { at, holds });
      assert.deepEqual(releaseFrom(at, mustNotMiss, settings), { at, holds: [] });
    }
  });
});

test('a due nudge is wanted exactly when the ladder says, in every zone', () => {
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

test('stages never fall within a run and no step is left out, in every zone', () => {
  assertInEveryZone((sent) => {
    const stages = sent.map(({ stage }) => stage);
    const headsUps = stages.filter((stage) => stage === HEADS_UP).length;
    assert.ok(headsUps <= 2, 'one heads-up for the lead time and one for the snooze');
    const ladder = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2].slice(0, NUDGES - headsUps);
    assert.deepEqual(stages, [...Array<number>(headsUps).fill(HEADS_UP), ...ladder]);
  });
});

test('due nudges are at least 15 minutes apart, at stage 2 an hour, in every zone', () => {
  assertInEveryZone((sent) => {
    const ladder = sent.filter(({ stage }) => stage >= 0);
    for (const [index, { at, stage }] of ladder.entries()) {
      const before = ladder[index - 1];
      const least = before?.stage === 2 && stage === 2 ? 60 : 15;
      assert.ok(!before || at.getTime() - before.at.getTime() >= least * MINUTE_MS);
    }
  });
});

test('planning again before a nudge has come changes nothing of it, in every zone', () => {
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

test("the plan does not depend on the zone of the service's own process", () => {
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

test('the forecast is what the planner then does, one nudge after another', () => {
  const settings = { ...QUIET_AT_NIGHT, pausedFrom: local('2026-07-02T00:00'), pausedUntil: local('2026-07-03T12:00') };
  const task: NudgeTask = { ...TASK, leadTimeDays: 2 };
  const foreseen = forecast(task, settings, task.runStartedAt, 40);
  assert.equal(foreseen.length, 40);
  let current = task;
  for (const nudge of foreseen) {
    assert.deepEqual(planNudge(current, settings, nudge.at)?.at, nudge.at);
    current = afterNudge(current, nudge);
  }
  assert.deepEqual(forecast({ ...task, mode: 'notify_once' }, settings, task.runStartedAt, 40).length, 2);
  assert.deepEqual(forecast({ ...task, isOpen: false }, settings, task.runStartedAt, 40), []);
});
