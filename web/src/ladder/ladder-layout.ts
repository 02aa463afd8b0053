/**
 * Where everything of the ladder stands. Pure: timeline and forecast in, positions out.
 *
 * The axis is true in its order and honest about its gaps: minutes are drawn wide and days narrow,
 * so that quarter hours can be told apart beside a heads-up of last week, and a gap that was
 * shortened is marked as such.
 */
import type { Nudge, Task, TimelineEntry } from '../api/client.ts';

export type NudgeState = 'sent' | 'acknowledged' | 'failed' | 'no_device' | 'pending' | 'coming';

export interface Rung {
  readonly at: number;
  readonly stage: number;
  readonly state: NudgeState;
  readonly x: number;
}

interface Hold {
  readonly from: number;
  readonly to: number;
  readonly names: readonly ('quiet_hours' | 'pause')[];
  readonly x: number;
  readonly width: number;
}

interface Mark {
  readonly kind: 'now' | 'due' | 'snoozed' | 'done' | 'skipped';
  readonly at: number;
  readonly x: number;
}

export interface Ladder {
  readonly rungs: readonly Rung[];
  readonly holds: readonly Hold[];
  readonly marks: readonly Mark[];
  /** Where the axis leaves out time. */
  readonly breaks: readonly number[];
  readonly width: number;
}

const PAST_NUDGES = 10;
const MARGIN_PX = 36;
const QUARTER_MS = 15 * 60_000;
const QUARTER_PX = 48;
const WIDEST_GAP_PX = 130;

interface LadderInput {
  readonly task: Pick<Task, 'due_at' | 'has_time' | 'status'>;
  readonly timeline: readonly TimelineEntry[];
  readonly forecast: readonly Nudge[];
  readonly now: number;
}

type Placed<T> = Omit<T, 'x' | 'width'>;

export function layLadder({ task, timeline, forecast, now }: LadderInput): Ladder {
  const past = pastNudges(timeline);
  const coming = forecast.map(({ at, stage }) => ({ at: Date.parse(at), stage, state: 'coming' as const }));
  const rungs: Placed<Rung>[] = [...past, ...coming];
  const first = Math.min(now, ...rungs.map(({ at }) => at));
  const holds = [...pastHolds(timeline), ...comingHolds(forecast)].filter(({ to }) => to >= first);
  const marks = marksOf(task, timeline, now, first);
  const axis = layAxis([...rungs, ...marks].map(({ at }) => at).concat(holds.flatMap(({ from, to }) => [from, to])));
  return {
    rungs: rungs.map((rung) => ({ ...rung, x: axis.place(rung.at) })),
    holds: mergeHolds(holds).map((hold) => {
      const x = axis.place(hold.from);
      return { ...hold, x, width: axis.place(hold.to) - x };
    }),
    marks: marks.map((mark) => ({ ...mark, x: axis.place(mark.at) })),
    breaks: axis.breaks,
    width: axis.width,
  };
}

/** Oldest first. A nudge was seen when an acknowledgement of its stage came before the next nudge. */
function pastNudges(timeline: readonly TimelineEntry[]): Placed<Rung>[] {
  const rungs: Placed<Rung>[] = [];
  for (const entry of timeline.toReversed()) {
    const at = Date.parse(entry.at);
    const last = rungs.at(-1);
    if (entry.kind === 'nudge') rungs.push({ at, stage: entry.stage ?? 0, state: stateOf(entry) });
    else if (entry.kind === 'acknowledged' && last && last.stage === entry.stage)
      rungs[rungs.length - 1] = { ...last, state: 'acknowledged' };
  }
  return rungs.slice(-PAST_NUDGES);
}

function stateOf({ reached, deliveries }: TimelineEntry): NudgeState {
  if (deliveries?.some(({ acknowledged_at }) => acknowledged_at !== null)) return 'acknowledged';
  return reached === 'failed' || reached === 'no_device' || reached === 'pending' ? reached : 'sent';
}

function pastHolds(timeline: readonly TimelineEntry[]): Placed<Hold>[] {
  return timeline
    .filter(({ kind, until }) => kind === 'held' && until !== null)
    .map(({ at, until, holds }) => ({ from: Date.parse(at), to: Date.parse(until ?? at), names: holds }));
}

function comingHolds(forecast: readonly Nudge[]): Placed<Hold>[] {
  return forecast
    .filter(({ holds }) => holds.length > 0)
    .map(({ wanted_at, at, holds }) => ({ from: Date.parse(wanted_at), to: Date.parse(at), names: holds }));
}

/** Several nudges may wait for the end of the same hold. */
function mergeHolds(holds: readonly Placed<Hold>[]): Placed<Hold>[] {
  const merged: Placed<Hold>[] = [];
  for (const hold of holds.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && hold.from <= last.to && last.names.join() === hold.names.join())
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, hold.to) };
    else merged.push(hold);
  }
  return merged;
}

function marksOf(task: LadderInput['task'], timeline: readonly TimelineEntry[], now: number, first: number) {
  const marks: Placed<Mark>[] = [{ kind: 'now', at: now }];
  if (task.due_at !== null && task.has_time) marks.push({ kind: 'due', at: Date.parse(task.due_at) });
  for (const { kind, at } of timeline) {
    if (kind === 'snoozed' || kind === 'done' || kind === 'skipped') marks.push({ kind, at: Date.parse(at) });
  }
  return marks.filter(({ at }) => at >= first);
}

function layAxis(moments: readonly number[]) {
  const knots = [...new Set(moments)].sort((a, b) => a - b);
  const positions: number[] = [];
  const breaks: number[] = [];
  let x = MARGIN_PX;
  knots.forEach((knot, index) => {
    const gap = index === 0 ? 0 : knot - (knots[index - 1] ?? knot);
    const wanted = gap === 0 ? 0 : QUARTER_PX * (gap / QUARTER_MS) ** 0.36;
    if (wanted > WIDEST_GAP_PX) breaks.push(x + WIDEST_GAP_PX / 2);
    x += Math.min(wanted, WIDEST_GAP_PX);
    positions.push(x);
  });
  return { place: (moment: number) => positions[knots.indexOf(moment)] ?? MARGIN_PX, breaks, width: x + MARGIN_PX };
}
