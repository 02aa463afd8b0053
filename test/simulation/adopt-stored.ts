/** Where the design lets the engine choose the moment of a change, the model reads the change from the stored row. */
import type { ModelTask } from './model/task.ts';
import type { World } from './world.ts';

/** The ladder of a task after the engine has corrected it; undefined until then. */
export function correctedLadder(world: World, task: ModelTask): ModelTask | undefined {
  const row = world.storedTask(task.id);
  // The engine corrects by its own clock, which may be a little ahead, or far behind until the other one follows.
  const latest = world.earlierNow + world.errorMs;
  if (!row || Number(row.last_nudge_at ?? 0) > latest || Number(row.run_started_at) > latest) return undefined;
  return {
    ...task,
    nudges: Number(row.nudge_count),
    run: Number(row.run),
    runFrom: Number(row.run_started_at),
    step: Number(row.step),
    stage: Number(row.escalation_stage),
    lastNudge: row.last_nudge_at === null ? null : Number(row.last_nudge_at),
    headsUpsDone: row.heads_up_at === null ? null : Number(row.heads_up_at),
  };
}

/** Takes over what follow-ups did to a task: it has left its space, was dropped or deleted, or cannot be reopened. */
export function adoptPlace(world: World, id: string): void {
  const [task, row] = [world.tasks.get(id), world.storedTask(id)];
  if (!task || !row) {
    world.forget(id);
    return;
  }
  const isDropped = row.status === 'dropped' && task.status === 'open';
  const isFinal = row.undo === null && task.undo !== null;
  world.changed(id, (change) => change(row));
  if (row.space_id === task.space && row.assigner_id === task.assigner && !isDropped && !isFinal) return;
  world.learn({
    ...task,
    space: row.space_id as string | null,
    assigner: row.assigner_id as string | null,
    ...(isDropped && { status: 'dropped', isOpen: false }),
    ...(isFinal && { undo: null }),
  });
}
