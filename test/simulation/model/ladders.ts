/**
 * Ladders as the design describes them: which one holds for a task, and what its next rung is. Without a line of
 * `src/escalation`.
 */
import { DAY_MS, instantOf, startOfDay, timeOfDay, wallAt } from './zone.ts';

const MINUTE_MS = 60_000;
const NIGHT_MS = 4 * 60 * MINUTE_MS;

/** Minutes since the previous nudge, the start of the next day, or a wall time of it. */
type After = number | 'day_start' | `${number}:${number}`;

export interface ModelLadder {
  readonly rungs: readonly (readonly [after: After, stage: number])[];
  /** How many of the last rungs come again, and how often. */
  readonly again: number;
  readonly times: number;
}

const lasting = (...rungs: ModelLadder['rungs']): ModelLadder => ({ rungs, again: 1, times: Number.POSITIVE_INFINITY });

export const SERVICE_LADDERS: Readonly<Record<string, ModelLadder>> = {
  default: lasting([0, 0], [15, 1], [15, 1], [15, 1], [15, 2], [60, 2]),
  gentle: lasting([0, 0], [60, 0], [240, 1], ['day_start', 1]),
  persistent: lasting([0, 0], [5, 1], [5, 1], [5, 1], [5, 1], [5, 2]),
  daily: lasting([0, 0], ['day_start', 1]),
  medication: lasting(
    ...([
      [0, 0],
      [10, 1],
      [10, 1],
    ] as const),
    ...Array.from({ length: 12 }, () => [15, 2] as const),
    [60, 2],
  ),
};

/** The name of a ladder of the service, or the id of an own one. */
type Named = string;

/** What a person has set up. */
export interface LadderBook {
  readonly own: ReadonlyMap<string, ModelLadder>;
  readonly labels: ReadonlyMap<string, Named>;
  readonly account: Named | null;
}

export const NO_LADDERS: LadderBook = { own: new Map(), labels: new Map(), account: null };

export interface Laddered {
  /** Chosen for the task. */
  readonly ladder: Named | ModelLadder | null;
  readonly label: string;
  /** The label that its owner saw, where somebody else has changed it since. */
  readonly ownersLabel: string | null;
}

export function ladderOf({ ladder, label, ownersLabel }: Laddered, { own, labels, account }: LadderBook): ModelLadder {
  if (ladder !== null && typeof ladder !== 'string') return ladder;
  const names = [ladder, labels.get(ownersLabel ?? label), account, 'default'];
  const found = names.map((name) => (name == null ? undefined : (SERVICE_LADDERS[name] ?? own.get(name))));
  return found.find((one) => one !== undefined) as ModelLadder;
}

interface Step {
  readonly ladder: ModelLadder;
  readonly step: number;
  readonly isMustNotMiss: boolean;
  readonly lastNudge: number;
}

/** When the nudge after the last one is wanted, and its stage; null if the ladder has ended. */
export function nextRung(
  { ladder, step, isMustNotMiss, lastNudge }: Step,
  { zone, dayStart }: { readonly zone: string; readonly dayStart: string },
): { readonly at: number; readonly stage: number } | null {
  const rung = findRung(ladder, step, isMustNotMiss);
  if (!rung) return null;
  const [after, stage] = rung;
  const earliest = lastNudge + (isMustNotMiss ? 1 : 5) * MINUTE_MS;
  if (typeof after === 'number') return { at: Math.max(earliest, lastNudge + after * MINUTE_MS), stage };
  const time = timeOfDay(after === 'day_start' ? dayStart : after);
  // Four hours before the day starts, it is still the night of the day before.
  const today = startOfDay(wallAt(zone, lastNudge));
  const isNight = instantOf(zone, today + timeOfDay(dayStart)) - lastNudge >= NIGHT_MS;
  const soonest = isNight ? Math.max(earliest, lastNudge + NIGHT_MS) : earliest;
  let day = isNight ? today : today + DAY_MS;
  while (instantOf(zone, day + time) < soonest) day += DAY_MS;
  return { at: instantOf(zone, day + time), stage };
}

function findRung({ rungs, again, times }: ModelLadder, step: number, isMustNotMiss: boolean) {
  const last = rungs[rungs.length - 1] as ModelLadder['rungs'][number];
  if (step < rungs.length) return rungs[step];
  const repeated = rungs.slice(rungs.length - again).map(([after]) => [after, last[1]] as const);
  if (step < rungs.length + again * times) return repeated[(step - rungs.length) % again];
  if (!isMustNotMiss) return undefined;
  const [after, stage] = last;
  return [after === 0 ? 60 : typeof after === 'number' ? Math.max(5, after) : after, stage] as const;
}
