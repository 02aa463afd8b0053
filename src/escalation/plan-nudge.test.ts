import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  HEADS_UP,
  local,
  MINUTE_MS,
  minutesAfter,
  NO_HOLDS,
  run,
  TASK,
  timesOf,
} from '../../test/support/simulated-engine.ts';
import { afterNudge, forecastNudges } from './forecast.ts';
import { type NudgeTask, planNudge } from './plan-nudge.ts';
import type { PlanSettings } from './plan-settings.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;

const SETTINGS: PlanSettings = { ...NO_HOLDS, timezone: 'Asia/Kolkata' };
const QUIET_AT_NIGHT: PlanSettings = { ...SETTINGS, quiet_hours_start: '22:00', quiet_hours_end: '07:00' };

const DUE = TASK.due;
const DUE_DATE = Temporal.PlainDate.from('2026-06-30');

type Expected = [at: Date, stage: number];

function expectRun(task: NudgeTask, settings: PlanSettings, expected: readonly Expected[]): void {
  const sent = run(task, settings, expected.length);
  assert.deepEqual(timesOf(sent), timesOf(expected.map(([at, stage]) => ({ at, stage }))));
}

const expectSilence = (task: NudgeTask, settings = SETTINGS, now = task.runStartedAt) =>
  assert.equal(planNudge(task, settings, now), null);

/** Minutes after the first due nudge, and stage. */
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
  [4, 15, 2],
  [5, 60, 2],
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

for (const maxStage of [0, 1, 2]) {
  test(`a task limited to stage ${maxStage} keeps the ladder's times and never exceeds that stage`, () => {
    const capped = ladderFrom(DUE).map(([at, stage]): Expected => [at, Math.min(stage, maxStage)]);
    expectRun({ ...TASK, maxStage }, SETTINGS, capped);
    const forecast = forecastNudges({ ...TASK, maxStage }, SETTINGS, TASK.runStartedAt, capped.length);
    assert.deepEqual(
      forecast.map(({ at, stage }) => [at, stage]),
      capped,
    );
  });
}

test('a task without a time climbs the ladder from the start of its day', () => {
  expectRun({ ...TASK, due: DUE_DATE }, SETTINGS, ladderFrom(local('2026-06-30T09:00')));
  expectRun({ ...TASK, due: DUE_DATE }, { ...SETTINGS, day_start: '00:00' }, ladderFrom(local('2026-06-30T00:00')));
});

test('a day whose start falls into a skipped hour or a skipped day starts later', () => {
  const apia = { ...SETTINGS, timezone: 'Pacific/Apia' };
  const task = { ...TASK, runStartedAt: new Date('2011-01-01T00:00Z') };
  const skipped = { ...task, due: Temporal.PlainDate.from('2011-12-30') };
  expectRun(skipped, apia, ladderFrom(new Date('2011-12-31T09:00+14:00')));
  const saoPaulo = { ...SETTINGS, timezone: 'America/Sao_Paulo', day_start: '00:00' };
  const summer = { ...task, due: Temporal.PlainDate.from('2018-11-04') };
  expectRun(summer, saoPaulo, ladderFrom(new Date('2018-11-04T01:00-02:00')));
});

for (let days = 0; days <= 30; days += 1) {
  const morning = new Date(local('2026-06-30T09:00').getTime() - days * DAY_MS);

  test(`a task with a time and ${days} lead days has its heads-up that many mornings before`, () => {
    expectRun({ ...TASK, leadTimeDays: days }, SETTINGS, [[morning, HEADS_UP], ...ladderFrom(DUE)]);
  });

  test(`a task without a time and ${days} lead days has ${days === 0 ? 'no heads-up' : 'its heads-up'}`, () => {
    const headsUp: Expected[] = days === 0 ? [] : [[morning, HEADS_UP]];
    const task = { ...TASK, due: DUE_DATE, leadTimeDays: days };
    expectRun(task, SETTINGS, [...headsUp, ...ladderFrom(local('2026-06-30T09:00'))]);
  });
}

const NEW_YORK = { ...SETTINGS, timezone: 'America/New_York' };
const HEADS_UPS_IN_NEW_YORK: [why: string, due: string, leadTimeDays: number, headsUp: string][] = [
  ['follows the wall clock when it is set forward', '2026-03-09T17:00-04:00', 2, '2026-03-07T09:00-05:00'],
  ['follows the wall clock when it is set back', '2026-11-02T17:00-05:00', 30, '2026-10-03T09:00-04:00'],
  ['counts from the local date, not from the UTC date', '2026-06-10T02:00Z', 0, '2026-06-09T09:00-04:00'],
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

test('a task without a time has no heads-up on its due date, even if it is snoozed past it', () => {
  const deferredUntil = local('2026-07-02T12:00');
  const runStartedAt = local('2026-06-29T12:00');
  const task = { ...TASK, due: DUE_DATE, leadTimeDays: 0, deferredUntil, runStartedAt };
  expectRun(task, SETTINGS, ladderFrom(deferredUntil));
});

test('a heads-up whose moment has passed when the run starts comes at once, if the task is due in more than an hour', () => {
  for (const start of ['2026-06-27T09:00', '2026-06-27T09:00:00.001', '2026-06-30T15:59:59.999']) {
    const runStartedAt = local(start);
    expectRun({ ...TASK, leadTimeDays: 3, runStartedAt }, SETTINGS, [[runStartedAt, HEADS_UP], ...ladderFrom(DUE)]);
  }
  for (const start of ['2026-06-30T16:00', '2026-06-30T16:30']) {
    expectRun({ ...TASK, leadTimeDays: 3, runStartedAt: local(start) }, SETTINGS, ladderFrom(DUE));
  }
  const allDay = { ...TASK, due: DUE_DATE, leadTimeDays: 3 };
  const morning = local('2026-06-30T09:00');
  const [early, late] = [minutesAfter(morning, -61), minutesAfter(morning, -60)];
  expectRun({ ...allDay, runStartedAt: early }, SETTINGS, [[early, HEADS_UP], ...ladderFrom(morning)]);
  expectRun({ ...allDay, runStartedAt: late }, SETTINGS, ladderFrom(morning));
});

test('a heads-up whose moment has passed waits for the end of a hold, and is dropped within an hour of the due time', () => {
  const due = local('2026-07-01T08:30');
  const task = { ...TASK, due, leadTimeDays: 3, runStartedAt: local('2026-06-30T23:00') };
  expectRun(task, QUIET_AT_NIGHT, [[local('2026-07-01T07:00'), HEADS_UP], ...ladderFrom(due)]);
  const early = { ...task, due: local('2026-07-01T08:00') };
  expectRun(early, QUIET_AT_NIGHT, ladderFrom(early.due));
  // The engine was down until less than an hour before the due time.
  assert.equal(planNudge(task, SETTINGS, minutesAfter(due, -60))?.stage, 0);
});

test('a heads-up that is done with does not come again', () => {
  const runStartedAt = local('2026-06-29T12:00');
  expectRun({ ...TASK, leadTimeDays: 3, runStartedAt, headsUpAt: runStartedAt }, SETTINGS, ladderFrom(DUE));
});

test('a heads-up that is held until the task is due is dropped', () => {
  const paused = { ...SETTINGS, pause_from: local('2026-06-29T12:00'), pause_until: local('2026-06-30T18:00') };
  expectRun({ ...TASK, leadTimeDays: 0 }, paused, ladderFrom(local('2026-06-30T18:00')));
  const untilDue = { ...paused, pause_until: DUE };
  expectRun({ ...TASK, leadTimeDays: 0 }, untilDue, ladderFrom(DUE));
});

test('a held heads-up comes at the end of the hold if the task is not due yet', () => {
  const pause_until = local('2026-06-30T16:59');
  const paused = { ...SETTINGS, pause_from: local('2026-06-29T12:00'), pause_until };
  expectRun({ ...TASK, leadTimeDays: 0 }, paused, [[pause_until, HEADS_UP], ...ladderFrom(DUE)]);
  assert.deepEqual(planNudge({ ...TASK, leadTimeDays: 0 }, paused, TASK.runStartedAt), {
    at: pause_until,
    wantedAt: local('2026-06-30T09:00'),
    stage: HEADS_UP,
    holds: ['pause'],
  });
});

test('a notify_once task has its heads-up and one due nudge, and no more', () => {
  const once = { ...TASK, mode: 'notify_once', leadTimeDays: 1 };
  const sent = run(once, SETTINGS, 12);
  const morning = local('2026-06-29T09:00');
  assert.deepEqual(timesOf(sent), [`${morning.toISOString()} stage -1`, `${DUE.toISOString()} stage 0`]);
});

test('a snoozed notify_once task is nudged once more', () => {
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

test('the ladder of a snoozed task without a due date starts at the end of the snooze', () => {
  const deferredUntil = local('2026-05-03T08:15');
  expectRun({ ...TASK, due: null, leadTimeDays: 5, deferredUntil }, SETTINGS, ladderFrom(deferredUntil));
});

test('a snooze that ends before the due time adds a heads-up at its end, and the ladder starts at the due time', () => {
  const deferredUntil = local('2026-06-12T10:00');
  const snoozed = { ...TASK, deferredUntil, runStartedAt: local('2026-06-11T10:00') };
  expectRun(snoozed, SETTINGS, [[deferredUntil, HEADS_UP], ...ladderFrom(DUE)]);
  const [ownHeadsUp, ladder] = [local('2026-06-28T09:00'), ladderFrom(DUE)];
  const withLead = { ...snoozed, leadTimeDays: 2 };
  expectRun(withLead, SETTINGS, [[deferredUntil, HEADS_UP], [ownHeadsUp, HEADS_UP], ...ladder]);
});

test('a snooze that ends at the due time or later starts the ladder at its end, without a heads-up', () => {
  for (const deferredUntil of [DUE, minutesAfter(DUE, 1), local('2026-07-12T03:00')]) {
    const runStartedAt = local('2026-06-30T16:00');
    expectRun({ ...TASK, deferredUntil, runStartedAt }, SETTINGS, ladderFrom(deferredUntil));
  }
});

test('a snoozed task gets no nudge before its snooze ends, not even its heads-up', () => {
  const runStartedAt = local('2026-06-29T10:00');
  for (const deferredUntil of [local('2026-07-02T08:00'), local('2026-06-30T12:00')]) {
    const snoozed = { ...TASK, leadTimeDays: 0, runStartedAt, deferredUntil };
    const first = planNudge(snoozed, SETTINGS, runStartedAt);
    assert.deepEqual(first?.at, deferredUntil);
  }
});

test('a snooze of a task that is already due restarts the ladder at the end of the snooze', () => {
  const [runStartedAt, deferredUntil] = [local('2026-07-01T12:00'), local('2026-07-01T13:00')];
  for (const due of [DUE, DUE_DATE]) {
    expectRun({ ...TASK, due, deferredUntil, runStartedAt }, SETTINGS, ladderFrom(deferredUntil));
  }
});

test('a task that is created overdue is nudged at once, from the first step', () => {
  const runStartedAt = local('2026-09-09T09:09');
  expectRun({ ...TASK, leadTimeDays: 2, runStartedAt }, SETTINGS, ladderFrom(runStartedAt));
  expectRun({ ...TASK, due: DUE_DATE, leadTimeDays: 2, runStartedAt }, SETTINGS, ladderFrom(runStartedAt));
});

test('a request is not nudged until it is accepted, and then starts at the later of acceptance and due time', () => {
  const request = { ...TASK, isAccepted: false, leadTimeDays: 1 };
  expectSilence(request);
  expectSilence(request, SETTINGS, minutesAfter(DUE, 600));
  const acceptedLate = { ...TASK, runStartedAt: minutesAfter(DUE, 5) };
  expectRun(acceptedLate, SETTINGS, ladderFrom(minutesAfter(DUE, 5)));
  const acceptedEarly = { ...TASK, runStartedAt: minutesAfter(DUE, -5) };
  expectRun(acceptedEarly, SETTINGS, ladderFrom(DUE));
});

test('a closed task is never nudged, at any step', () => {
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

test('after an outage there is one nudge at once, and the ladder continues from it without a burst', () => {
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

test('after an outage past the due time, only the due nudge is sent, not the heads-up', () => {
  const deferredUntil = local('2026-06-20T10:00');
  const [first, second] = run({ ...TASK, deferredUntil, leadTimeDays: 2 }, SETTINGS, 2, [15 * 24 * 60]);
  assert.deepEqual([first?.stage, first?.at, first?.wantedAt], [0, minutesAfter(deferredUntil, 15 * 24 * 60), DUE]);
  assert.equal(second?.stage, 1);
});

test('two heads-ups missed in an outage are sent as one', () => {
  const back = local('2026-06-29T12:00');
  const missed = { ...TASK, deferredUntil: local('2026-06-20T10:00'), leadTimeDays: 2 };
  const headsUp = planNudge(missed, SETTINGS, back);
  assert.ok(headsUp);
  assert.deepEqual([headsUp.at, headsUp.stage], [back, HEADS_UP]);
  assert.equal(planNudge(afterNudge(missed, headsUp), SETTINGS, back)?.at.getTime(), DUE.getTime());
});

test('after an outage that ends inside quiet hours, nudges wait for the end of the quiet hours', () => {
  const planned = planNudge(TASK, QUIET_AT_NIGHT, local('2026-07-02T23:30'));
  assert.deepEqual(planned, { at: local('2026-07-03T07:00'), wantedAt: DUE, stage: 0, holds: ['quiet_hours'] });
});

test('a held nudge keeps its step, and the ladder continues from its release', () => {
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

test('a must-not-miss task climbs through quiet hours, and through a pause that keeps must-not-miss tasks', () => {
  const due = local('2026-06-30T21:50');
  const paused = { ...QUIET_AT_NIGHT, pause_from: TASK.runStartedAt, pause_until: local('2026-07-04T00:00') };
  const task = { ...TASK, due, mustNotMiss: true };
  expectRun(task, paused, ladderFrom(due));
  expectRun(task, { ...paused, keep_must_not_miss: false }, ladderFrom(paused.pause_until));
});

/** The day starts at 9. */
const NEXT_DAYS: [after: 'day_start' | '02:30' | '20:00', nudgedAt: string, next: string][] = [
  ['day_start', '2026-06-30T21:00', '2026-07-01T09:00'],
  ['day_start', '2026-06-30T23:59', '2026-07-01T09:00'],
  // The night belongs to the day before it.
  ['day_start', '2026-07-01T00:30', '2026-07-01T09:00'],
  ['day_start', '2026-07-01T05:00', '2026-07-01T09:00'],
  // A nudge of the early morning is of the new day, and the start of that day would follow too soon.
  ['day_start', '2026-07-01T05:01', '2026-07-02T09:00'],
  ['day_start', '2026-07-01T09:00', '2026-07-02T09:00'],
  ['20:00', '2026-06-30T12:00', '2026-07-01T20:00'],
  ['20:00', '2026-07-01T00:30', '2026-07-01T20:00'],
  ['02:30', '2026-07-01T00:30', '2026-07-02T02:30'],
  ['02:30', '2026-07-01T02:30', '2026-07-02T02:30'],
];
for (const [after, nudgedAt, next] of NEXT_DAYS) {
  test(`a rung of the next day at ${after} comes at ${next} after a nudge at ${nudgedAt}`, () => {
    const rungs = [{ after: 0, stage: 0 } as const, { after, stage: 1 } as const];
    const ladder = { rungs, end: { repeat_last: 1, times: null } };
    const lastNudgeAt = local(nudgedAt);
    const planned = planNudge({ ...TASK, due: lastNudgeAt, ladder, step: 1, lastNudgeAt }, SETTINGS, lastNudgeAt);
    assert.deepEqual(planned?.at, local(next));
  });
}

test('a task whose day start moves past its last nudge waits for the new start and keeps its step', () => {
  const lastNudgeAt = local('2026-06-30T09:00');
  const begun = { ...TASK, due: DUE_DATE, step: 1, lastNudgeAt };
  const later = planNudge(begun, { ...SETTINGS, day_start: '18:00' }, lastNudgeAt);
  assert.deepEqual([later?.at, later?.stage], [local('2026-06-30T18:00'), 1]);
  const moved = planNudge(begun, { ...SETTINGS, timezone: 'America/New_York' }, lastNudgeAt);
  assert.deepEqual([moved?.at, moved?.stage], [new Date('2026-06-30T09:00-04:00'), 1]);
});

test('the forecast equals what the planner then plans, nudge by nudge', () => {
  const settings = { ...QUIET_AT_NIGHT, pause_from: local('2026-07-02T00:00'), pause_until: local('2026-07-03T12:00') };
  const task: NudgeTask = { ...TASK, leadTimeDays: 2 };
  const predicted = forecastNudges(task, settings, task.runStartedAt, 40);
  assert.equal(predicted.length, 40);
  let current = task;
  for (const nudge of predicted) {
    assert.deepEqual(planNudge(current, settings, nudge.at)?.at, nudge.at);
    current = afterNudge(current, nudge);
  }
  assert.deepEqual(forecastNudges({ ...task, mode: 'notify_once' }, settings, task.runStartedAt, 40).length, 2);
  assert.deepEqual(forecastNudges({ ...task, isOpen: false }, settings, task.runStartedAt, 40), []);
});

test('the nudge that is wanted at the named moment passes quiet hours and a pause, 15 minutes late at most, and no other does', () => {
  const named = local('2026-06-30T23:30');
  const morning = local('2026-07-01T07:00');
  const task = { ...TASK, due: named, ringsAnywayAt: named };
  const plannedAt = (given: NudgeTask, now: Date, settings = QUIET_AT_NIGHT) => planNudge(given, settings, now)?.at;
  assert.deepEqual(planNudge(task, QUIET_AT_NIGHT, TASK.runStartedAt), {
    at: named,
    wantedAt: named,
    stage: 0,
    holds: [],
  });
  const pause = { pause_from: TASK.runStartedAt, pause_until: minutesAfter(morning, 600), keep_must_not_miss: false };
  assert.deepEqual(plannedAt(task, TASK.runStartedAt, { ...SETTINGS, ...pause }), named);
  assert.deepEqual(plannedAt(task, minutesAfter(named, 14)), minutesAfter(named, 14));
  assert.deepEqual(plannedAt(task, minutesAfter(named, 15)), morning);
  assert.deepEqual(plannedAt({ ...task, ringsAnywayAt: minutesAfter(named, -1) }, TASK.runStartedAt), morning);
  assert.deepEqual(plannedAt({ ...task, due: minutesAfter(named, 1) }, TASK.runStartedAt), morning);
  const [first, second] = forecastNudges(task, QUIET_AT_NIGHT, TASK.runStartedAt, 2);
  assert.deepEqual([first?.at, second?.at, second?.holds], [named, morning, ['quiet_hours']]);
});

test('heads-ups come minutes, hours or days before, in their order of time, and none on the day of a task without a time', () => {
  const task = { ...TASK, leadTimeDays: null, runStartedAt: minutesAfter(DUE, -10 * 24 * 60) };
  const times = (changes: Partial<NudgeTask>, count: number) =>
    run({ ...task, ...changes }, SETTINGS, count).map(({ at, stage }) => [
      (at.getTime() - DUE.getTime()) / MINUTE_MS,
      stage,
    ]);
  const headsUps = [{ minutes: 10 }, { hours: 3 }, { days: 1 }];
  // The day starts at 9:00, and the task is due at 17:00.
  assert.deepEqual(times({ headsUps }, 4), [
    [-32 * 60, -1],
    [-180, -1],
    [-10, -1],
    [0, 0],
  ]);
  const allDay = { due: DUE_DATE, headsUps: [{ days: 0 }, { hours: 2 }] };
  assert.deepEqual(times(allDay, 2), [
    [-10 * 60, -1],
    [-8 * 60, 0],
  ]);
  assert.deepEqual(times({ due: DUE_DATE, headsUps: [{ days: 0 }] }, 1), [[-8 * 60, 0]]);
});

test('a ladder without a rung has one nudge of the lowest stage', () => {
  const planned = planNudge({ ...TASK, ladder: { rungs: [], end: null } }, SETTINGS, DUE);
  assert.deepEqual([planned?.at, planned?.stage], [DUE, 0]);
});
