/** A request that meets a commit that fails, or the death of the process at one of its operations. */
import type { Answer, Services } from './process.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

const TROUBLES = ['none', 'none', 'the commit fails', 'the process dies', 'the process dies'] as const;

/** Without random numbers there is no trouble. A statement, a commit and a mail are an operation each. The request may be over before the last of so many. */
export async function askInTrouble<T>(
  world: World,
  random: Random | undefined,
  operations: number,
  request: (services: Services) => Promise<T>,
): Promise<Answer<T>> {
  const { process } = world;
  const save = random && !process.isDoomed ? prepare(world, random, operations) : () => {};
  const answer = await world.call(request);
  save();
  if (answer === 'no answer') world.tell('  no answer: the process has died');
  return answer;
}

/** Returns a function that takes back what has not happened. */
function prepare(world: World, random: Random, operations: number): () => void {
  const trouble = random.pick(TROUBLES);
  if (trouble === 'none') return () => {};
  world.tell(`  meanwhile ${trouble}`);
  if (trouble === 'the commit fails') {
    world.process.failNextCommit();
    return () => {};
  }
  const save = doom(world, random.pick([0, 1_000, 70_000]));
  world.process.dieAfter(random.between(1, operations));
  return save;
}

/** When the process dies, another one starts. Returns a function that takes it back. */
export function doom(world: World, downMs: number): () => void {
  const { process } = world;
  let isDoomed = true;
  process.onDeath(() => isDoomed && world.restartAfter(downMs));
  return () => {
    isDoomed = process.isDead;
    if (!process.isDead) process.dieAfter(Number.POSITIVE_INFINITY);
  };
}

/** Waits for a process that answers, unless the machine is off for long. */
export async function waitForService(world: World): Promise<void> {
  for (let seconds = 0; seconds < 80 && world.process.isDead; seconds += 10) await world.pass(10_000);
}
