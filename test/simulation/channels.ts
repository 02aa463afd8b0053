/** Channels beside the devices: what each shows, and what its provider reports about it later. */
import { insertChannel, setFallbackMinutes } from '../../src/channels/channels.store.ts';
import { STAGES, toStageBits } from '../../src/escalation/ladder.ts';
import type { ChannelProvider } from '../../src/push/channel-provider.ts';
import { channelRow } from '../support/stored-channel.ts';
import { isStored, type Sent } from './invariant.ts';
import type { Person } from './person.ts';
import type { World } from './world.ts';

/** One provider stands for all: it replaces and retracts, and reports what arrived. */
export const CHANNEL_PROVIDER = 'ntfy';
const PROVIDER = { kind: { provider: CHANNEL_PROVIDER } } as ChannelProvider;

/** Of so many messages that were seen, one is said not to have arrived, so much later. */
const LATE_EVERY = 3;
const LATE_MS = 7_000;

interface Message {
  readonly taskId: string;
  readonly sent: Sent;
}

/** Where a channel leads, and whether titles are hidden there. */
export interface Place {
  readonly server: string | null;
  readonly isPrivate: boolean;
}

/** Channels are divided among the servers, so that strangers share each of them. */
function nextPlace({ servers, channels }: World): Place {
  const origins = [...servers.keys()];
  return { server: origins[channels.length % origins.length] ?? null, isPrivate: false };
}

export class Channel {
  readonly id: string;
  readonly owner: string;
  readonly tier: number;
  readonly addedMs: number;
  /** Null if its provider is one server, and is to hold no messages for it. */
  readonly server: string | null;
  isPrivate: boolean;
  privacyChangedMs = Number.NEGATIVE_INFINITY;
  removedMs = Number.POSITIVE_INFINITY;
  /** The messages that a person sees in it, by the provider's reference. */
  readonly shown = new Map<string, Message>();

  constructor(id: string, owner: string, tier: number, addedMs: number, { server, isPrivate }: Place) {
    this.id = id;
    this.owner = owner;
    this.tier = tier;
    this.addedMs = addedMs;
    this.server = server;
    this.isPrivate = isPrivate;
  }

  /** The messages about a task that the service knows of. */
  known(taskId: string, beforeMs: number): string[] {
    return [...this.shown]
      .filter(([, message]) => message.taskId === taskId && isKnown(message, beforeMs))
      .map(([ref]) => ref);
  }
}

/** Whether the reference is stored. */
const isKnown = ({ sent }: Message, beforeMs: number): boolean =>
  sent.result?.kind === 'accepted' && isStored(sent, beforeMs);

export async function addChannel(world: World, owner: Person, tier: number, place = nextPlace(world)): Promise<void> {
  const id = `00000000-0000-7000-8000-${String(world.channels.length).padStart(12, '0')}`;
  const now = new Date(world.runtime.wallNow());
  const row = channelRow(now, {
    id,
    user_id: owner.id,
    provider: CHANNEL_PROVIDER,
    address: place.server ?? '',
    address_hash: id,
    stages: toStageBits(STAGES),
    tier,
    server: place.server,
    private_title: place.isPrivate,
  });
  await world.call(({ db }) => insertChannel(db, row));
  const [stored] = world.query('select id from channels where id = ?', id);
  if (stored) world.channels.push(new Channel(id, owner.id, tier, world.elapsedMs, place));
}

export async function setFallback(world: World, owner: Person, minutes: number): Promise<void> {
  owner.fallbackMinutes = minutes;
  await world.call(({ db }) => setFallbackMinutes(db, owner.id, minutes));
}

/** The provider reports an arrived message soon, late or never, and sometimes that a message has not arrived. */
export function reportLater(world: World, ref: string, sent: Sent): void {
  const { random } = world.runtime;
  const kind = random.pick(['silence', 'silence', 'silence', 'confirmed', 'undelivered'] as const);
  const afterMs = random.pick([3_000, 50_000, 170_000, 1_200_000]);
  if (kind === 'silence') return;
  const report = async () => {
    const event = kind === 'confirmed' ? ({ kind, ref } as const) : ({ kind, ref, reason: 'not_delivered' } as const);
    sent.isUndelivered ||= kind === 'undelivered';
    const answer = await world.call(({ events }) => events.handle(PROVIDER, [event]));
    const stored = world.query('select confirmed_at from deliveries where ref = ?', ref);
    if (kind === 'confirmed' && answer !== 'no answer' && stored.some(({ confirmed_at }) => confirmed_at === null))
      world.fail('answers', 'It was reported that a message was seen, and the service has not noted it.');
    learnAnswers(world, sent.push.kind === 'test' ? '' : sent.push.task.id);
    if (kind === 'confirmed' && world.channelMessages % LATE_EVERY === 0) contradictLater(world, ref, sent);
  };
  world.runtime.after(afterMs, () => void report().catch((error) => world.failAfterTurn(error)), null);
}

/** A report that the message did not arrive comes after the one that it was seen. It changes nothing. */
function contradictLater(world: World, ref: string, sent: Sent): void {
  const stored = () => world.query('select status, confirmed_at from deliveries where ref = ?', ref);
  const report = async () => {
    const isSeen = stored().some(({ confirmed_at }) => confirmed_at !== null);
    sent.isUndelivered ||= !isSeen;
    const event = { kind: 'undelivered', ref, reason: 'not_delivered' } as const;
    await world.call(({ events }) => events.handle(PROVIDER, [event]));
    if (isSeen && stored().some(({ status }) => status === 'failed_permanent'))
      world.fail('answers', 'A message that somebody has seen counts as not delivered.');
  };
  world.runtime.after(LATE_MS, () => void report().catch((error) => world.failAfterTurn(error)), null);
}

/** Reads from the rows which deliveries to the owner were answered: an acknowledgement is for the newest nudge of its stage. */
export function learnAnswers(world: World, taskId: string): void {
  const rows = world.query(
    `select entry_id || target_id as id, run, tier, created_at as at from deliveries
     where task_id = ? and recipient_id = (select owner_id from tasks where id = task_id) and (acked_at is not null or confirmed_at is not null)`,
    taskId,
  );
  const known = world.answers.getOrInsertComputed(taskId, () => new Map());
  for (const { id, run, tier, at } of rows)
    if (!known.has(String(id)))
      known.set(String(id), {
        at: Number(at),
        run: Number(run),
        tier: Number(tier),
        ms: world.elapsedMs,
        now: world.now,
      });
}
