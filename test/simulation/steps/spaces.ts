/** People share tasks, leave, and delete their accounts. */
import { callerOf, doAction, doEdit, doEndAssignment, pickTask } from '../actions.ts';
import type { Change } from '../corrections.ts';
import { DAY_MS } from '../model/zone.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import { visibleTasks } from '../visibility.ts';
import type { World } from '../world.ts';
import { createTask, nextTitle } from './tasks.ts';

const DELAY_MS = 3 * 3_600_000;

const spacesOf = (world: World, person: Person): string[] =>
  [...world.spaces].filter(([, members]) => members.has(person.id)).map(([id]) => id);

/** Makes a space, or takes one that exists, and brings the others in. */
const share: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const known = spacesOf(world, actor);
    const spaceId = known.length > 0 && random.chance(0.7) ? random.pick(known) : await makeSpace(world, actor);
    if (spaceId === undefined) return;
    for (const other of world.people.values()) {
      if (other === actor || other.isGone || other.settings.isSuspended || random.chance(0.2)) continue;
      world.tell(`${actor.name} invites ${other.name} into a space`);
      const invited = await world.call(({ invites }) => invites.create(callerOf(actor), spaceId, null));
      if (invited === 'no answer' || 'refusal' in invited) return;
      await world.call(({ invites }) => invites.accept(callerOf(other), invited.value.token));
      learnMembers(world, spaceId);
    }
  },
};

async function makeSpace(world: World, actor: Person): Promise<string | undefined> {
  world.tell(`${actor.name} makes a space`);
  const made = await world.call(({ spaces }) => spaces.create(callerOf(actor), 'Home'));
  if (made === 'no answer' || 'refusal' in made) return undefined;
  world.spaces.set(made.value.id, new Set([actor.id]));
  return made.value.id;
}

/** Who is in a space is plain data, so the model takes it as stored. */
function learnMembers(world: World, spaceId: string): void {
  const rows = world.query('select user_id from space_members where space_id = ?', spaceId);
  world.spaces.set(spaceId, new Set(rows.map(({ user_id }) => String(user_id))));
  world.placesChangedMs = world.elapsedMs;
}

const leave: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const known = spacesOf(world, actor);
    if (known.length === 0) return;
    const spaceId = random.pick(known);
    await assignAtLast(world, actor, spaceId, random);
    world.tell(`${actor.name} leaves a space`);
    const inSpace = [...world.tasks.values()].filter(({ space }) => space === spaceId);
    const own = inSpace
      .filter(({ owner }) => owner === actor.id)
      .map(({ id }) => world.corrections.expect(id, (row) => row.space_id !== spaceId));
    const assigned = inSpace
      .filter(({ assigner }) => assigner === actor.id)
      .map(({ id }) => world.corrections.expect(id, hasNoAssigner));
    await world.call(({ spaces }) => spaces.leave(callerOf(actor), spaceId));
    learnMembers(world, spaceId);
    if (world.spaces.get(spaceId)?.has(actor.id)) for (const stay of [...own, ...assigned]) stay();
    else world.standIns.endOf(actor.id, spaceId);
    world.settle();
  },
};

/** A task that is assigned and accepted just before its assigner leaves: it must not leave a say behind. */
async function assignAtLast(world: World, actor: Person, spaceId: string, random: Random): Promise<void> {
  const others = [...world.people.values()].filter(
    ({ id, isGone, settings }) =>
      id !== actor.id && world.spaces.get(spaceId)?.has(id) && !isGone && !settings.isSuspended,
  );
  if (others.length === 0 || actor.settings.isSuspended) return;
  const owner = random.pick(others);
  const title = nextTitle(world);
  const plain = {
    due: null,
    hasTime: false,
    leadDays: null,
    mode: 'notify_once',
    isMustNotMiss: false,
    rule: null,
  } as const;
  await createTask(world, actor, owner, { ...plain, title, space: spaceId });
  const task = [...world.tasks.values()].find((one) => one.title === title);
  if (task && random.chance(0.7)) await doAction(world, owner, task, { name: 'accept' });
}

/** A request is also dropped and cannot be reopened, unless it was accepted just before. */
const hasNoAssigner: Change = ({ status, undo, accepted_by_owner, assigner_id }) =>
  assigner_id === null && (accepted_by_owner === 1 || (status !== 'open' && undo === null));

/** Puts a task into a space, or takes it out. */
const move: StepKind = {
  weight: 3,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    const known = [...world.spaces.keys()];
    if (!task || known.length === 0) return;
    const isMovedOut = task.space !== null && random.chance(0.6);
    await doEdit(world, actor, task, { space: isMovedOut ? null : random.pick(known) });
  },
};

const endSay: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const assigned = visibleTasks(world, actor.id).filter(({ assigner }) => assigner !== null);
    if (assigned.length > 0) await doEndAssignment(world, actor, random.pick(assigned));
  },
};

const leaveForGood: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    if (world.people.size < 3 || random.chance(0.3) || [...world.people.values()].some(({ isGone }) => isGone)) return;
    const own = [...world.tasks.values()].filter(({ owner }) => owner === actor.id);
    const next = Math.min(...own.map(({ id }) => world.expected.get(id)?.at ?? Number.POSITIVE_INFINITY));
    if (next - world.now < DAY_MS) await world.passUntil(next - 1_000);
    // Rows of the account that are not deleted yet must not nag.
    if (random.chance(0.5)) world.delayFollowUps(DELAY_MS);
    await deleteAccount(world, actor);
  },
};

/** A row that still exists is never in its final state. */
const IS_DELETED: Change = () => false;

export async function deleteAccount(world: World, actor: Person): Promise<void> {
  world.tell(`${actor.name} deletes their account`);
  await world.call(({ settings }) => settings.delete({ userId: actor.id }, '::1'));
  // One commit may contain a nudge and the deletion after it.
  world.nudgeLog.follow();
  const [row] = world.query('select deleted_at from users where id = ?', actor.id);
  if (row && row.deleted_at === null) return;
  actor.isGone = true;
  world.standIns.endOf(actor.id);
  actor.settingsBefore = actor.settings;
  actor.settings = { ...actor.settings, quiet: null, pause: [0, 9e15], planned: null, keepMustNotMiss: false };
  actor.changedMs = world.elapsedMs;
  for (const phone of world.phones.filter(({ owner }) => owner === actor.id)) {
    phone.deviceId = undefined;
    phone.removedMs = world.elapsedMs;
  }
  for (const channel of world.channels)
    if (channel.owner === actor.id) channel.removedMs = Math.min(channel.removedMs, world.elapsedMs);
  for (const spaceId of world.spaces.keys()) learnMembers(world, spaceId);
  for (const task of world.tasks.values()) {
    if (task.assigner === actor.id) world.corrections.expect(task.id, (row) => row.assigner_id === null);
    if (task.owner !== actor.id) continue;
    world.corrections.expect(task.id, IS_DELETED);
    world.learn(task);
  }
  world.settle();
}

export const steps = { share, leave, move, endSay, deleteAccount: leaveForGood };
