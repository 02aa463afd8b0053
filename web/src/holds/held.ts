/** Which moment of a task is held, until when and by what. Pure. */
import { addDays, toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import type { Nudge, Task } from '../api/client.ts';
import { isSnoozed } from '../time/due-moment.ts';
import { type HoldName, type Holds, release } from './release.ts';

export interface Held {
  /** When it rings. */
  readonly at: number;
  /** Empty if this browser does not know why. */
  readonly by: readonly HoldName[];
  /** The moment that somebody asked for; undefined for a later nudge of the ladder. */
  readonly wanted?: number;
}

/** What the service says about the next nudge, where its forecast is known. */
type Said = Pick<Nudge, 'at' | 'holds'>;

type Dated = Pick<
  Task,
  | 'status'
  | 'accepted_by_owner'
  | 'due_at'
  | 'has_time'
  | 'deferred_until'
  | 'lead_time_days'
  | 'break_quiet_hours'
  | 'next_fire_at'
  | 'last_nudge_at'
>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long after its moment the service still lets a nudge pass the holds. */
const RINGS_ANYWAY_FOR_MS = 15 * MINUTE_MS;

export const canStillRing = (at: number, now: number): boolean => now - at < RINGS_ANYWAY_FOR_MS;

/** Undefined if nothing holds a nudge at this moment. */
export function heldAt(wanted: number, mustNotMiss: boolean, holds: Holds): Held | undefined {
  const { at, by } = release(wanted, mustNotMiss, holds);
  return by.length === 0 ? undefined : { at, by, wanted };
}

/** When the first nudge of the date or the snooze is wanted: without a time, at the start of the day. */
function wantedMoment(task: Dated, holds: Holds, now: number): number | undefined {
  const { due_at, has_time, deferred_until } = task;
  if (deferred_until !== null && (isSnoozed(task, now) || due_at === null)) return Date.parse(deferred_until);
  if (due_at === null) return undefined;
  return has_time ? Date.parse(due_at) : dayStart(due_at, holds, 0);
}

function dayStart(instant: string, { zone, dayStart: time }: Holds, daysBefore: number): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return toInstant({ ...addDays(toWallTime(Date.parse(instant), zone), -daysBefore), hour, minute }, zone);
}

/**
 * The service says when the next nudge comes. Why it does not come earlier is found here, and said only if the holds
 * explain exactly that moment. A change that was not sent yet has no such answer, so the same rule predicts it.
 */
export function findHeld(task: Dated, holds: Holds, now: number, said?: Said): Held | undefined {
  const { status, accepted_by_owner, last_nudge_at } = task;
  if (status !== 'open' || !accepted_by_owner) return undefined;
  const moment = wantedMoment(task, holds, now);
  if (moment === undefined || (last_nudge_at !== null && Date.parse(last_nudge_at) >= moment))
    return findHeldRung(task, holds, now, said);
  return findHeldFirst(task, moment, holds, now);
}

function findHeldFirst(task: Dated, moment: number, holds: Holds, now: number): Held | undefined {
  const { break_quiet_hours, next_fire_at } = task;
  if (next_fire_at === null) return moment <= now ? undefined : heldAt(moment, break_quiet_hours, holds);
  const next = Date.parse(next_fire_at);
  // If it is wanted later than the next nudge, a heads-up comes first.
  if (moment > next || release(moment, break_quiet_hours, holds).at === next)
    return heldAt(moment, break_quiet_hours, holds);
  const by = holdsUntil(next, laterMoments(task, holds, now), task, holds);
  if (by.length > 0) return { at: next, by };
  return moment > now && moment < next ? { at: next, by: [], wanted: moment } : undefined;
}

function findHeldRung(task: Dated, holds: Holds, now: number, said: Said | undefined): Held | undefined {
  if (task.next_fire_at === null) return undefined;
  const next = Date.parse(task.next_fire_at);
  const moments = [...laterMoments(task, holds, now), ...momentsOfLadder(task, holds)];
  const by = said && Date.parse(said.at) === next ? said.holds : holdsUntil(next, moments, task, holds);
  return by.length === 0 ? undefined : { at: next, by };
}

/** What holds a nudge that is wanted at one of these moments until `next`; nothing if they end at another moment. */
function holdsUntil(next: number, moments: readonly number[], task: Dated, holds: Holds): readonly HoldName[] {
  const released = moments
    .filter((moment) => moment < next)
    .map((moment) => release(moment, task.break_quiet_hours, holds));
  return released.find(({ at }) => at === next)?.by ?? [];
}

/** Where the next nudge can be wanted if it is not the first. */
function laterMoments({ due_at, lead_time_days }: Dated, holds: Holds, now: number): number[] {
  return due_at !== null && lead_time_days !== null ? [now, dayStart(due_at, holds, lead_time_days)] : [now];
}

/**
 * A task does not say which ladder it has. Whatever its waits are, a nudge that comes at the end of a hold was held,
 * unless a ladder may want that very moment: the start of the day, or so many days after the nudge before it.
 */
function momentsOfLadder({ next_fire_at, last_nudge_at }: Dated, holds: Holds): number[] {
  if (next_fire_at === null || last_nudge_at === null) return [];
  const next = Date.parse(next_fire_at);
  const isWanted = dayStart(next_fire_at, holds, 0) === next || (next - Date.parse(last_nudge_at)) % DAY_MS === 0;
  return isWanted ? [] : [next - 1];
}

/** Whether the next nudge comes inside a hold, because its owner said so. */
export function ringsInHold(task: Dated, holds: Holds, now: number): boolean {
  const moment = wantedMoment(task, holds, now);
  if (task.status !== 'open' || moment === undefined || task.next_fire_at === null) return false;
  return Date.parse(task.next_fire_at) === moment && heldAt(moment, task.break_quiet_hours, holds) !== undefined;
}
