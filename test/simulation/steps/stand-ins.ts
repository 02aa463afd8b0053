/** People ask others in their spaces to stand in, agree or not, act on what reached them, and stop. */
import { meetNudge } from '../actions.ts';
import { findUnseen } from '../invariants/stand-ins.ts';
import type { ModelTask } from '../model/task.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import { doAgree, doAsk, doAsStandIn, doBoth, doEnd } from '../stand-in-actions.ts';
import type { World } from '../world.ts';
import { pickMember, sharedSpaces } from './requests.ts';
import { beQuietNow } from './settings.ts';

/** Worlds in which people stand in have their own number of these steps. */
const weight = 0;
const LONGEST_WAIT_MS = 12 * 3_600_000;

const isAble = ({ isGone, settings }: Person): boolean => !isGone && !settings.isSuspended;
const isClear = (world: World, { id }: ModelTask): boolean =>
  !world.corrections.loose.has(id) && !world.corrections.unsettled.has(id);

const askStandIn: StepKind = {
  weight,
  async run(world, actor, random) {
    const person = pickMember(world, actor, random);
    if (!person) return;
    const space = random.pick(sharedSpaces(world, actor, person));
    const own = [...world.tasks.values()].filter((task) => task.owner === actor.id && task.isOpen);
    const task = own.length > 0 && random.chance(0.4) ? random.pick(own) : undefined;
    const label = !task && random.chance(0.4) ? 'todo' : null;
    const isLeftOut = task !== undefined && random.chance(world.standIns.standsIn(person.id, task) ? 0.5 : 0.1);
    const fromRung = isLeftOut ? null : random.pick([0, 0, 1, 1, 2, 3, 4]);
    if (task) await meetNudge(world, task, random);
    if (sharedSpaces(world, actor, person).length === 0) return;
    await doAsk(world, actor, { person: person.id, space, task: task?.id ?? null, label, fromRung });
    if (random.chance(0.25)) return;
    await world.pass(random.pick([0, 5_000, 120_000]));
    const asked = world.standIns.find({ owner: actor.id, person: person.id, task: task?.id ?? null, label });
    if (asked && asked.fromRung !== null && isAble(person)) await doAgree(world, person, asked, random.chance(0.4));
  },
};

/** Agrees to what was asked earlier, or agrees again to something else. */
const agree: StepKind = {
  weight,
  async run(world, actor, random) {
    const own = world.standIns.all.filter(({ person }) => person === actor.id);
    if (own.length > 0) await doAgree(world, actor, random.pick(own), random.chance(0.4));
  },
};

/** Either of the two ends it, mostly when a nudge is about to come. */
const endStandIn: StepKind = {
  weight,
  async run(world, actor, random) {
    const task = await pickReached(world, actor, random);
    if (task) await meetNudge(world, task, random);
    const own = world.standIns.all.filter(({ owner, person }) => owner === actor.id || person === actor.id);
    if (own.length > 0 && isAble(actor)) await doEnd(world, actor, random.pick(own));
  },
};

/**
 * A task that the person sees as a stand-in, mostly one that nobody has settled, or now and then one that they do not
 * see. If there is none, they wait for one that is about to come.
 */
async function pickReached(world: World, actor: Person, random: Random): Promise<ModelTask | undefined> {
  const others = [...world.tasks.values()].filter(({ owner }) => owner !== actor.id);
  if (others.length > 0 && random.chance(0.1)) return random.pick(others);
  const isPresent = (task: ModelTask) => world.standIns.seenBy(actor.id, task)?.settledAt === null;
  if (!world.standIns.tasksOf(actor.id).some(isPresent)) await awaitNudge(world, actor, random);
  const reached = world.standIns.tasksOf(actor.id);
  const present = reached.filter(isPresent);
  const choices = present.length > 0 && random.chance(0.85) ? present : reached;
  return choices.length > 0 ? random.pick(choices) : undefined;
}

async function awaitNudge(world: World, actor: Person, random: Random): Promise<void> {
  const waits = [...world.tasks.values()].flatMap((task) => {
    const waitMs = (world.expected.get(task.id)?.at ?? Number.POSITIVE_INFINITY) - world.now;
    return waitMs < LONGEST_WAIT_MS && world.standIns.standsIn(actor.id, task) ? [world.clocks.realMs(waitMs)] : [];
  });
  if (waits.length > 0) await world.pass(Math.max(0, random.pick(waits)) + random.pick([0, 1, 50, 5_000]));
}

const actAsStandIn: StepKind = {
  weight,
  async run(world, actor, random) {
    const picked = await pickReached(world, actor, random);
    if (!picked) return;
    await meetNudge(world, picked, random);
    const task = world.tasks.get(picked.id);
    if (!task || !isClear(world, task) || !isAble(actor)) return;
    const name = random.pick(['done', 'done', 'seen', 'snooze', 'snooze', 'undo'] as const);
    await doAsStandIn(world, actor, task, name, random.chance(0.5));
    const settled = world.tasks.get(task.id);
    if (name === 'done' && settled && random.chance(0.4))
      await doAsStandIn(world, actor, settled, 'undo', random.chance(0.5));
  },
};

const bothDone: StepKind = {
  weight,
  async run(world, actor, random) {
    const isBoth = (task: ModelTask) =>
      task.isOpen && isClear(world, task) && world.standIns.seenBy(actor.id, task)?.run === task.run;
    if (!world.standIns.tasksOf(actor.id).some(isBoth)) await awaitNudge(world, actor, random);
    const tasks = world.standIns.tasksOf(actor.id).filter(isBoth);
    if (tasks.length === 0) return;
    const picked = random.pick(tasks);
    await meetNudge(world, picked, random);
    const task = world.tasks.get(picked.id);
    const owner = world.person(picked.owner);
    if (task && isBoth(task) && isAble(owner) && isAble(actor)) await doBoth(world, owner, actor, task);
  },
};

/** A stand-in is quiet when a nudge of somebody else is about to come. */
const quietStandIn: StepKind = {
  weight,
  async run(world, actor, random) {
    const told = [...world.tasks.values()].filter((task) => task.isOpen && world.standIns.standsIn(actor.id, task));
    if (told.length === 0) return;
    await meetNudge(world, random.pick(told), random);
    await beQuietNow(world, actor);
  },
};

const lookAtReached: StepKind = {
  weight,
  async run(world, actor) {
    const problem = await findUnseen(world, actor);
    if (problem !== undefined) world.fail('stand-ins', problem);
  },
};

export const steps = { askStandIn, agree, endStandIn, actAsStandIn, bothDone, quietStandIn, lookAtReached };
