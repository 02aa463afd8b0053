/**
 * Computes the positions in the drawing of a ladder from its timeline and forecast. Pure.
 *
 * The time axis keeps the order but not the scale: minutes are wide and days narrow, so that quarter
 * hours stay apart in the same drawing as a heads-up of last week. A shortened gap is marked.
 */
import type { Nudge, Task, TimelineEntry } from '../api/client.ts';

export type NudgeState = 'sent' | 'acknowledged' | 'failed' | 'no_device' | 'pending' | 'coming';

export interface Rung {
  readonly at: number;
  readonly stage: number;
  readonly state: NudgeState;
  /** What a coming nudge is sent to at once. */
  readonly via?: Nudge['via'];
  /** The tiers that a coming nudge falls to if nobody answers. */
  readonly falls?: Nudge['falls'];
  /** What holds a coming nudge. */
  readonly holds?: Nudge['holds'];
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

export interface LadderLayout {
  readonly rungs: readonly Rung[];
  readonly holds: readonly Hold[];
  readonly marks: readonly Mark[];
  /** The positions at which the axis shortens a gap. */
  readonly breaks: readonly number[];
  readonly width: number;
}

const MAX_PAST_NUDGES = 10;
const MARGIN_PX = 36;
const QUARTER_MS = 15 * 60_000;
const QUARTER_PX = 48;
const MAX_GAP_PX = 130;

interface LadderInput {
  readonly task: Pick<Task, 'due_at' | 'has_time' | 'status'>;
  readonly timeline: readonly TimelineEntry[];
  readonly forecast: readonly Nudge[];
  readonly now: number;
}

type Unplaced<T> = Omit<T, 'x' | 'width'>;

export function layOutLadder({ task, timeline, forecast, now }: LadderInput): LadderLayout {
  const past = pastNudges(timeline);
  const coming = forecast.map(({ at, stage, via, falls, holds }) => ({
    at: Date.parse(at),
    stage,
    state: 'coming' as const,
    via,
    falls,
    holds,
  }));
  const rungs: Unplaced<Rung>[] = [...past, ...coming];
  const first = Math.min(now, ...rungs.map(({ at }) => at));
  const holds = [...pastHolds(timeline), ...comingHolds(forecast)].filter(({ to }) => to >= first);
  const marks = marksOf(task, timeline, now, first);
  const axis = layOutAxis([...rungs, ...marks].map(({ at }) => at).concat(holds.flatMap(({ from, to }) => [from, to])));
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

/** Oldest first. An acknowledgement of the same stage before the next nudge marks it as seen, but not a stand-in's. */
function pastNudges(timeline: readonly TimelineEntry[]): Unplaced<Rung>[] {
  const rungs: Unplaced<Rung>[] = [];
  for (const entry of timeline.toReversed()) {
    const at = Date.parse(entry.at);
    const last = rungs.at(-1);
    if (entry.kind === 'nudge') rungs.push({ at, stage: entry.stage ?? 0, state: stateOf(entry) });
    else if (entry.kind === 'acknowledged' && entry.by !== 'stand_in' && last?.stage === entry.stage)
      rungs[rungs.length - 1] = { ...last, state: 'acknowledged' };
  }
  return rungs.slice(-MAX_PAST_NUDGES);
}

function stateOf({ reached, deliveries }: TimelineEntry): NudgeState {
  if (deliveries?.some(({ acknowledged_at }) => acknowledged_at !== null)) return 'acknowledged';
  if (reached === 'not_sent') return 'failed';
  return reached === 'failed' || reached === 'no_device' || reached === 'pending' ? reached : 'sent';
}

function pastHolds(timeline: readonly TimelineEntry[]): Unplaced<Hold>[] {
  return timeline
    .filter(({ kind, until }) => kind === 'held' && until !== null)
    .map(({ at, until, holds }) => ({ from: Date.parse(at), to: Date.parse(until ?? at), names: holds }));
}

function comingHolds(forecast: readonly Nudge[]): Unplaced<Hold>[] {
  return forecast
    .filter(({ holds }) => holds.length > 0)
    .map(({ wanted_at, at, holds }) => ({ from: Date.parse(wanted_at), to: Date.parse(at), names: holds }));
}

/** Several nudges can wait for the end of the same hold. */
function mergeHolds(holds: readonly Unplaced<Hold>[]): Unplaced<Hold>[] {
  const merged: Unplaced<Hold>[] = [];
  for (const hold of holds.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && hold.from <= last.to && last.names.join() === hold.names.join())
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, hold.to) };
    else merged.push(hold);
  }
  return merged;
}

function marksOf(task: LadderInput['task'], timeline: readonly TimelineEntry[], now: number, first: number) {
  const marks: Unplaced<Mark>[] = [{ kind: 'now', at: now }];
  if (task.due_at !== null && task.has_time) marks.push({ kind: 'due', at: Date.parse(task.due_at) });
  for (const { kind, at } of timeline) {
    if (kind === 'snoozed' || kind === 'done' || kind === 'skipped') marks.push({ kind, at: Date.parse(at) });
  }
  return marks.filter(({ at }) => at >= first);
}

function layOutAxis(moments: readonly number[]) {
  const knots = [...new Set(moments)].sort((a, b) => a - b);
  const positions: number[] = [];
  const breaks: number[] = [];
  let x = MARGIN_PX;
  knots.forEach((knot, index) => {
    const gap = index === 0 ? 0 : knot - (knots[index - 1] ?? knot);
    const width = gap === 0 ? 0 : QUARTER_PX * (gap / QUARTER_MS) ** 0.36;
    if (width > MAX_GAP_PX) breaks.push(x + MAX_GAP_PX / 2);
    x += Math.min(width, MAX_GAP_PX);
    positions.push(x);
  });
  return { place: (moment: number) => positions[knots.indexOf(moment)] ?? MARGIN_PX, breaks, width: x + MARGIN_PX };
}
