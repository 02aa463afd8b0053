/** An administrator suspends accounts for a while. Their owners can do nothing meanwhile, and nothing nags them. */
import { meetNudge, pickTask } from '../actions.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { World } from '../world.ts';
import { change } from './settings.ts';

const MINUTE_MS = 60_000;

const setSuspended = (world: World, person: Person, isSuspended: boolean): Promise<void> =>
  change(
    world,
    person,
    isSuspended ? 'is suspended' : 'is not suspended any more',
    ({ settings }) => settings.setSuspended(person.id, isSuspended ? new Date(world.now) : null),
    (before) => ({ ...before, isSuspended }),
  );

/** At the end, everything that was due in the meantime must come. */
export async function liftAll(world: World): Promise<void> {
  for (const person of world.people.values())
    if (person.settings.isSuspended) await world.runStep(() => setSuspended(world, person, false));
}

const suspend: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (task) await meetNudge(world, task, random);
    await setSuspended(world, actor, true);
    // A push that waits for the end is checked again and again, which in a week was most of a run.
    if (!actor.settings.isSuspended || !hasWaitingPush(world, actor)) return;
    await world.pass(random.between(1, 60) * MINUTE_MS);
    await setSuspended(world, actor, false);
  },
};

const hasWaitingPush = (world: World, { id }: Person): boolean =>
  world.query("select 1 from deliveries where recipient_id = ? and status = 'pending' limit 1", id).length > 0;

const lift: StepKind = {
  weight: 5,
  async run(world, _actor, random) {
    const suspended = [...world.people.values()].filter(({ isGone, settings }) => !isGone && settings.isSuspended);
    if (suspended.length > 0) await setSuspended(world, random.pick(suspended), false);
  },
};

export const steps = { suspend, lift };
