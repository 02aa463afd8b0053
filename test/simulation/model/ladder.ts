/**
 * When the next nudge of a task must come, written from the design and not from the code: simple, slow, and without
 * a line of `src/escalation`. Moments are numbers.
 */
import { DAY_MS, instantOf, startOfDay, timeOfDay, wallAt } from './zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface Settings {
  readonly zone: string;
  readonly quiet: readonly [start: string, end: string] | null;
  readonly dayStart: string;
  readonly pause: readonly [from: number, until: number] | null;
  readonly keepMustNotMiss: boolean;
  /** The next pause, as it was planned. */
  readonly planned?: readonly [from: number, until: number, keepMustNotMiss: boolean] | null;
  readonly isSuspended?: boolean;
}

export interface Climbing {
  readonly isOpen: boolean;
  readonly isAccepted: boolean;
  readonly mode: 'escalate' | 'notify_once';
  readonly isMustNotMiss: boolean;
  /** An instant, or for a task without a time the wall time of its day. */
  readonly due: number | null;
  readonly hasTime: boolean;
  readonly leadDays: number | null;
  readonly snoozedUntil: number | null;
  /** The number of the run, and when it began. */
  readonly run: number;
  readonly runFrom: number;
  /** How many due nudges the run has had. */
  readonly step: number;
  readonly lastNudge: number | null;
  /** No heads-up wanted up to this moment comes any more. */
  readonly headsUpsDone: number | null;
}

export interface Expected {
  readonly at: number;
  readonly stage: number;
}

export function expectNudge(task: Climbing, settings: Settings, now: number): Expected | null {
  if (!task.isOpen || !task.isAccepted || settings.isSuspended) return null;
  const due = dueMoment(task, settings);
  const first = due === null ? task.snoozedUntil : Math.max(due, task.runFrom, task.snoozedUntil ?? due);
  if (first === null) return null;
  const comeBy = (wanted: number) => endOfHolds(Math.max(wanted, now), task.isMustNotMiss, settings);
  if (task.step === 0) return expectHeadsUp(task, settings, first, comeBy) ?? { at: comeBy(first), stage: 0 };
  if (task.mode === 'notify_once' || task.lastNudge === null) return null;
  const wait = task.step <= 4 ? 15 * MINUTE_MS : HOUR_MS;
  return { at: comeBy(Math.max(task.lastNudge + wait, first)), stage: task.step <= 3 ? 1 : 2 };
}

function dueMoment({ due, hasTime }: Climbing, { zone, dayStart }: Settings): number | null {
  return due === null || hasTime ? due : instantOf(zone, startOfDay(due) + timeOfDay(dayStart));
}

function expectHeadsUp(
  task: Climbing,
  settings: Settings,
  first: number,
  comeBy: (wanted: number) => number,
): Expected | null {
  const notBefore = task.snoozedUntil ?? task.runFrom;
  for (const moment of headsUps(task, settings).sort((a, b) => a - b)) {
    if (task.headsUpsDone !== null && moment <= task.headsUpsDone) continue;
    const isMissed = moment <= task.runFrom;
    const wanted = isMissed ? task.runFrom : moment;
    const at = comeBy(wanted);
    if (wanted >= notBefore && first - at > (isMissed ? HOUR_MS : 0)) return { at, stage: -1 };
  }
  return null;
}

function headsUps({ due, hasTime, leadDays, snoozedUntil }: Climbing, { zone, dayStart }: Settings): number[] {
  const moments = snoozedUntil === null ? [] : [snoozedUntil];
  if (due === null || leadDays === null || (!hasTime && leadDays === 0)) return moments;
  const day = startOfDay(hasTime ? wallAt(zone, due) : due);
  return [...moments, instantOf(zone, day - leadDays * DAY_MS + timeOfDay(dayStart))];
}

/** The first moment outside of every hold. Looks at each minute of the wall clock. */
function endOfHolds(from: number, isMustNotMiss: boolean, settings: Settings): number {
  let at = from;
  for (;;) {
    if (isPausedAt(at, isMustNotMiss, settings)) at = nextChangeOfPause(at, settings);
    else if (isQuietAt(at, isMustNotMiss, settings)) at = at - (at % MINUTE_MS) + MINUTE_MS;
    else return at;
  }
}

export const isHeldAt = (at: number, isMustNotMiss: boolean, settings: Settings): boolean =>
  settings.isSuspended || isPausedAt(at, isMustNotMiss, settings) || isQuietAt(at, isMustNotMiss, settings);

const pausesIn = ({ pause, keepMustNotMiss, planned }: Settings) => [
  ...(pause ? [[pause[0], pause[1], keepMustNotMiss] as const] : []),
  ...(planned ? [planned] : []),
];

/** Of two pauses at the same time, the one that ends last counts. */
function isPausedAt(at: number, isMustNotMiss: boolean, settings: Settings): boolean {
  const inForce = pausesIn(settings).filter(([from, until]) => at >= from && at < until);
  const [last] = inForce.sort((one, other) => other[1] - one[1]);
  return last !== undefined && !(isMustNotMiss && last[2]);
}

const nextChangeOfPause = (at: number, settings: Settings): number =>
  Math.min(...pausesIn(settings).flatMap(([from, until]) => [from, until].filter((moment) => moment > at)));

function isQuietAt(at: number, isMustNotMiss: boolean, { quiet, zone }: Settings): boolean {
  if (!quiet || isMustNotMiss) return false;
  const wall = wallAt(zone, at);
  const time = wall - startOfDay(wall);
  const [start, end] = [timeOfDay(quiet[0]), timeOfDay(quiet[1])];
  if (start === end) return false;
  return start < end ? time >= start && time < end : time >= start || time < end;
}
