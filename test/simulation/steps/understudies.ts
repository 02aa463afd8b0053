/** The service is dead for long, the provider that holds messages is away, and people change what is held. */
import { updateChannel } from '../../../src/channels/channels.store.ts';
import { doAction, meetNudge } from '../actions.ts';
import { addChannel, CHANNEL_PROVIDER } from '../channels.ts';
import { THERE } from '../holder.ts';
import type { ModelTask } from '../model/task.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { steps as channels } from './channels.ts';
import { drawSetting, toldAs } from './faults.ts';
import { beQuietNow, steps as settings } from './settings.ts';
import { steps as suspension } from './suspension.ts';
import { createTask, nextTitle } from './tasks.ts';

/** Worlds with a provider that holds messages have their own number of these steps. */
const weight = 0;
const MINUTE_MS = 60_000;

const createStrong = (world: World, actor: Person, random: Random, withinMinutes: number): Promise<void> =>
  createTask(world, actor, actor, {
    title: nextTitle(world),
    due: world.now + random.between(Math.min(9, withinMinutes), withinMinutes) * MINUTE_MS,
    hasTime: true,
    leadDays: null,
    mode: random.pick(['escalate', 'notify_once']),
    isMustNotMiss: true,
    rule: random.chance(0.3) ? { freq: 'daily', interval: 1, from: 'due' } : null,
    space: null,
  });

const mustNotMiss: StepKind = {
  weight,
  async run(world, actor, random) {
    await createStrong(world, actor, random, 2_000);
  },
};

const nextStrong = (world: World, { id }: Person): ModelTask | undefined =>
  [...world.tasks.values()].find(
    (task) => task.owner === id && task.isOpen && task.isMustNotMiss && world.expected.get(task.id),
  );

const drawMinutes = (random: Random): number => random.pick([4, 12, 25, 70, 300, 900, 2_700]);

/** The machine is gone without a word. */
async function kill(world: World, random: Random, minutes = drawMinutes(random)): Promise<void> {
  if (world.process.isDoomed) return;
  world.tell(`the machine dies, for ${minutes} minutes`);
  world.restartAfter(minutes * MINUTE_MS);
  if (random.chance(0.2)) await beAway(world, random);
  if (random.chance(0.15)) {
    await world.pass(random.between(0, minutes) * MINUTE_MS);
    const [names, byMs] = drawSetting(world, random, [-45, 90, 600]);
    world.tell(`${toldAs(world, names)} is set by ${byMs / MINUTE_MS} minutes`);
    world.clocks.set(byMs, names);
  }
}

const outage: StepKind = {
  weight,
  async run(world, actor, random) {
    const minutes = drawMinutes(random);
    if (random.chance(0.8)) await createStrong(world, actor, random, minutes);
    if (random.chance(0.1)) await beAway(world, random);
    await world.pass(random.pick([0, 0.02, 2, 7, 7, 7, 20].map((minutes) => minutes * MINUTE_MS)));
    const task = nextStrong(world, actor);
    if (task && random.chance(0.3)) await meetNudge(world, task, random);
    await kill(world, random, minutes);
  },
};

/** The provider neither answers nor sounds anything for a while, or it only answers badly. */
async function beAway(world: World, random: Random): Promise<void> {
  const { [CHANNEL_PROVIDER]: gateway } = world.gateways;
  const { holder } = world;
  if (!holder) return;
  // What cannot be brought is tried every minute, which costs.
  const minutes = random.pick([3, 3, 12, 12, 40]);
  gateway.mood = random.pick(['timeout', 'retry', 'lost', 'lost', 'rejected', 'throttles']);
  if (random.chance(0.3)) holder.downUntilMs = world.elapsedMs + minutes * MINUTE_MS;
  world.tell(`the provider that holds messages is away for ${minutes} minutes: ${gateway.mood}`);
  world.runtime.after(minutes * MINUTE_MS, () => gateway.heal(), null);
}

const holderAway: StepKind = {
  weight,
  async run(world, actor, random) {
    const task = nextStrong(world, actor);
    if (task) await meetNudge(world, task, random);
    await beAway(world, random);
  },
};

/** Something happens to what is held, sometimes while the provider is away, and sometimes the service dies then. */
const changeHeld: StepKind = {
  weight,
  async run(world, actor, random) {
    if (!nextStrong(world, actor)) await createStrong(world, actor, random, 240);
    await world.pass(random.pick([100, 3_000, MINUTE_MS, 7 * MINUTE_MS]));
    const task = nextStrong(world, actor);
    if (task) await meetNudge(world, task, random);
    if (random.chance(0.25)) await beAway(world, random);
    const current = task && world.tasks.get(task.id);
    if (!current?.isOpen || actor.isGone || actor.settings.isSuspended) return;
    const minutes = random.pick([5, 30, 240, 1_500]);
    const deed = random.pick([
      'complete',
      'complete',
      'drop',
      'snooze',
      'snooze',
      'pause',
      'quiet',
      'suspend',
      'remove',
    ]);
    if (deed === 'complete' || deed === 'drop') await doAction(world, actor, current, { name: deed });
    if (deed === 'snooze')
      await doAction(world, actor, current, { name: deed, until: world.now + minutes * MINUTE_MS });
    if (deed === 'pause') await settings.pause.run(world, actor, random);
    if (deed === 'quiet') await beQuietNow(world, actor);
    if (deed === 'suspend') await suspension.suspend.run(world, actor, random);
    if (deed === 'remove') await channels.removeChannel.run(world, actor, random);
    if (random.chance(0.6)) return;
    await world.pass(random.pick([0, 50, 200, 3_000, MINUTE_MS, 8 * MINUTE_MS]));
    await kill(world, random);
  },
};

const holdingChannels = (world: World, { id }: Person) =>
  world.channels.filter(({ owner, server, removedMs }) => owner === id && server && removedMs > world.elapsedMs);

const hideTitles: StepKind = {
  weight,
  async run(world, actor) {
    for (const channel of holdingChannels(world, actor)) {
      world.tell(`${actor.name} ${channel.isPrivate ? 'shows' : 'hides'} titles in a channel`);
      await world.call(({ db }) => updateChannel(db, channel.id, { private_title: !channel.isPrivate }));
      const [row] = world.query('select private_title from channels where id = ?', channel.id);
      channel.isPrivate = Boolean(row?.private_title);
      channel.privacyChangedMs = world.elapsedMs;
    }
  },
};

const addHolder: StepKind = {
  weight,
  async run(world, actor, random) {
    if (holdingChannels(world, actor).length > 1 || world.process.isDead) return;
    world.tell(`${actor.name} adds a channel on ${THERE}`);
    await addChannel(world, actor, random.between(0, 3), { server: THERE, isPrivate: random.chance(0.3) });
    actor.reachChangedMs = world.elapsedMs;
  },
};

export const steps = { mustNotMiss, outage, holderAway, changeHeld, hideTitles, addHolder };
