/** People change tasks and sync at the same time, while transactions are open and share commits. */
import { callerOf, doEdit } from '../actions.ts';
import { FAULT_KINDS } from '../database-faults.ts';
import { findLag, receive } from '../invariants/sync.ts';
import type { ModelTask } from '../model/task.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import { Random } from '../random.ts';
import type { World } from '../world.ts';
import { isSoon } from './faults.ts';

/** Everything begins within this. */
const WITHIN_MS = 25;
const SLOW_MS = 60;
const CALM_MS = 2_000;
const MOST_EDITS = 6;
const MOST_SYNCS = 4;

const atOnce: StepKind = {
  // Worlds in which the database is read beside its writer have their own number of these.
  weight: 0,
  async run(world, _actor, random) {
    if (world.process.isDoomed || world.faults.isOn) return;
    await meetAnyNudge(world, random);
    const people = [...world.people.values()].filter(({ isGone, settings }) => !isGone && !settings.isSuspended);
    const tasks = pickDistinct(world, people, random);
    world.tell(`${people.length} people sync while ${tasks.length} tasks are changed at once`);
    world.runtime.slowUntilMs = world.elapsedMs + SLOW_MS;
    if (random.chance(0.4)) failSome(world, random);
    await Promise.all([
      ...tasks.map((task) => editLater(world, task, random.below(WITHIN_MS), random)),
      ...people.map((person) => syncOften(world, person, random)),
    ]);
    world.faults.end();
    world.runtime.slowUntilMs = 0;
    for (const person of people) {
      const problem = world.isGivenUp ? undefined : await findLag(world, person);
      if (problem !== undefined) world.fail('sync', problem);
    }
  },
};

/** The engine is one of the writers if a nudge is due. */
async function meetAnyNudge(world: World, random: Random): Promise<void> {
  const soon = [...world.tasks.values()].filter(({ id }) => isSoon(world, id));
  if (soon.length === 0 || random.chance(0.3)) return;
  await world.pass(Math.max(0, (world.expected.get(random.pick(soon).id)?.at ?? 0) - world.now - random.below(6)));
}

/** None that is nudged meanwhile: an answer would not say whether it is from before the nudge. */
function pickDistinct(world: World, people: readonly Person[], random: Random): ModelTask[] {
  const isCalm = (id: string) => Math.abs((world.expected.get(id)?.at ?? 0) - world.now) > CALM_MS;
  const left = [...world.tasks.values()].filter(
    ({ id, owner, isOpen, isAccepted }) =>
      isOpen &&
      isAccepted &&
      isCalm(id) &&
      !world.corrections.loose.has(id) &&
      !world.corrections.unsettled.has(id) &&
      people.some((one) => one.id === owner),
  );
  const picked: ModelTask[] = [];
  while (left.length > 0 && picked.length < MOST_EDITS) picked.push(...left.splice(random.below(left.length), 1));
  return picked;
}

/** A transaction that ends before its commit must leave no trace with those who read meanwhile. */
function failSome(world: World, random: Random): void {
  const scope = random.pick(['writes', 'ends'] as const);
  const after = random.below(12);
  const kind = random.pick(FAULT_KINDS);
  const [isOnce, share] = random.pick([
    [true, 1],
    [false, 0.2],
  ] as const);
  const untilMs = world.elapsedMs + SLOW_MS;
  world.tell(`statements fail meanwhile (${scope}, after ${after}): ${kind}${isOnce ? ', once' : ''}`);
  world.faults.begin({ kind, scope, after, isOnce, share, untilMs, random: new Random(random.below(2 ** 31)) });
}

async function editLater(world: World, task: ModelTask, afterMs: number, random: Random): Promise<void> {
  const title = `${task.title.replace(/’+$/, '')}${'’'.repeat(1 + random.below(3))}`;
  await world.pass(afterMs);
  const owner = world.person(task.owner);
  const before = world.tasks.get(task.id);
  if (!before || world.process.isDead) return;
  await doEdit(world, owner, before, { title });
  const stored = world.tasks.get(task.id)?.title;
  const answer = await world.call(({ tasks }) => tasks.get(callerOf(owner), task.id));
  if (answer === 'no answer' || !('value' in answer) || answer.value.title === stored) return;
  world.fail('sync', `${owner.name} changed a task to “${stored}” and reads “${answer.value.title}” afterwards.`);
}

async function syncOften(world: World, person: Person, random: Random): Promise<void> {
  for (let left = 1 + random.below(MOST_SYNCS); left > 0; left -= 1) {
    await world.pass(random.below(WITHIN_MS / 2));
    const problem = await receive(world, person);
    if (problem !== undefined && problem !== 'no answer') world.fail('sync', problem);
  }
}

export const steps = { atOnce };
