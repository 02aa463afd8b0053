/**
 * Which channel of a person holds their messages, for how long, and how many. Servers that turn out to hold them for a
 * shorter time, or not at all, are remembered for a while and then asked again.
 */

import type { Db } from '../db/schema.ts';
import type { Understudy } from '../db/tables/understudies.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { type DayBudget, type Gateways, isDeviceProvider } from '../push/gateway.ts';
import { DayBudgets } from './day-budgets.ts';
import { type Allowed, type Holder, NONE, PAID } from './plan-understudies.ts';
import { countHeldForOthers, listUsableChannels } from './understudies.store.ts';

interface HoldersParts {
  readonly db: Db;
  readonly clock: Clock;
  /** Real time. */
  readonly wallClock: Clock;
  /** How much faster the service's clock runs. */
  readonly clockSpeed: number;
  readonly gateways: Gateways;
  /** How many messages were sent today within the budget of this name. */
  readonly countOfDay: (key: string) => Promise<number>;
}

export type Channel = Awaited<ReturnType<typeof listUsableChannels>>[number];

const UNFIT_MS = 3_600_000;
/** Finding out how long a server holds messages takes several of them. */
const SHORTER_MS = 24 * 3_600_000;
const MOST_REMEMBERED = 10_000;
const NO_PROVIDER = '';

export class Holders {
  readonly #parts: HoldersParts;
  readonly #budgets: DayBudgets;
  /** The providers that hold messages. */
  readonly providers: readonly string[];
  /** Servers that hold messages for a shorter time than is usual: for how long, in real time. */
  readonly #shorter: Remembered<number>;
  /** Channels whose server refused to hold messages. */
  readonly #unfit: Remembered<true>;

  constructor(parts: HoldersParts) {
    this.#parts = parts;
    this.#budgets = new DayBudgets(parts.wallClock, parts.countOfDay);
    this.#shorter = new Remembered(parts.wallClock, SHORTER_MS);
    this.#unfit = new Remembered(parts.wallClock, UNFIT_MS);
    const holding = Object.entries(parts.gateways).flatMap(([name, gateway]) => (gateway?.holds ? [name] : []));
    // SQL knows no empty list.
    this.providers = holding.length > 0 ? holding : [NO_PROVIDER];
  }

  /** Also if nothing is to be held any more: what was held before is taken back. */
  get isOn(): boolean {
    return Object.keys(this.#parts.gateways).some((name) => !isDeviceProvider(name));
  }

  /** The server refused to hold a message for so long. */
  noteTooFar(server: string, delayMs: number): void {
    this.#shorter.set(server, delayMs / 2);
  }

  /** The server of this channel cannot hold messages, or is this machine: another channel of the person is tried. */
  noteUnfit(channelId: string): void {
    this.#unfit.set(channelId, true);
  }

  /** Whether the message may still be held: its moment is to come, and its server takes more of them today. */
  async mayHold({ provider, channel_id: channelId, address: sealed, sounds_at }: Understudy): Promise<boolean> {
    const hasPassed = sounds_at !== null && sounds_at <= this.#parts.clock.now();
    return !hasPassed && (await this.#budgets.take(this.#budgetOf(provider, channelId, sealed)));
  }

  /** Channels that cost nothing come first. */
  async findChannel(db: Db, userId: string): Promise<Channel | undefined> {
    const { gateways } = this.#parts;
    const channels = await listUsableChannels(db, userId);
    const able = channels.filter(
      ({ provider, server, address }) => address !== null && gateways[provider]?.holds?.isElsewhere(server),
    );
    const isFree = ({ provider }: Channel) => gateways[provider]?.holds?.mostPaid === undefined;
    const inOrder = [...able.filter(isFree), ...able.filter((one) => !isFree(one))];
    return inOrder.find(({ id }) => !this.#unfit.get(id)) ?? inOrder[0];
  }

  async allowedBy(userId: string, { id: channelId, provider, address: sealed }: Channel): Promise<Allowed> {
    const mostPaid = this.#parts.gateways[provider]?.holds?.mostPaid;
    if (mostPaid === undefined) return this.#budgets.allowedBy(this.#budgetOf(provider, channelId, sealed));
    const left = mostPaid - (await countHeldForOthers(this.#parts.db, userId, provider));
    return left > 0 ? { ...PAID, ofTasks: Math.min(PAID.ofTasks, left - PAID.general) } : NONE;
  }

  #budgetOf(provider: string, channelId: string, sealed: string | null): DayBudget | null {
    return this.#parts.gateways[provider]?.findDayBudget?.({ channelId, sealed }) ?? null;
  }

  toHolder({ id, provider, server, private_title }: Channel, allowed: Allowed): Holder | undefined {
    const { gateways, clockSpeed } = this.#parts;
    const holds = gateways[provider]?.holds;
    if (!holds) return undefined;
    const maxMs = Math.min(holds.maxMs, this.#shorter.get(server ?? '') ?? Number.POSITIVE_INFINITY);
    return {
      channelId: id,
      isPrivate: private_title,
      minMs: holds.minMs * clockSpeed,
      maxMs: maxMs * clockSpeed,
      allowed,
    };
  }
}

/** What a server has shown, until it is asked again. */
class Remembered<Fact> {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #facts = new BoundedMap<string, { readonly fact: Fact; readonly atMs: number }>(MOST_REMEMBERED);

  constructor(clock: Clock, forMs: number) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  get(key: string): Fact | undefined {
    const known = this.#facts.get(key);
    const isFresh = known && Math.abs(this.#clock.now().getTime() - known.atMs) <= this.#forMs;
    return isFresh ? known.fact : undefined;
  }

  set(key: string, fact: Fact): void {
    this.#facts.set(key, { fact, atMs: this.#clock.now().getTime() });
  }
}
