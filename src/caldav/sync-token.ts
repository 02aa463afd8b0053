/**
 * The token by which an app asks what changed, which is also the mark by which others see that something did. It stays the
 * same while nothing changes. It names the moment up to which the app knows every change, the day up to which done tasks
 * have gone, and by which settings the tasks were written.
 */
import { shortHash } from '../lib/short-hash.ts';

export interface SyncState {
  /** Every change before this moment is known. */
  readonly until: Date;
  /**
   * When something was last changed: the mark has to differ at once, also while `until` cannot move on. The present moment
   * if something may still be changed then, so that the mark is not taken for the one of that change.
   */
  readonly last: Date;
  /** The first day, in days since 1970, whose done tasks are shown. */
  readonly doneSinceDay: number;
  /** Stands for the settings that decide how tasks are written. */
  readonly view: string;
}

const DAY_MS = 86_400_000;
/** Done tasks are shown for this long. */
const DONE_DAYS = 30;
/** A colon and a slash: GNOME takes anything else for another kind of mark. */
const PREFIX = 'urn:x-crescendo:sync/';

export const writeToken = ({ until, last, doneSinceDay, view }: SyncState): string =>
  `${PREFIX}${until.getTime()}/${last.getTime()}/${doneSinceDay}/${view}`;

/** No token of ours names another moment, and the databases know dates up to others. */
const LAST_MS = Date.UTC(9_999, 11, 31);

const isWithin = (part: number | undefined): boolean =>
  part !== undefined && Number.isSafeInteger(part) && part >= 0 && part <= LAST_MS;

export function readToken(text: string): SyncState | undefined {
  const parts = text.trim().startsWith(PREFIX) ? text.trim().slice(PREFIX.length).split('/') : [];
  const [until, last, doneSinceDay] = parts.map(Number);
  const isToken = parts.length === 4 && [until, last, doneSinceDay].every(isWithin);
  if (!isToken || until === undefined || last === undefined || doneSinceDay === undefined) return undefined;
  return { until: new Date(until), last: new Date(last), doneSinceDay, view: parts[3] ?? '' };
}

export const doneSinceDay = (now: Date): number => Math.floor(now.getTime() / DAY_MS) - DONE_DAYS;

export const startOfDay = (day: number): Date => new Date(day * DAY_MS);

export const hashOfView = (view: object): string => shortHash(JSON.stringify(view), 8);
