/** What the design says an action does to a task. The world compares every answer with it. */
import type { Climbing, Expected, Settings } from './ladder.ts';
import { DAY_MS, instantOf, startOfDay, wallAt } from './zone.ts';

export interface Rule {
  readonly freq: 'daily' | 'weekly';
  readonly interval: number;
  readonly from: 'due' | 'completion';
}

type Status = 'open' | 'done' | 'skipped' | 'dropped' | 'declined';

/** The fields that reopening restores. */
type Restored = Pick<
  ModelTask,
  'status' | 'isAccepted' | 'due' | 'dueWall' | 'snoozedUntil' | 'occurrenceFrom' | 'seriesFirst'
>;

interface Undo {
  readonly at: number;
  readonly by: Actor;
  readonly outcome: Outcome | null;
  readonly fields: Restored;
}

export interface Outcome {
  readonly taskId: string;
  readonly occurrence: number | null;
  readonly kind: 'done' | 'skipped';
  readonly seconds: number;
}

export interface ModelTask extends Climbing {
  readonly id: string;
  readonly title: string;
  readonly owner: string;
  readonly assigner: string | null;
  readonly space: string | null;
  readonly status: Status;
  readonly rule: Rule | null;
  /** The wall time that the series is counted from. */
  readonly seriesFirst: number | null;
  /** When the occurrence is due by the clocks of the zone that its owner had when it was set. */
  readonly dueWall: number | null;
  /** Creation, or the end of the previous occurrence. */
  readonly occurrenceFrom: number;
  readonly stage: number;
  readonly nudges: number;
  readonly undo: Undo | null;
}

export type Actor = 'owner' | 'assigner';
export type ActionName = 'complete' | 'skip' | 'snooze' | 'drop' | 'accept' | 'decline' | 'reopen';

export interface Action {
  readonly name: ActionName;
  readonly until?: number;
  /** The occurrence that the action names, as its due instant. */
  readonly occurrence?: number | null;
}

export type Result =
  | { readonly refusal: string }
  | { readonly task: ModelTask; readonly added?: Outcome; readonly withdrawn?: Outcome | null };

const isPending = ({ status, isAccepted }: ModelTask): boolean => status === 'open' && !isAccepted;

/** The `due_at` of an answer: without a time, the midnight of the day in the owner's zone. */
export const dueAt = ({ due, hasTime }: Climbing, { zone }: Settings): number | null =>
  due === null || hasTime ? due : instantOf(zone, due);

export const overdueAt = ({ due, hasTime }: Climbing, { zone }: Settings): number | null =>
  due === null || hasTime ? due : instantOf(zone, startOfDay(due) + DAY_MS);

const startRun = (task: ModelTask, now: number): ModelTask => ({
  ...task,
  run: task.run + 1,
  runFrom: now,
  step: 0,
  headsUpsDone: now,
  stage: 0,
});

const withStatus = (task: ModelTask, status: Status): ModelTask => ({ ...task, status, isOpen: status === 'open' });

export function act(task: ModelTask, action: Action, actor: Actor, settings: Settings, now: number): Result {
  if (actor === 'assigner' && !mayAssigner(task, action.name)) return { refusal: 'not_allowed' };
  const isStale = action.occurrence !== undefined && !isNamed(task, action.occurrence, settings);
  switch (action.name) {
    case 'complete':
    case 'skip': {
      const kind = action.name === 'complete' ? 'done' : 'skipped';
      return isStale ? { refusal: 'occurrence_passed' } : close(task, kind, actor, settings, now);
    }
    case 'snooze':
      return isStale ? { refusal: 'occurrence_passed' } : snooze(task, action.until ?? 0, now);
    case 'drop':
      return drop(task, actor, now);
    case 'accept':
    case 'decline':
      return answerRequest(task, action.name, now);
    case 'reopen':
      return reopen(task, now);
  }
}

function drop(task: ModelTask, actor: Actor, now: number): Result {
  if (task.status !== 'open') return task.status === 'dropped' ? { task } : { refusal: 'task_closed' };
  const undo = { at: now, by: actor, outcome: null, fields: restorable(task) };
  return { task: { ...withStatus(task, 'dropped'), snoozedUntil: null, undo } };
}

function answerRequest(task: ModelTask, name: 'accept' | 'decline', now: number): Result {
  const isDone = name === 'accept' ? task.isAccepted : task.status === 'declined';
  if (isDone) return { task };
  if (task.status !== 'open') return { refusal: 'task_closed' };
  if (name === 'accept') return { task: { ...startRun(task, now), isAccepted: true, headsUpsDone: null } };
  return task.isAccepted ? { refusal: 'task_not_pending' } : { task: withStatus(task, 'declined') };
}

/** Any moment that means its day names a task without a time, even the midnight of a zone that its owner once had. */
function isNamed(task: ModelTask, occurrence: number | null, settings: Settings): boolean {
  if (occurrence === dueAt(task, settings)) return true;
  if (task.hasTime || task.due === null || occurrence === null) return false;
  const wall = wallAt(settings.zone, occurrence);
  const isMidnightElsewhere = occurrence % DAY_MS === 0 && wall % DAY_MS !== 0;
  return startOfDay(isMidnightElsewhere ? occurrence : wall) === startOfDay(task.due);
}

/** The assigner undoes their own actions and a completion, but neither the owner's answer nor the owner's drop. */
function mayAssigner(task: ModelTask, name: ActionName): boolean {
  if (name === 'accept' || name === 'decline') return false;
  if (name !== 'reopen') return task.isAccepted || name === 'drop';
  if (!task.undo) return true;
  return task.undo.by === 'assigner' || (task.undo.fields.isAccepted && task.status !== 'dropped');
}

const restorable = (task: ModelTask): Restored => ({
  status: task.status,
  isAccepted: task.isAccepted,
  due: task.due,
  snoozedUntil: task.snoozedUntil,
  occurrenceFrom: task.occurrenceFrom,
  seriesFirst: task.seriesFirst,
  dueWall: task.dueWall,
});

function close(task: ModelTask, kind: Outcome['kind'], actor: Actor, settings: Settings, now: number): Result {
  if (task.status !== 'open') return task.status === kind ? { task } : { refusal: 'task_closed' };
  const seconds = Math.max(0, Math.round((now - task.occurrenceFrom) / 1_000));
  const added = { taskId: task.id, occurrence: dueAt(task, settings), kind, seconds };
  const undo = { at: now, by: actor, outcome: added, fields: restorable(task) };
  const closed = { ...task, isAccepted: true, snoozedUntil: null, undo };
  const next = nextOccurrence(task, settings, now);
  if (next === null) return { task: withStatus(closed, kind), added };
  return { task: { ...startRun(closed, now), ...next, occurrenceFrom: now }, added };
}

/** The first occurrence after both now and the closed one, which may be due later by the clocks of another zone. */
function nextOccurrence(
  { rule, due, dueWall, hasTime, seriesFirst }: ModelTask,
  { zone }: Settings,
  now: number,
): Pick<ModelTask, 'due' | 'dueWall'> | null {
  if (!rule || due === null || seriesFirst === null) return null;
  const today = startOfDay(wallAt(zone, now));
  const first = rule.from === 'due' ? seriesFirst : today + (seriesFirst - startOfDay(seriesFirst));
  const every = rule.interval * (rule.freq === 'daily' ? 1 : 7) * DAY_MS;
  const momentOf = (wall: number) => (hasTime ? instantOf(zone, wall) : startOfDay(wall));
  const passed = [hasTime ? now : today, hasTime ? due : startOfDay(due)];
  if (hasTime && dueWall !== null) passed.push(instantOf(zone, dueWall));
  if (rule.from === 'completion') passed.push(momentOf(first));
  const after = Math.max(...passed);
  let wall = first;
  while (momentOf(wall) <= after) wall += every;
  return { due: momentOf(wall), dueWall: hasTime ? wallAt(zone, momentOf(wall)) : wall };
}

function snooze(task: ModelTask, until: number, now: number): Result {
  if (until <= now) return { refusal: 'invalid' };
  if (task.status !== 'open') return { refusal: 'task_closed' };
  if (isPending(task)) return { refusal: 'task_not_accepted' };
  return { task: task.snoozedUntil === until ? task : { ...startRun(task, now), snoozedUntil: until } };
}

function reopen(task: ModelTask, now: number): Result {
  const { undo } = task;
  if (!undo) return task.status === 'open' ? { task } : { refusal: 'nothing_to_reopen' };
  if (now - undo.at > DAY_MS) return { refusal: 'nothing_to_reopen' };
  const restored = withStatus({ ...startRun(task, now), ...undo.fields, undo: null }, undo.fields.status);
  return { task: restored, withdrawn: undo.outcome };
}

export interface Edit {
  readonly title?: string;
  readonly due?: number;
  readonly mode?: ModelTask['mode'];
  readonly leadDays?: number | null;
  readonly isMustNotMiss?: boolean;
  readonly space?: string | null;
}

export function edit(task: ModelTask, change: Edit, settings: Settings, now: number): Result {
  const { due = task.due, mode = task.mode, leadDays = task.leadDays, ...plain } = change;
  if (task.status !== 'open' && Object.keys(change).some((name) => name !== 'title')) return { refusal: 'task_closed' };
  const isDueNew = due !== task.due;
  const hadHeadsUp = task.headsUpsDone !== null && task.lastNudge !== null && task.lastNudge >= task.headsUpsDone;
  let changed: ModelTask = { ...task, ...plain, due, mode, leadDays };
  if (mode !== task.mode) changed = startRun(changed, now);
  if (hadHeadsUp) changed = { ...changed, headsUpsDone: task.headsUpsDone };
  else if (leadDays !== task.leadDays) changed = { ...changed, headsUpsDone: null };
  if (!isDueNew) return { task: changed };
  const seriesFirst = due === null || !task.hasTime ? due : wallAt(settings.zone, due);
  return {
    task: {
      ...startRun(changed, now),
      headsUpsDone: null,
      snoozedUntil: null,
      seriesFirst,
      dueWall: seriesFirst,
      undo: null,
    },
  };
}

/** After the nudge that was expected. A heads-up does not climb. */
export function climb(task: ModelTask, { at, stage }: Expected): ModelTask {
  const nudged = { ...task, lastNudge: at, nudges: task.nudges + 1 };
  return stage === -1 ? { ...nudged, headsUpsDone: at } : { ...nudged, step: task.step + 1, stage };
}
