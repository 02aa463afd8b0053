/** Compares what the service answers or stores with the model. */
import type { ShownTask as Task } from '../../src/tasks/shown-tasks.store.ts';
import { expectNudge } from './model/ladder.ts';
import { dueAt, type ModelTask } from './model/task.ts';
import type { World } from './world.ts';

const LADDER = ['escalation_stage', 'nudge_count', 'last_nudge_at', 'next_fire_at'];
const PLACE = ['status', 'space_id', 'assigner_id', 'next_fire_at'];
/** How soon after its start the engine has swept the due tasks. */
const SWEPT_WITHIN_MS = 5_000;
const COMMITTED_WITHIN_MS = 100;

/** What an answer must say about a task. */
function expectedAnswer(world: World, task: ModelTask): Record<string, unknown> {
  return {
    owner_id: task.owner,
    assigner_id: task.assigner,
    space_id: task.space,
    title: task.title,
    status: task.status,
    accepted_by_owner: task.isAccepted,
    mode: task.mode,
    break_quiet_hours: task.isMustNotMiss,
    has_time: task.hasTime,
    due_at: dueAt(task, world.settingsOf(task)),
    lead_time_days: task.leadDays,
    deferred_until: task.snoozedUntil,
    escalation_stage: task.stage,
    nudge_count: task.nudges,
    last_nudge_at: task.lastNudge,
    next_fire_at: world.expected.get(task.id)?.at ?? null,
  };
}

/** Undefined if the answer is true. */
export function findUntruth(world: World, task: ModelTask, row: Task): string | undefined {
  // A closed task without a time keeps the instant of its day that it had when it was closed.
  const isFrozen = !task.isOpen && !task.hasTime;
  const ignored = [
    ...(isFrozen ? ['due_at'] : []),
    ...(world.corrections.loose.has(task.id) ? LADDER : []),
    ...(world.corrections.unsettled.has(task.id) ? PLACE : []),
  ];
  for (const [name, wanted] of Object.entries(expectedAnswer(world, task))) {
    const value = comparable(row[name as keyof Task]);
    if (ignored.includes(name) || value === wanted || isDueAnyway(world, task, name, value, wanted)) continue;
    const show = (moment: unknown) =>
      typeof moment === 'number' && /_at$|_until$/.test(name) ? new Date(moment).toISOString() : String(moment);
    return `“${task.title}” has ${name} ${show(value)}, and it should be ${show(wanted)}.`;
  }
  return undefined;
}

/**
 * A nudge that is due already comes now, whichever past moment it was planned for. If it became due in a hold, because
 * the clock was set or no process was running, it waits until the engine has planned it again.
 */
function isDueAnyway(world: World, task: ModelTask, name: string, value: unknown, wanted: unknown): boolean {
  if (name !== 'next_fire_at' || typeof value !== 'number' || typeof wanted !== 'number') return false;
  if (world.clocks.isApart) return true;
  const now = world.now + world.clocks.errorMs;
  if (wanted <= now && value === expectNudge(task, world.settingsOf(task), world.now)?.at) return true;
  return value <= now && (wanted <= now || world.liveMs <= SWEPT_WITHIN_MS);
}

const comparable = (value: unknown): unknown => (value instanceof Date ? value.getTime() : value);

/**
 * An engine that starts with a clock a little behind corrects what has begun in its future. The model knows a change from
 * its answer, which comes a little later if the commit was tried again.
 */
const isBegun = (world: World, { runFrom }: ModelTask, startedAt: number) =>
  startedAt <= runFrom && startedAt >= runFrom - world.clocks.errorMs - COMMITTED_WITHIN_MS;

/** Whether the stored row and its outcomes equal this task. Compares only what a crash could have left half done. */
export function isStoredAs(world: World, task: ModelTask, moreOutcomes: number): boolean {
  const row = world.storedTask(task.id);
  if (!row) return false;
  const outcomes = world.query('select count(*) as count from outcomes where task_id = ?', task.id)[0]?.count;
  const known = world.person(task.owner).outcomes.filter(({ taskId }) => taskId === task.id).length;
  return (
    row.status === task.status &&
    row.title === task.title &&
    row.accepted_by_owner === Number(task.isAccepted) &&
    row.deferred_until === task.snoozedUntil &&
    (world.corrections.loose.has(task.id) ||
      (row.run === task.run && isBegun(world, task, Number(row.run_started_at)) && row.step === task.step)) &&
    row.mode === task.mode &&
    row.lead_time_days === task.leadDays &&
    row.break_quiet_hours === Number(task.isMustNotMiss) &&
    row.rings_anyway_at === task.ringsAnywayAt &&
    row.kind === task.label &&
    (row.ladder === null) === (task.ladder === null) &&
    JSON.stringify(JSON.parse(String(row.heads_ups ?? '[]'))) === JSON.stringify(task.headsUps) &&
    (world.corrections.unsettled.has(task.id) || (row.space_id === task.space && row.assigner_id === task.assigner)) &&
    (!task.hasTime || row.due_at === task.due) &&
    outcomes === known + moreOutcomes
  );
}
