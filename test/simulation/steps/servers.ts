/** Servers of the provider of channels, which people share: one is slow, hangs or refuses, and others go on. */
import { doAction } from '../actions.ts';
import { addChannel, type Channel } from '../channels.ts';
import type { SimulatedGateway } from '../gateways.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { createDue, isHeldNow, listLoud, passUntilDue } from './storm.ts';

const MINUTE_MS = 60_000;
/** Drawn by the plan. */
const weight = 0;
/** Whatever refuses the service itself, or is never sent, is decided before a server is asked. */
const MOODS = ['accepts', 'accepts', 'retry', 'throttles', 'rejected', 'timeout', 'timeout', 'lost'] as const;
const LOUD_TASKS = 20;
/** What is on its way first, a turn of every other account, and one more. */
const TURNS = 3;
const PROMPT_MS = 1_000;
const FAST_WITHIN_MS = 2_500;
const QUICK_MS = 100;
/** As long as the service waits for an answer. */
const HANGS_MS = 6_000;

const turnsAt = (...servers: readonly SimulatedGateway[]): number =>
  servers.reduce((sum, { latencyMs }) => sum + TURNS * latencyMs, PROMPT_MS);

const pickServer = (world: World, random: Random): [origin: string, server: SimulatedGateway] =>
  random.pick([...world.servers]);

const trouble: StepKind = {
  weight,
  async run(world, _actor, random) {
    if (world.servers.size === 0) return;
    const [origin, server] = pickServer(world, random);
    server.mood = random.pick(MOODS);
    // Not just as long as an attempt: behind the real gateway, an answer of the last moment comes too late.
    server.latencyMs = random.pick([0, 300, 2_000, 5_900, 6_100]);
    const minutes = random.pick([1, 5, 15, 45]);
    world.tell(`${origin}: ${server.mood}, ${server.latencyMs} ms, for ${minutes} minutes`);
    world.runtime.after(minutes * MINUTE_MS, () => server.heal(), null);
  },
};

/** Loud accounts and a quiet one share a server that is slow or hangs. The quiet one has a channel elsewhere too. */
const crowd: StepKind = {
  weight,
  async run(world, quiet, random) {
    const loud = listLoud(world, quiet);
    if (world.servers.size === 0 || loud.length < 2 || isHeldNow(world, quiet) || world.process.isDoomed) return;
    // What failed a moment ago is left alone by the service for a while, so nothing is promised there.
    const steady = new Set([...world.servers.values()].filter(({ isReliable }) => isReliable));
    for (const one of world.servers.values()) if (!steady.has(one)) one.heal();
    const [shared, server] = pickServer(world, random);
    const [elsewhere = ''] = [...world.servers.keys()].filter((origin) => origin !== shared);
    for (const one of loud) await ensureChannel(world, one, shared);
    const findPromised = async (origin: string) => {
      const channel = await ensureChannel(world, quiet, origin);
      return channel && steady.has(world.serverOf(channel)) ? channel : undefined;
    };
    const [own, other] = [await findPromised(shared), await findPromised(elsewhere)];
    server.mood = random.pick(['accepts', 'accepts', 'timeout']);
    server.latencyMs = random.pick([300, 900, 2_500, 4_000]);
    world.tell(`${shared}: ${server.mood}, ${server.latencyMs} ms, while ${loud.length} accounts are loud there`);
    const taskId = await createDue(world, loud, quiet, LOUD_TASKS);
    await passUntilDue(world);
    if (taskId === undefined) return server.heal();
    const awaited = { taskId, dueMs: world.elapsedMs };
    const beside = `Messages to ${shared}`;
    // The loud ones may have channels at the other servers, too, which share the places that this one leaves.
    const others = [...world.servers.values()].filter((one) => one !== server);
    // A message of the quiet one hangs too. While few places are left in all, those who occupy none come first.
    const hangsMs = server.mood === 'timeout' && others.some(({ latencyMs }) => latencyMs > QUICK_MS) ? HANGS_MS : 0;
    const otherMs = Math.max(FAST_WITHIN_MS, turnsAt(...others)) + hangsMs;
    world.waiting = [
      ...(other ? [{ ...awaited, channel: other, mostMs: otherMs, beside }] : []),
      ...(own && server.mood === 'accepts' ? [{ ...awaited, channel: own, mostMs: turnsAt(server), beside }] : []),
    ];
    await world.pass(random.between(100, 3_000));
    for (const one of loud) await completeSome(world, one, random);
    await world.pass(MINUTE_MS / 2);
    if (server.mood === 'timeout' && other) await meetElsewhere(world, quiet, other, beside);
    server.heal();
  },
};

/** A server has been silent for a while, and the next message of the same person goes to another one as well. */
async function meetElsewhere(world: World, quiet: Person, other: Channel, beside: string): Promise<void> {
  await world.pass(MINUTE_MS);
  const taskId = await createDue(world, [], quiet, 0);
  await passUntilDue(world);
  if (taskId) world.waiting = [{ taskId, dueMs: world.elapsedMs, channel: other, mostMs: FAST_WITHIN_MS, beside }];
  await world.pass(FAST_WITHIN_MS * 2);
}

/** A channel of the person at this server whose messages are sent at once. */
async function ensureChannel(world: World, owner: Person, server: string): Promise<Channel | undefined> {
  const find = () =>
    world.channels.find(
      (channel) =>
        channel.owner === owner.id &&
        channel.server === server &&
        channel.tier === 0 &&
        channel.removedMs > world.elapsedMs,
    );
  if (!find()) {
    await addChannel(world, owner, 0, { server, isPrivate: false });
    owner.reachChangedMs = world.elapsedMs;
  }
  return find();
}

/** Done while the messages wait for a place at the server. */
async function completeSome(world: World, owner: Person, random: Random): Promise<void> {
  const isLoud = ({ title, isOpen, owner: id }: { title: string; isOpen: boolean; owner: string }) =>
    id === owner.id && isOpen && title.startsWith('loud');
  for (const task of [...world.tasks.values()].filter(isLoud))
    if (random.chance(0.6)) await doAction(world, owner, task, { name: 'complete' });
}

export const steps = { crowd, troubleServer: trouble };
