import type { ShownTask as Task } from '../../../src/tasks/shown-tasks.store.ts';
import { callerOf } from '../actions.ts';
import { findUntruth } from '../compare.ts';
import type { Invariant } from '../invariant.ts';
import type { Person } from '../person.ts';
import { visibleTasks } from '../visibility.ts';
import type { World } from '../world.ts';

/** A client that only syncs has what a person may see, and nothing else. */
export const invariant: Invariant = {
  name: 'sync',
  end: async (world) => {
    for (const person of world.people.values()) {
      const problem = person.isGone ? undefined : await findLag(world, person);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
};

/** Syncs, and compares the copy with the model. */
export async function findLag(world: World, person: Person): Promise<string | undefined> {
  for (let before = -1; before !== world.committedNudge; ) {
    before = world.committedNudge;
    const problem = await receive(world, person);
    if (problem !== undefined) return problem === 'no answer' ? undefined : problem;
    // A nudge that was stored meanwhile may have come after what was read, and is in the next answer.
  }
  world.nudgeLog.catchUp({ id: '', nudge_count: 0 });
  return findDifference(world, person);
}

/** Syncs. What others change at the same moment may be in the answer or not. */
export async function receive(world: World, person: Person): Promise<string | undefined> {
  const answer = await world.call(async ({ sync }) => {
    const { tasks, removed, reset, serverTime } = await sync.changesSince(callerOf(person), person.syncedUpTo);
    return { tasks: await all(tasks), removed: await all(removed), reset, serverTime };
  });
  if (answer === 'no answer') return answer;
  if ('refusal' in answer) return `Sync was refused: ${answer.refusal}.`;
  const { tasks, removed, reset, serverTime } = answer.value;
  if (reset) person.copy.clear();
  for (const task of tasks) {
    const known = person.copy.get(task.id);
    if (known && isOlder(world, task, known)) return `Sync gave ${person.name} an older “${task.title}” than before.`;
    person.copy.set(task.id, task);
  }
  for (const id of removed) person.copy.delete(id);
  person.syncedUpTo = serverTime;
  return undefined;
}

/** Where no clock was ever set. */
const isOlder = ({ clocks }: World, task: Task, known: Task): boolean =>
  clocks.jumpedMs === Number.NEGATIVE_INFINITY && task.updated_at < known.updated_at;

function findDifference(world: World, person: Person): string | undefined {
  const visible = new Map(visibleTasks(world, person.id).map((task) => [task.id, task]));
  // A task that is planned again in a slice is reported once its slice has stored it.
  const replanning = new Set(
    world.query("select user_id from follow_ups where kind = 'replan'").map((row) => row.user_id),
  );
  for (const [id, task] of visible) {
    if (world.corrections.unsettled.has(id) || replanning.has(task.owner)) continue;
    const copy: Task | undefined = person.copy.get(id);
    if (!copy) return `Sync never gave ${person.name} “${task.title}”.`;
    const untruth = findUntruth(world, task, copy);
    if (untruth !== undefined) return `The copy of ${person.name} is old: ${untruth}`;
  }
  for (const [id, { title }] of person.copy)
    if (!visible.has(id) && !world.corrections.unsettled.has(id))
      return `Sync left ${person.name} “${title}”, which they may not see.`;
  return undefined;
}

async function all<T>({ first, rest }: { first: readonly T[]; rest?: AsyncIterable<T[]> | undefined }): Promise<T[]> {
  const rows = [...first];
  for await (const page of rest ?? []) rows.push(...page);
  return rows;
}
