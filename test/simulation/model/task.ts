/** What the design says an action does to a task. The world compares every answer with it. */
import { type Climbing, type Expected, expectNudge, type HeadsUp, type Settings } from './ladder.ts';
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
  readonly batch: string | undefined;
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

/** A stand-in by their id, because each takes back only what they did themselves. */
export type Actor = 'owner' | 'assigner' | `stand-in ${string}`;
export type ActionName = 'complete' | 'skip' | 'snooze' | 'drop' | 'accept' | 'decline' | 'reopen';

export interface Action {
  readonly name: ActionName;
  readonly until?: number;
  /** The occurrence that the action names, as its due instant. */
  readonly occurrence?: number | null;
  /** The bulk change that it belongs to, or that it takes back. */
  readonly batch?: string;
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
    case 'skip':
      return isStale ? { refusal: 'occurrence_passed' } : close(task, action, actor, settings, now);
    case 'snooze':
      return isStale ? { refusal: 'occurrence_passed' } : snooze(task, action.until ?? 0, now);
    case 'drop':
      return drop(task, actor, action.batch, now);
    case 'accept':
    case 'decline':
      return answerRequest(task, action.name, now);
    case 'reopen':
      return mayUndo(task, action, actor, settings)
        ? reopen(task, action.batch, now)
        : { refusal: 'nothing_to_reopen' };
  }
}

function drop(task: ModelTask, actor: Actor, batch: string | undefined, now: number): Result {
  if (task.status !== 'open') return task.status === 'dropped' ? { task } : { refusal: 'task_closed' };
  const undo = { at: now, by: actor, batch, outcome: null, fields: restorable(task) };
  return { task: { ...withStatus(task, 'dropped'), snoozedUntil: null, undo } };
}

function answerRequest(task: ModelTask, name: 'accept' | 'decline', now: number): Result {
  const isDone = name === 'accept' ? task.isAccepted : task.status === 'declined';
  if (isDone) return { task };
  if (task.status !== 'open') return { refusal: 'task_closed' };
  if (name === 'accept')
    return { task: { ...startRun(task, now), isAccepted: true, headsUpsDone: null, ownersLabel: null } };
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

/** A stand-in takes back their own completion of the occurrence that they were told of. */
function mayUndo(task: ModelTask, { occurrence }: Action, actor: Actor, settings: Settings): boolean {
  if (!actor.startsWith('stand-in')) return true;
  if (!task.undo) return task.status === 'open' && isNamed(task, occurrence ?? null, settings);
  return task.undo.by === actor && isNamed({ ...task, ...task.undo.fields }, occurrence ?? null, settings);
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

function close(task: ModelTask, { name, batch }: Action, actor: Actor, settings: Settings, now: number): Result {
  const kind: Outcome['kind'] = name === 'complete' ? 'done' : 'skipped';
  if (task.status !== 'open') return task.status === kind ? { task } : { refusal: 'task_closed' };
  const seconds = Math.max(0, Math.round((now - task.occurrenceFrom) / 1_000));
  const added = { taskId: task.id, occurrence: dueAt(task, settings), kind, seconds };
  const undo = { at: now, by: actor, batch, outcome: added, fields: restorable(task) };
  const ownersLabel = task.isAccepted ? task.ownersLabel : null;
  const closed = { ...task, isAccepted: true, ownersLabel, snoozedUntil: null, undo };
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

/** Taking back a bulk change leaves what somebody did to the task since. */
function reopen(task: ModelTask, batch: string | undefined, now: number): Result {
  const { undo } = task;
  if (batch !== undefined && undo?.batch !== batch) return { refusal: 'nothing_to_reopen' };
  if (!undo) return task.status === 'open' ? { task } : { refusal: 'nothing_to_reopen' };
  if (now - undo.at > DAY_MS) return { refusal: 'nothing_to_reopen' };
  const restored = withStatus({ ...startRun(task, now), ...undo.fields, undo: null }, undo.fields.status);
  return { task: restored, withdrawn: undo.outcome };
}

/** The ladder holds from the next nudge on; no run begins. */
export function chooseLadder(task: ModelTask, ladder: ModelTask['ladder'], actor: Actor, isFit: boolean): Result {
  if (actor !== 'owner') return { refusal: 'not_allowed' };
  if (task.status !== 'open') return { refusal: 'task_closed' };
  return isFit ? { task: { ...task, ladder } } : { refusal: 'invalid' };
}

/** The first one in days is the lead time. */
export function setHeadsUps(task: ModelTask, all: readonly HeadsUp[], actor: Actor): Result {
  if (actor !== 'owner') return { refusal: 'not_allowed' };
  if (task.status !== 'open') return { refusal: 'task_closed' };
  const lead = all.find((one) => 'days' in one);
  const changed = { ...task, leadDays: lead?.days ?? null, headsUps: all.filter((one) => one !== lead) };
  const isNew =
    changed.leadDays !== task.leadDays || JSON.stringify(changed.headsUps) !== JSON.stringify(task.headsUps);
  return { task: isNew && !hadHeadsUp(task) ? { ...changed, headsUpsDone: null } : changed };
}

const hadHeadsUp = ({ headsUpsDone, lastNudge }: ModelTask): boolean =>
  headsUpsDone !== null && lastNudge !== null && lastNudge >= headsUpsDone;

/** Somebody else's change of the label of an accepted task changes no ladder. */
export function withLabel(task: ModelTask, label: string, actor: Actor): ModelTask {
  if (label === task.label) return task;
  if (actor === 'owner') return { ...task, label, ownersLabel: null };
  return { ...task, label, ownersLabel: task.isAccepted ? (task.ownersLabel ?? task.label) : task.ownersLabel };
}

export interface Edit {
  readonly title?: string;
  readonly label?: string;
  readonly due?: number;
  readonly mode?: ModelTask['mode'];
  readonly leadDays?: number | null;
  readonly isMustNotMiss?: boolean;
  readonly space?: string | null;
  /** The series ends with its present date. */
  readonly rule?: null;
}

export function edit(task: ModelTask, change: Edit, settings: Settings, now: number): Result {
  const { due = task.due, mode = task.mode, leadDays = task.leadDays, label: _, ...plain } = change;
  if (task.status !== 'open' && Object.keys(change).some((name) => name !== 'title')) return { refusal: 'task_closed' };
  const isDueNew = due !== task.due;
  let changed: ModelTask = { ...task, ...plain, due, mode, leadDays };
  const isRuleNew = change.rule === null && task.rule !== null;
  if (mode !== task.mode || isRuleNew) changed = startRun(changed, now);
  if (isRuleNew) changed = { ...changed, undo: null };
  if (hadHeadsUp(task)) changed = { ...changed, headsUpsDone: task.headsUpsDone };
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

/** The owner names the moment of one of the next nudges, or takes that back with null. */
export function ringAnyway(task: ModelTask, at: number | null, actor: Actor, settings: Settings, now: number): Result {
  if (actor !== 'owner') return { refusal: 'not_allowed' };
  if (task.status !== 'open') return { refusal: 'task_closed' };
  if (!task.isAccepted) return { refusal: 'task_not_accepted' };
  if (task.ringsAnywayAt === at) return { task };
  const named = { ...task, ringsAnywayAt: at };
  return at === null || canRing(named, at, settings, now) ? { task: named } : { refusal: 'invalid' };
}

/** Only a snooze that still lasts can be taken back. */
export function endSnooze(task: ModelTask, now: number): Result {
  if (task.status !== 'open') return { refusal: 'task_closed' };
  if (!task.isAccepted) return { refusal: 'task_not_accepted' };
  if (task.snoozedUntil === null || task.snoozedUntil <= now) return { task };
  return { task: { ...startRun(task, now), snoozedUntil: null } };
}

/** Seven heads-ups may come before the first nudge. */
function canRing(task: ModelTask, moment: number, settings: Settings, now: number): boolean {
  let [current, at] = [task, now];
  for (let count = 0; count < 8; count += 1) {
    const next = expectNudge(current, settings, at);
    if (!next) return false;
    if (next.wanted === moment && next.at === Math.max(moment, at)) return true;
    [current, at] = [climb(current, next), next.at];
  }
  return false;
}

/** After the nudge that was expected. A heads-up does not climb. */
export function climb(task: ModelTask, { at, stage }: Pick<Expected, 'at' | 'stage'>): ModelTask {
  const nudged = { ...task, lastNudge: at, nudges: task.nudges + 1 };
  return stage === -1 ? { ...nudged, headsUpsDone: at } : { ...nudged, step: task.step + 1, stage };
}
