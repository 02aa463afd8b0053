/**
 * When the next nudge of a task must come, written from the design and not from the code: simple, slow, and without
 * a line of `src/escalation`. Moments are numbers.
 */
import { type LadderBook, type Laddered, ladderOf, NO_LADDERS, nextRung } from './ladders.ts';
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
  readonly ladders?: LadderBook;
}

/** Minutes before the due moment, or days before its day. */
export type HeadsUp = { readonly minutes: number } | { readonly days: number };

export interface Climbing extends Laddered {
  readonly isOpen: boolean;
  readonly isAccepted: boolean;
  readonly mode: 'escalate' | 'notify_once';
  readonly isMustNotMiss: boolean;
  /** An instant, or for a task without a time the wall time of its day. */
  readonly due: number | null;
  readonly hasTime: boolean;
  readonly leadDays: number | null;
  /** Besides the one of `leadDays`. */
  readonly headsUps: readonly HeadsUp[];
  readonly snoozedUntil: number | null;
  /** The number of the run, and when it began. */
  readonly run: number;
  readonly runFrom: number;
  /** How many due nudges the run has had. */
  readonly step: number;
  readonly lastNudge: number | null;
  /** No heads-up wanted up to this moment comes any more. */
  readonly headsUpsDone: number | null;
  /** The moment that its owner named: the nudge that is wanted then passes the holds. */
  readonly ringsAnywayAt: number | null;
}

export interface Expected {
  readonly at: number;
  readonly stage: number;
  /** When it would come without holds. */
  readonly wanted: number;
}

/** A nudge at the named moment passes the holds for this long, and so do the attempts to send it. */
export const isNamedMoment = ({ ringsAnywayAt }: Climbing, at: number): boolean =>
  ringsAnywayAt !== null && at >= ringsAnywayAt && at < ringsAnywayAt + 15 * MINUTE_MS;

export function expectNudge(task: Climbing, settings: Settings, now: number): Expected | null {
  if (!task.isOpen || !task.isAccepted || settings.isSuspended) return null;
  const due = dueMoment(task, settings);
  const first = due === null ? task.snoozedUntil : Math.max(due, task.runFrom, task.snoozedUntil ?? due);
  if (first === null) return null;
  const comeBy = (wanted: number) => {
    const at = Math.max(wanted, now);
    const passes = wanted === task.ringsAnywayAt && isNamedMoment(task, at);
    return passes ? at : endOfHolds(at, task.isMustNotMiss, settings);
  };
  const ladder = ladderOf(task, settings.ladders ?? NO_LADDERS);
  if (task.step === 0)
    return (
      expectHeadsUp(task, settings, first, comeBy) ?? {
        at: comeBy(first),
        stage: ladder.rungs[0]?.[1] ?? 0,
        wanted: first,
      }
    );
  if (task.mode === 'notify_once' || task.lastNudge === null) return null;
  const rung = nextRung({ ...task, ladder, lastNudge: task.lastNudge }, settings);
  if (!rung) return null;
  const wanted = Math.max(rung.at, first);
  return { at: comeBy(wanted), stage: rung.stage, wanted };
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
    if (wanted >= notBefore && first - at > (isMissed ? HOUR_MS : 0)) return { at, stage: -1, wanted };
  }
  return null;
}

function headsUps(task: Climbing, settings: Settings): number[] {
  const { due, hasTime, leadDays, snoozedUntil } = task;
  const { zone, dayStart } = settings;
  const moments = snoozedUntil === null ? [] : [snoozedUntil];
  if (due === null) return moments;
  const all = [...(leadDays === null ? [] : [{ days: leadDays }]), ...task.headsUps];
  const day = startOfDay(hasTime ? wallAt(zone, due) : due);
  const dueAt = dueMoment(task, settings) ?? due;
  for (const one of all) {
    if ('minutes' in one) moments.push(dueAt - one.minutes * MINUTE_MS);
    else if (hasTime || one.days > 0) moments.push(instantOf(zone, day - one.days * DAY_MS + timeOfDay(dayStart)));
  }
  return moments;
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
