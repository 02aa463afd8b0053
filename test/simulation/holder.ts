/**
 * The side of a provider that holds messages: it sounds them by itself at their moment, by the right time and whether
 * the service lives or not, unless they are moved or taken back before.
 */
import type {
  ChannelHold,
  ChannelRelease,
  ChannelTarget,
  DayBudget,
  Holds,
  PushResult,
} from '../../src/push/gateway.ts';
import { CHANNEL_PROVIDER, type Channel } from './channels.ts';
import type { ModelTask } from './model/task.ts';
import { DAY_MS } from './model/zone.ts';
import { Outages } from './outages.ts';
import type { ServiceProcess } from './process.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;

export const THERE = 'https://there.test';
/** On the machine of the service. */
export const HERE = 'https://here.test';

/** In the service, people are looked at more often than in the world, where that would take most of a run. */
export const LOOK_EVERY_MS = 50 * MINUTE_MS;
/** The longest wait before a refused wish is tried again, and a little more. */
export const REFUSED_FOR_MS = 17 * MINUTE_MS;
/** What is only put off may wait this long, and has to be sent then. */
export const PUT_OFF_MS = 6 * MINUTE_MS;

export interface Holding {
  /** How many messages the server takes in a day; null if it has no such bound. */
  readonly mostPerDay: number | null;
  /** It refuses to hold a message longer than this. */
  readonly longestMs: number;
}

export interface Held {
  readonly ref: string;
  readonly channel: Channel;
  readonly title: string;
  readonly body: string;
  readonly stage: number;
  /** When the provider took it, and when it sounds it. */
  readonly takenMs: number;
  readonly soundsMs: number;
  /** When it sounds by the service's clock of that moment. */
  readonly soundsAt: number;
  readonly process: ServiceProcess;
  /** What it replaces. */
  readonly before: Held | undefined;
  /** When the service knew that it is held; it may have died before it stored that. */
  answeredMs: number;
  /** How it ended, and for what was taken back when the service knew that. */
  end?: 'sounded' | 'replaced' | { releasedMs: number; answeredMs: number };
}

export interface Sounded extends Held {
  readonly ms: number;
}

export const codeOf = (taskId: string): string => taskId.slice(-8);

/** About everything that is due, or about the service alone. Any other is about one must-not-miss task. */
export const isGeneral = ({ title }: Pick<Held, 'title'>): boolean => title.includes('Crescendo is silent');

/** Whether a person who reads it learns that this task is due. */
export function names({ title, body, ...held }: Pick<Held, 'title' | 'body' | 'channel'>, task: ModelTask): boolean {
  if (held.channel.owner !== task.owner) return false;
  if (isGeneral({ title })) return body.includes(` ${task.title} (`);
  return title === task.title || title === `Task ${codeOf(task.id)} is due`;
}

export class Holder {
  readonly #world: World;
  readonly #holding: Holding;
  readonly #stops = new Map<string, () => void>();
  readonly held = new Map<string, Held>();
  /** Everything that it ever held. */
  readonly all: Held[] = [];
  readonly outages: Outages;
  readonly sounded: Sounded[] = [];
  /** People of whom it has failed to take a message, or to take it back, as far as the service knows. */
  readonly failedFor = new Set<string>();
  /** It sounds nothing before. */
  downUntilMs = 0;
  /** When it counted messages, by the day. */
  readonly #counted = new Map<number, number[]>();
  /** How many it was sent, by the day: the service cannot know which of them it has counted. */
  readonly #sent = new Map<number, number>();

  constructor(world: World, holding: Holding) {
    this.#world = world;
    this.#holding = holding;
    this.outages = new Outages(world, this);
  }

  /** Whether the service lives and has reached the provider for long enough to have brought everything there. */
  isServed(forMs: number, sinceMs = 0): boolean {
    const { process, elapsedMs, aliveSinceMs } = this.#world;
    const fromMs = Math.max(aliveSinceMs, sinceMs);
    return !process.isDoomed && this.isReached && elapsedMs - fromMs > forMs;
  }

  /** Whether the provider did everything that it was asked for in the last while. */
  get isReached(): boolean {
    const { gateways, elapsedMs } = this.#world;
    const { isReliable, troubledMs } = gateways[CHANNEL_PROVIDER];
    return isReliable && elapsedMs - Math.max(troubledMs, this.downUntilMs) > REFUSED_FOR_MS;
  }

  /** Some servers hold messages for a shorter time than is usual, and the service finds that out. */
  readonly holds: Holds = {
    minMs: 30_000,
    maxMs: 3 * DAY_MS,
    isElsewhere: (server) => server !== null && server !== HERE,
  };

  /** A service finds out half of what such a server takes, and leaves an hour. */
  get surelyHoldsMs(): number {
    const { maxMs } = this.holds;
    const { longestMs } = this.#holding;
    return (longestMs < maxMs ? longestMs / 2 : maxMs) - 60 * MINUTE_MS;
  }

  readonly findDayBudget = ({ channelId }: Pick<ChannelTarget, 'channelId'>): DayBudget | null => {
    const { mostPerDay: most } = this.#holding;
    return most === null || this.#channel(channelId)?.server !== THERE ? null : { key: THERE, most };
  };

  get mostPerDay(): number {
    return this.#holding.mostPerDay ?? Number.POSITIVE_INFINITY;
  }

  /** The day by the right time, now or so many days before. */
  #day(before = 0): number {
    return Math.floor(this.#world.runtime.rightNow() / DAY_MS) - before;
  }

  get sinceDayBeganMs(): number {
    return this.#world.runtime.rightNow() % DAY_MS;
  }

  /** How many messages of today it had counted by then. */
  countedBy(ms: number): number {
    return (this.#counted.get(this.#day()) ?? []).filter((countedMs) => countedMs <= ms).length;
  }

  sent(daysBefore = 0): number {
    return this.#sent.get(this.#day(daysBefore)) ?? 0;
  }

  /** The service has an answer of this channel, or waits for it no more. */
  countSent(channelId: string): void {
    if (this.#channel(channelId)?.server === THERE) this.#sent.set(this.#day(), this.sent() + 1);
  }

  /** Whether the service's clock shows the provider's day, and has shown it since the day before began. */
  get isDayRight(): boolean {
    const { runtime, clocks, elapsedMs } = this.#world;
    return runtime.skewMs.wallClock === 0 && clocks.setMs.wallClock < elapsedMs - this.sinceDayBeganMs - DAY_MS;
  }

  /** The provider has taken a message or a request of this channel. */
  count(channelId: string): void {
    if (this.#channel(channelId)?.server !== THERE) return;
    this.#counted.getOrInsertComputed(this.#day(), () => []).push(this.#world.elapsedMs);
  }

  #channel(id: string): Channel | undefined {
    return this.#world.channels.find((channel) => channel.id === id);
  }

  take({ ref, title, body, stage, delayMs, target }: ChannelHold): PushResult {
    const { runtime, elapsedMs, now, process } = this.#world;
    const channel = this.#channel(target.channelId);
    if (!channel || delayMs < this.holds.minMs) return { kind: 'rejected', reason: 'too_soon' };
    if (delayMs > this.#holding.longestMs) {
      runtime.pollUntilMs = elapsedMs + 5_000;
      return { kind: 'rejected', reason: 'too_far' };
    }
    const before = this.held.get(ref);
    const held: Held = {
      ...{ ref, channel, title, body, stage, process, before },
      takenMs: elapsedMs,
      soundsMs: elapsedMs + Math.ceil(delayMs),
      soundsAt: now + Math.ceil(this.#world.clocks.taskMs(delayMs)),
      answeredMs: Number.POSITIVE_INFINITY,
    };
    this.#forget(ref);
    if (before) before.end = 'replaced';
    this.held.set(ref, held);
    this.all.push(held);
    this.#stops.set(
      ref,
      runtime.after(delayMs, () => this.#sound(held), null),
    );
    this.#world.recordHeld(held);
    return { kind: 'accepted', ref };
  }

  release({ ref }: Pick<ChannelRelease, 'ref'>): void {
    const held = this.held.get(ref);
    if (held) held.end = { releasedMs: this.#world.elapsedMs, answeredMs: Number.POSITIVE_INFINITY };
    this.#forget(ref);
  }

  /** The service knows that the message is held or taken back, or that it is not. */
  answered({ kind, ref, target }: ChannelHold | ChannelRelease, result: PushResult): void {
    const { elapsedMs } = this.#world;
    if (result.kind !== 'accepted') {
      this.failedFor.add(target.userId);
      return;
    }
    const last = this.all.findLast((one) => one.ref === ref);
    if (kind === 'channel_hold' && last) last.answeredMs = elapsedMs;
    if (kind === 'channel_release' && typeof last?.end === 'object') last.end.answeredMs = elapsedMs;
  }

  #forget(ref: string): void {
    this.#stops.get(ref)?.();
    this.#stops.delete(ref);
    this.held.delete(ref);
  }

  #sound(held: Held): void {
    const { runtime, elapsedMs: ms } = this.#world;
    const waitMs = this.downUntilMs - ms;
    if (waitMs > 0) {
      this.#stops.set(
        held.ref,
        runtime.after(waitMs, () => this.#sound(held), null),
      );
      return;
    }
    this.#forget(held.ref);
    held.end = 'sounded';
    const sounded = { ...held, ms };
    this.sounded.push(sounded);
    this.#world.recordSounded(sounded);
  }
}
