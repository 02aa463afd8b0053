/** Channels are added and removed, mostly while a message waits in them. */
import { meetNudge, pickTask } from '../actions.ts';
import { addChannel } from '../channels.ts';
import type { StepKind } from '../plan.ts';

const add: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const planned = world.plan.people.find(({ name }) => name === actor.name);
    if (!planned?.tiers.length || world.channels.length > 3 * world.people.size) return;
    world.tell(`${actor.name} adds a channel`);
    await addChannel(world, actor, random.between(0, 3));
    actor.reachChangedMs = world.elapsedMs;
  },
};

const remove: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const own = world.channels.filter(({ owner, removedMs }) => owner === actor.id && removedMs > world.elapsedMs);
    if (own.length === 0) return;
    const task = pickTask(world, actor, random, true);
    if (task) await meetNudge(world, task, random);
    const channel = random.pick(own);
    world.tell(`${actor.name} removes a channel of tier ${channel.tier}`);
    await world.call(({ db }) => db.deleteFrom('channels').where('id', '=', channel.id).execute());
    actor.reachChangedMs = world.elapsedMs;
    if (world.query('select id from channels where id = ?', channel.id).length === 0)
      channel.removedMs = world.elapsedMs;
  },
};

/** The process dies at one of the operations by which a nudge falls to the next tier. */
const crashAtFall: StepKind = {
  weight: 3,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (task) await meetNudge(world, task, random);
    await world.pass(2_000);
    const [waiting] = world.query(
      "select min(next_attempt_at) as at from deliveries where status = 'pending' and tier > 0 and attempts = 0",
    );
    const { process } = world;
    if (typeof waiting?.at !== 'number' || process.isDoomed) return;
    await world.pass(Math.max(0, waiting.at - world.runtime.wallNow() - 1));
    const operations = random.between(1, 14);
    const downMs = random.pick([0, 1_000, 9_000, 300_000]);
    world.tell(`the process will die after ${operations} more operations, while a nudge falls to the next tier`);
    process.dieAfter(operations);
    process.onDeath(() => world.restartAfter(downMs));
  },
};

export const steps = { addChannel: add, removeChannel: remove, crashAtFall };
