/** Faults of processes, clocks and providers. */
import { doAction, meetNudge, pickTask } from '../actions.ts';
import { CHANNEL_PROVIDER } from '../channels.ts';
import { type ClockName, FOLLOWED_WITHIN_MS } from '../clocks.ts';
import { MOODS } from '../gateways.ts';
import type { Person } from '../person.ts';
import { GATEWAY } from '../phones.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { steps as audits } from './audits.ts';
import { steps as phones } from './phones.ts';
import { beQuietNow, steps as settings } from './settings.ts';
import { steps as suspension } from './suspension.ts';
import { steps as tasks } from './tasks.ts';

const MINUTE_MS = 60_000;

/** Kills the process at one of its next statements, commits or pushes, or right now. */
const crash: StepKind = {
  weight: 4,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (task) await meetNudge(world, task, random);
    const { process } = world;
    if (process.isDead) return;
    const operations = random.chance(0.2) ? 0 : random.between(1, 40);
    const downMs = random.pick([0, 1_000, 9_000, 5 * MINUTE_MS, world.clocks.realMs(180 * MINUTE_MS)]);
    world.tell(`the process will die after ${operations} more operations, and is down for ${downMs / 1_000} s`);
    if (operations === 0) process.die();
    else process.dieAfter(operations);
    process.onDeath(() => world.restartAfter(downMs));
  },
};

/** A deploy: the process ends in peace, often while a push is on its way. */
const stop: StepKind = {
  weight: 2,
  async run(world, _actor, random) {
    const soon = [...world.expected.values()].flatMap((next) => (next && next.at > world.now ? next.at : []));
    const nextMs = Math.min(...soon) - world.now;
    if (nextMs < 6 * 60 * MINUTE_MS) {
      await world.pass(Math.max(0, world.clocks.realMs(nextMs) - 1));
      for (const gateway of world.everyGateway) {
        gateway.latencyMs = 900;
        world.runtime.after(MINUTE_MS, () => gateway.heal(), null);
      }
      await world.pass(random.between(1, 2_000));
    }
    if (world.process.isDoomed) return;
    const downMs = random.pick([0, 1_000, MINUTE_MS]);
    world.tell(`the process is stopped, and is down for ${downMs / 1_000} s`);
    await world.stopFor(downMs);
  },
};

/** Which clock is set, and by how much: the wrong time is corrected later. */
export function drawSetting(
  { plan, runtime }: World,
  random: Random,
  minutes: readonly number[],
): [names: readonly ClockName[], byMs: number] {
  const names: readonly ClockName[] = plan.clocks ? [random.pick(['clock', 'wallClock'])] : ['clock', 'wallClock'];
  const skewMs = runtime.skewMs[names[0] ?? 'clock'];
  return [names, skewMs === 0 ? random.pick(minutes) * MINUTE_MS : -skewMs];
}

export const toldAs = ({ plan }: World, [name]: readonly ClockName[]): string =>
  plan.clocks ? `the clock of ${name === 'clock' ? 'tasks' : 'real time'}` : 'the clock';

const setClock: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const climbing = [...world.tasks.values()].find(({ id, step }) => step > 0 && isSoon(world, id));
    const task = climbing ?? pickTask(world, actor, random, true);
    if (task) await meetNudge(world, task, random);
    // The engine learns from its polls how late it is by the clock that is about to change.
    world.runtime.pollUntilMs = world.elapsedMs + 5_000;
    await world.pass(5_000);
    // The wrong time is corrected later, so a jump back follows each jump forward, and the other way round.
    const [names, byMs] = drawSetting(world, random, [-45, -10, 10, 90, 600]);
    if (world.runtime.engineClock) return setBoth(world, actor, random, byMs);
    const isReboot = random.chance(0.3) && !world.process.isDead;
    world.tell(
      `${toldAs(world, names)} is set by ${byMs / MINUTE_MS} minutes${isReboot ? ' while the machine restarts' : ''}`,
    );
    // A client that synced by the wrong clock comes back with a moment that the right one shows later.
    if (byMs < 0 && random.chance(0.7)) await audits.sync.run(world, actor, random);
    if (isReboot) world.restartAfter(1_000);
    world.clocks.set(byMs, names);
  },
};

/** One of the two processes follows a clock that was set up to a minute later. Something happens in between. */
async function setBoth(world: World, actor: Person, random: Random, byMs: number): Promise<void> {
  const setters = [() => world.clocks.set(byMs), () => world.clocks.setEngine(byMs)];
  const [first, second] = random.chance(0.5) ? setters : setters.toReversed();
  world.tell(
    `the database's clock is set by ${byMs / MINUTE_MS} minutes; ${first === setters[0] ? 'the API' : 'the engine'} follows`,
  );
  first?.();
  await world.pass(random.below(FOLLOWED_WITHIN_MS / 2));
  if (!actor.isGone) await actMeanwhile(world, actor, random);
  await world.pass(random.below(FOLLOWED_WITHIN_MS / 2));
  world.tell('the other process follows it too');
  second?.();
  // The engine looks again once every process has followed.
  world.runtime.after(80_000, () => world.poll(), null);
  // What begins in the moment of the correction may be moved by it.
  await world.pass(5_000);
}

/** None of this waits for a nudge. */
async function actMeanwhile(world: World, actor: Person, random: Random): Promise<void> {
  const task = pickTask(world, actor, random, true);
  const until = world.now + random.between(1, 30) * MINUTE_MS;
  const isCreating = random.chance(0.3);
  const isReacting = !isCreating && random.chance(0.3);
  if (isCreating) await tasks.create.run(world, actor, random);
  else if (isReacting) await tasks.react.run(world, actor, random);
  else if (task) await doAction(world, actor, task, { name: 'snooze', until });
}

const provider: StepKind = {
  weight: 3,
  async run(world, _actor, random) {
    const name = random.pick(['apns', 'fcm', 'web_push', CHANNEL_PROVIDER] as const);
    // Several servers have their own kind of trouble.
    if (name === CHANNEL_PROVIDER && world.servers.size > 0) return;
    const gateway = world.gateways[name];
    gateway.mood = random.pick(MOODS);
    gateway.latencyMs = random.pick([0, 40, 900, 5_900, 6_000, 7_000]);
    gateway.places = random.pick([1, 2, 5, 100]);
    const minutes = random.pick([1, 5, 15, 45]);
    world.tell(`${name}: ${gateway.mood}, ${gateway.latencyMs} ms, ${gateway.places} at once, for ${minutes} minutes`);
    world.runtime.after(minutes * MINUTE_MS, () => gateway.heal(), null);
  },
};

/** A provider fails when a nudge is about to be sent, and then something happens while the push waits. */
const trouble: StepKind = {
  weight: 7,
  async run(world, actor, random) {
    const own = [...world.tasks.values()].filter(({ id, owner }) => owner === actor.id && isSoon(world, id));
    const phone = world.phones.find(({ owner, deviceId }) => owner === actor.id && deviceId !== undefined);
    if (own.length === 0 || !phone) return;
    const task = random.pick(own);
    await world.passUntil((world.expected.get(task.id)?.at ?? 0) - 1_000);
    const gateway = world.gateways[GATEWAY[phone.platform]];
    gateway.mood = random.pick(['retry', 'retry', 'timeout', 'misconfigured', 'throttles', 'lost', 'crowded']);
    const minutes = random.pick([1, 4, 18, 40]);
    world.tell(`${GATEWAY[phone.platform]} fails for ${minutes} minutes: ${gateway.mood}`);
    world.runtime.after(minutes * MINUTE_MS, () => gateway.heal(), null);
    await world.pass(random.between(2_000, 50_000));
    const current = world.tasks.get(task.id);
    if (!current?.isOpen || actor.isGone) return;
    const meanwhile = random.pick([
      'complete',
      'drop',
      'snooze',
      'pause',
      'quiet hours',
      'suspend',
      'remove device',
      'crash',
      'wait',
    ]);
    if (meanwhile === 'complete' || meanwhile === 'drop') await doAction(world, actor, current, { name: meanwhile });
    if (meanwhile === 'snooze')
      await doAction(world, actor, current, { name: 'snooze', until: world.now + 90 * MINUTE_MS });
    if (meanwhile === 'pause') await settings.pause.run(world, actor, random);
    if (meanwhile === 'quiet hours') await beQuietNow(world, actor);
    if (meanwhile === 'suspend') await suspension.suspend.run(world, actor, random);
    if (meanwhile === 'remove device') await phones.removeDevice.run(world, actor, random);
    if (meanwhile === 'crash') await crash.run(world, actor, random);
    if (meanwhile === 'wait') await world.pass(20 * MINUTE_MS);
  },
};

export const isSoon = (world: World, taskId: string): boolean => {
  const at = world.expected.get(taskId)?.at;
  return at !== undefined && at - world.now < 24 * 60 * MINUTE_MS;
};

export const steps = { crash, stop, setClock, provider, trouble };
