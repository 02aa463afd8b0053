/**
 * Decides which messages a provider should hold for a person, in case the service falls silent, and how what it holds
 * becomes that. Pure.
 *
 * A message stands behind the next planned nudge, so a service that lives always comes first and moves it on. Three of
 * them grow stronger, as the nudges would have. A must-not-miss task has one of its own. With nothing planned, one says
 * that the service is gone.
 */
import type { UnderstudyState } from '../db/tables/understudies.ts';
import { releaseFrom } from '../escalation/holds.ts';
import type { PlanSettings } from '../escalation/plan-settings.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After the planned nudge. The service and its provider have this long to come first. */
const GRACE_MS = 10 * MINUTE_MS;
const SLOTS = [
  { slot: 'first', afterMs: GRACE_MS, stage: 0 },
  { slot: 'second', afterMs: HOUR_MS, stage: 1 },
  { slot: 'third', afterMs: 4 * HOUR_MS, stage: 2 },
] as const;
const STRONGEST = 2;
/** How many tasks a message names. */
const MOST_NAMED = 8;
/** What a provider holds is moved on this long before it takes no later moment. */
const MARGIN_MS = HOUR_MS;
/** With nothing planned, the message is moved on once a day, or within a third of what its provider takes. */
const REARM_MS = 24 * HOUR_MS;
/** Where the provider holds messages for less than this, people are not looked at often enough to move it in time. */
const SHORTEST_FOR_GONE_MS = HOUR_MS;

/** What is only put off moves at most this often, so that a busy day does not use up the messages of a server. */
const POSTPONE_EVERY_MS = 5 * MINUTE_MS;
/** Unless it would sound within this. */
const SOON_MS = 4 * MINUTE_MS;

/** How many messages may be held for a person. `ofTasks`: for must-not-miss tasks, the soonest first. */
export interface Allowed {
  readonly general: 0 | 1 | 3;
  readonly ofTasks: number;
}

export const THREE: Allowed = { general: 3, ofTasks: 20 };
export const ONE: Allowed = { general: 1, ofTasks: 0 };
export const NONE: Allowed = { general: 0, ofTasks: 0 };
/** Where each message that is sounded costs money. */
export const PAID: Allowed = { general: 1, ofTasks: 3 };

export interface PlannedNudge {
  readonly taskId: string;
  readonly title: string;
  readonly at: Date;
  readonly mustNotMiss: boolean;
}

export interface Holder {
  readonly channelId: string;
  readonly isPrivate: boolean;
  /** The soonest and the latest moment that the provider takes, from now on. */
  readonly minMs: number;
  readonly maxMs: number;
  readonly allowed: Allowed;
}

export interface UnderstudyFacts {
  readonly now: Date;
  readonly settings: PlanSettings;
  /** The channel that holds the messages; undefined if there is none. */
  readonly holder: Holder | undefined;
  /** The soonest first. */
  readonly nudges: readonly PlannedNudge[];
}

/** What a message says. The moment since which the service is silent is added when it is sent. */
export interface UnderstudyContent {
  /** `due`: these tasks are. `task`: this one is. `gone`: the service is. */
  readonly kind: 'due' | 'task' | 'gone';
  readonly isPrivate: boolean;
  readonly timezone: string;
  /** Empty if they must not be named. */
  readonly named: readonly { readonly id: string; readonly title: string; readonly at: number }[];
  readonly count: number;
}

/** Stored as the error of a wish that is waiting for the next look: no trouble, so people are not told. */
export const LOOKED_AT_AGAIN = 'looked_at_again';

export interface WantedUnderstudy {
  readonly slot: string;
  readonly soundsAt: Date;
  readonly stage: number;
  readonly content: UnderstudyContent;
}

export function stateOf({ settings, holder }: UnderstudyFacts): UnderstudyState {
  if (settings.suspended_at !== null) return 'off';
  if (!holder) return 'no_channel';
  if (holder.allowed === NONE) return 'none_left';
  return holder.allowed === ONE ? 'one' : 'held';
}

export function planUnderstudies(facts: UnderstudyFacts): WantedUnderstudy[] {
  const { now, settings, holder } = facts;
  if (!holder || settings.suspended_at !== null || holder.allowed.general === 0) return [];
  const latest = new Date(now.getTime() + holder.maxMs - MARGIN_MS);
  const ofTasks = planOfTasks(facts, holder).filter(({ soundsAt }) => soundsAt <= latest);
  const general = planGeneral(facts, holder).filter(({ soundsAt }) => soundsAt <= latest);
  const own = new Set(ofTasks.map(({ slot }) => slot));
  // Its own message says the same at the same moment.
  const isSaid = ({ slot, content }: WantedUnderstudy) =>
    slot === 'first' && content.named.every(({ id }) => own.has(id));
  const wanted = [...general.filter((one) => !isSaid(one)), ...ofTasks];
  return wanted.length > 0 ? wanted : planGone(facts, holder).filter(({ soundsAt }) => soundsAt <= latest);
}

function planGeneral(facts: UnderstudyFacts, holder: Holder): WantedUnderstudy[] {
  const { nudges, settings } = facts;
  const [first] = nudges;
  if (!first) return [];
  return SLOTS.slice(0, holder.allowed.general).map(({ slot, afterMs, stage }) => {
    const soundsAt = momentOf(facts, holder, first.at, afterMs, false);
    const due = nudges.filter(({ at }) => at <= soundsAt);
    return { slot, soundsAt, stage, content: contentOf('due', due, holder, settings) };
  });
}

function planOfTasks(facts: UnderstudyFacts, holder: Holder): WantedUnderstudy[] {
  const strong = facts.nudges.filter(({ mustNotMiss }) => mustNotMiss).slice(0, holder.allowed.ofTasks);
  return strong.map((nudge) => ({
    slot: nudge.taskId,
    soundsAt: momentOf(facts, holder, nudge.at, GRACE_MS, true),
    stage: STRONGEST,
    content: contentOf('task', [nudge], holder, facts.settings),
  }));
}

/**
 * Quiet hours and pauses hold it as they hold nudges. A nudge that should have been sent by now is about to be: the
 * service has just started, or has much to do.
 */
function momentOf(
  { now, settings }: UnderstudyFacts,
  { minMs }: Holder,
  nudgeAt: Date,
  afterMs: number,
  mustNotMiss: boolean,
) {
  const wantedMs = Math.max(nudgeAt.getTime(), now.getTime()) + Math.max(afterMs, minMs);
  return releaseFrom(new Date(wantedMs), mustNotMiss, settings).at;
}

/** Whole days, so that the moment changes once a day. None inside a pause that is longer than the provider holds it. */
function planGone({ now, settings }: UnderstudyFacts, holder: Holder): WantedUnderstudy[] {
  const longestMs = holder.maxMs - MARGIN_MS;
  if (longestMs < SHORTEST_FOR_GONE_MS) return [];
  const rearmMs = Math.min(REARM_MS, Math.floor(longestMs / 3));
  const armedMs = Math.floor(now.getTime() / rearmMs) * rearmMs;
  const soundsAt = releaseFrom(new Date(armedMs + longestMs - rearmMs), false, settings).at;
  return [{ slot: 'first', soundsAt, stage: 0, content: contentOf('gone', [], holder, settings) }];
}

function contentOf(
  kind: UnderstudyContent['kind'],
  due: readonly PlannedNudge[],
  { isPrivate }: Holder,
  { timezone }: PlanSettings,
): UnderstudyContent {
  const named = due.slice(0, MOST_NAMED).map(({ taskId: id, title, at }) => ({ id, title, at: at.getTime() }));
  return { kind, isPrivate, timezone, named, count: due.length };
}

/** What the provider was last asked to hold. */
export interface Held {
  readonly id: string;
  readonly channelId: string;
  readonly slot: string;
  /** Null if it is being taken back. */
  readonly soundsAt: Date | null;
  readonly content: string;
  readonly stage: number;
  /** In real time. */
  readonly movedAt: Date | null;
}

export interface Reconciled {
  readonly placed: readonly WantedUnderstudy[];
  readonly moved: readonly { readonly id: string; readonly wanted: WantedUnderstudy }[];
  readonly cancelled: readonly string[];
  /** When a message that is left for now has to be moved. */
  readonly nextMoveAt: Date | null;
}

/** Taking back and moving to an earlier moment never wait, and neither does a task that was dealt with. */
export function reconcile(
  held: readonly Held[],
  wanted: readonly WantedUnderstudy[],
  channelId: string | undefined,
  now: Date,
  wallNow: Date,
): Reconciled {
  const bySlot = new Map(held.filter((one) => one.channelId === channelId).map((one) => [one.slot, one]));
  const kept = new Set<string>();
  const placed: WantedUnderstudy[] = [];
  const moved: { id: string; wanted: WantedUnderstudy }[] = [];
  let nextMoveMs = Number.POSITIVE_INFINITY;
  for (const one of wanted) {
    const before = bySlot.get(one.slot);
    if (!before) {
      placed.push(one);
      continue;
    }
    kept.add(before.id);
    if (isSame(before, one)) continue;
    const waitMs = waitBeforeMove(before, one, now, wallNow);
    if (waitMs <= 0) moved.push({ id: before.id, wanted: one });
    else nextMoveMs = Math.min(nextMoveMs, now.getTime() + waitMs);
  }
  const cancelled = held.filter(({ id, soundsAt }) => !kept.has(id) && soundsAt !== null).map(({ id }) => id);
  return { placed, moved, cancelled, nextMoveAt: Number.isFinite(nextMoveMs) ? new Date(nextMoveMs) : null };
}

const isSame = (before: Held, { soundsAt, stage, content }: WantedUnderstudy): boolean =>
  before.soundsAt?.getTime() === soundsAt.getTime() &&
  before.stage === stage &&
  before.content === JSON.stringify(content);

function waitBeforeMove(before: Held, wanted: WantedUnderstudy, now: Date, wallNow: Date): number {
  const { soundsAt, movedAt } = before;
  if (!soundsAt || !movedAt || wanted.soundsAt < soundsAt || namesOther(before, wanted)) return 0;
  const restedMs = wallNow.getTime() - movedAt.getTime();
  // The clock was set back since.
  if (restedMs < 0) return 0;
  return Math.min(POSTPONE_EVERY_MS - restedMs, soundsAt.getTime() - SOON_MS - now.getTime());
}

/** Whether it names a task that it should not name any more. */
function namesOther({ content }: Held, wanted: WantedUnderstudy): boolean {
  const { named = [] } = JSON.parse(content) as Partial<UnderstudyContent>;
  return named.some(({ id }) => !wanted.content.named.some((other) => other.id === id));
}
