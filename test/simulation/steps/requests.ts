/** People ask others in their spaces, more often than these want to hear of it. */
import { callerOf, doAction } from '../actions.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { createTask, nextTitle } from './tasks.ts';

const MANY = 12;
const PLAIN = {
  due: null,
  hasTime: false,
  leadDays: null,
  mode: 'notify_once',
  isMustNotMiss: false,
  rule: null,
} as const;

/** Asks another member of a space once, or for so many things that the bound of the day is reached. */
const ask: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const owner = pickMember(world, actor, random);
    if (owner) await askFor(world, actor, owner, random.chance(0.2) ? MANY : 1, random);
  },
};

/** Asks for so many things that some wait unanswered for days. */
const askMuch: StepKind = {
  // Worlds in which people ask each other have their own number of these.
  weight: 0,
  async run(world, actor, random) {
    const owner = pickMember(world, actor, random);
    if (owner) await askFor(world, actor, owner, MANY, random);
  },
};

export const sharedSpaces = (world: World, ...people: readonly Person[]): string[] =>
  [...world.spaces].filter(([, members]) => people.every(({ id }) => members.has(id))).map(([id]) => id);

export function pickMember(world: World, actor: Person, random: Random): Person | undefined {
  const others = [...world.people.values()].filter(
    (one) => one.id !== actor.id && !one.isGone && sharedSpaces(world, actor, one).length > 0,
  );
  return others.length > 0 ? random.pick(others) : undefined;
}

async function askFor(world: World, actor: Person, owner: Person, count: number, random: Random): Promise<void> {
  const space = random.pick(sharedSpaces(world, actor, owner));
  for (let index = 0; index < count && !actor.settings.isSuspended && !actor.isGone; index += 1)
    await createTask(world, actor, owner, { ...PLAIN, title: nextTitle(world), space });
}

/** Takes a request back and makes it again at once. */
const askAgain: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const own = [...world.tasks.values()].filter(
      ({ assigner, isOpen, isAccepted }) => assigner === actor.id && isOpen && !isAccepted,
    );
    if (own.length === 0) return;
    const request = random.pick(own);
    await doAction(world, actor, request, { name: 'drop' });
    const dropped = world.tasks.get(request.id);
    if (dropped?.status === 'dropped') await doAction(world, actor, dropped, { name: 'reopen' });
  },
};

/** Messages about requests are switched off and on again, and somebody asks at once. */
const toggle: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const isOn = random.chance(0.5);
    world.tell(`${actor.name} switches messages about requests ${isOn ? 'on' : 'off'}`);
    const answer = await world.call(({ requests }) => requests.setSwitch(callerOf(actor), isOn));
    if (answer !== 'no answer' && 'refusal' in answer) return;
    const [stored] = world.query('select hears_requests from users where id = ?', actor.id);
    actor.switchedMs = world.elapsedMs;
    actor.hearsRequests = answer === 'no answer' ? stored?.hears_requests === 1 : isOn;
    if (answer === 'no answer') return;
    await world.pass(random.between(1, 60_000));
    const asker = pickMember(world, actor, random);
    if (asker) await askFor(world, asker, actor, 1, random);
  },
};

export const steps = { ask, askMuch, askAgain, toggle };
