/** Accounts have many tasks due at once, and a quiet one has a single task due while theirs wait. */
import { isHeldAt } from '../model/ladder.ts';
import type { Person } from '../person.ts';
import { GATEWAY } from '../phones.ts';
import type { StepKind } from '../plan.ts';
import type { World } from '../world.ts';
import { addPhone } from './phones.ts';
import { createTask } from './tasks.ts';

/** Of all loud accounts together. */
const LOUD_TASKS = 24;
const MOST_LOUD = 2;
const IN_MS = 60_000;
const BEHIND_MS = 500;
/** Two rounds of a provider that takes 0.9 s for each push. */
const BOUND_MS = 2_500;
/** Half of the first batch after a start, and one task beyond it. */
const SHARE = 6;

const storm: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const quiet = random.pick([...world.people.values()]);
    const phone = world.phones.find(
      ({ owner, deviceId, isTokenDead }) => owner === quiet.id && deviceId && !isTokenDead,
    );
    const loud = listLoud(world, quiet).slice(0, MOST_LOUD);
    if (!phone || !loud.includes(actor) || isHeldNow(world, quiet) || world.process.isDoomed) return;
    for (const one of loud) await addPhone(world, one, phone.platform, random);
    const gateway = world.gateways[GATEWAY[phone.platform]];
    gateway.heal();
    gateway.latencyMs = 900;
    gateway.places = 4;
    const taskId = await createDue(world, loud, quiet, LOUD_TASKS);
    if (random.chance(0.5)) await meetAtProvider(world, taskId);
    else await meetInSweep(world, taskId, loud);
    gateway.heal();
  },
};

/** Who may be loud beside this person. What stand-ins are told counts for them, so that these would be loud as well. */
export const listLoud = (world: World, quiet: Person): Person[] =>
  [...world.people.values()].filter(
    (one) =>
      one !== quiet &&
      !isHeldNow(world, one) &&
      !world.standIns.all.some(({ owner, hasAgreed }) => owner === one.id && hasAgreed),
  );

export const isHeldNow = (world: World, { settings, isGone }: Person): boolean =>
  isGone || [world.now, world.now + world.clocks.taskMs(2 * IN_MS)].some((at) => isHeldAt(at, true, settings));

/** All due in a minute, and that of the quiet account, whose id it returns, last. */
export async function createDue(
  world: World,
  loud: readonly Person[],
  quiet: Person,
  count: number,
): Promise<string | undefined> {
  const due = world.now + world.clocks.taskMs(IN_MS);
  const task = {
    hasTime: true,
    leadDays: null,
    mode: 'notify_once' as const,
    isMustNotMiss: true,
    rule: null,
    space: null,
  };
  for (const [order, one] of loud.entries())
    for (let index = 0; index < count / loud.length; index += 1)
      await createTask(world, one, one, { ...task, due: due + order, title: `loud ${index}` });
  const last = due + world.clocks.taskMs(BEHIND_MS);
  await createTask(world, quiet, quiet, { ...task, due: last, title: 'quiet' });
  return [...world.tasks.values()].findLast(
    (one) => one.title === 'quiet' && one.owner === quiet.id && one.due === last,
  )?.id;
}

/** Waits until everything is due. */
export async function passUntilDue(world: World): Promise<void> {
  await world.pass(IN_MS + BEHIND_MS);
}

async function meetAtProvider(world: World, taskId: string | undefined): Promise<void> {
  const dueMs = world.elapsedMs + IN_MS + BEHIND_MS;
  if (taskId) world.waiting = [{ taskId, dueMs, mostMs: BOUND_MS, beside: 'Loud accounts' }];
  await world.pass(IN_MS + 20_000);
}

/** The process is dead when the tasks become due, so that the sweep finds all of them at once. */
async function meetInSweep(world: World, taskId: string | undefined, loud: readonly Person[]): Promise<void> {
  await world.pass(IN_MS - 1_000);
  world.tell('the process dies before they are due, and starts when all of them are');
  world.restartAfter(3_000);
  const owners = new Set(loud.map(({ id }) => id));
  if (taskId) world.backlog = { taskId, loud: owners, most: loud.length * SHARE, before: 0 };
  await world.pass(20_000);
  world.backlog = undefined;
}

export const steps = { storm };
