/** The same action twice at the same moment, as a double tap does. It takes effect once. */
import { doTwice, meetNudge, pickTask } from '../actions.ts';
import { dueAt } from '../model/task.ts';
import type { StepKind } from '../plan.ts';

const doubleTap: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (
      !task ||
      task.owner !== actor.id ||
      world.corrections.loose.has(task.id) ||
      world.corrections.unsettled.has(task.id)
    )
      return;
    await meetNudge(world, task, random);
    const current = world.tasks.get(task.id);
    if (!current?.isOpen) return;
    const occurrence = dueAt(current, world.settingsOf(current));
    await doTwice(world, actor, current, { name: random.pick(['complete', 'skip', 'drop']), occurrence });
  },
};

export const steps = { doubleTap };
