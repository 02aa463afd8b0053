/**
 * The open subscriptions of this process: streams that tell assistants which resources have changed. Announcements of
 * changes make them look, at most once in `PAUSE_MS`, and so does a check in regular intervals, which also keeps the
 * connections open. A subscription ends when its token no longer counts, and after `LONGEST_MS`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, stopwatch } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { Semaphore } from '../lib/semaphore.ts';

/** Below the 30 to 60 seconds after which proxies close a connection that is silent. */
const CHECK_EVERY_MS = 25_000;
/** All changes within this time are told together. */
const PAUSE_MS = 2_000;
/** After this time the client connects again, perhaps to a process that started since. */
export const LONGEST_MS = 3_600_000;
/** More assistants than a person lets listen at once. The oldest subscription ends. */
const MOST_PER_ACCOUNT = 5;
/** A check of each costs a query. */
const MOST_PER_PROCESS = 500;

export interface Subscriber {
  readonly userId: string;
  /** Looks for changes and tells them. False if the subscriber may not listen any more. */
  look(): Promise<boolean>;
  keepAlive(): void;
  end(): void;
}

interface Subscription {
  readonly subscriber: Subscriber;
  readonly ageMs: () => number;
  readonly left: AbortController;
  /** One look at a time: each goes on where the one before ended. */
  readonly turns: Semaphore;
  /** Something may have changed since the last look. */
  isStale: boolean;
  /** The look that is under way, with the pause after it. */
  looking: Promise<void> | undefined;
}

interface Options {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly checkEveryMs?: number | undefined;
  readonly pauseMs?: number | undefined;
}

export class Subscriptions {
  readonly #checking: Loop;
  readonly #pauseMs: number;
  /** By account, in the order in which they were opened. */
  readonly #open = new Map<string, Set<Subscription>>();
  #count = 0;
  #isStopped = false;

  constructor({ clock, logger, checkEveryMs = CHECK_EVERY_MS, pauseMs = PAUSE_MS }: Options) {
    this.#pauseMs = pauseMs;
    this.#checking = new Loop({ name: 'subscriptions', clock, logger, checkEveryMs, work: () => this.#check() });
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  start(): void {
    this.#checking.start();
  }

  /** Ends every subscription, so that a process that stops need not wait for them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const all = this.#all();
    for (const subscription of all) this.#end(subscription);
    await this.#checking.stop();
    await Promise.all(all.map(({ looking }) => looking));
  }

  /** Throws if the process has no place for one more. */
  requireRoom(): void {
    if (this.#isStopped || this.#count >= MOST_PER_PROCESS) throw new AppError('overloaded');
  }

  /** Returns a function to call when the client has gone. */
  open(subscriber: Subscriber): () => void {
    const subscription: Subscription = {
      subscriber,
      ageMs: stopwatch(),
      left: new AbortController(),
      turns: new Semaphore({ capacity: 1 }),
      isStale: false,
      looking: undefined,
    };
    const own = this.#open.getOrInsertComputed(subscriber.userId, () => new Set());
    own.add(subscription);
    this.#count += 1;
    for (const oldest of [...own].slice(0, -MOST_PER_ACCOUNT)) this.#end(oldest);
    return () => this.#remove(subscription);
  }

  /** `ids` are those of people and spaces. A task is told to its owner, so spaces concern nobody here. */
  tell(ids: Iterable<string>): void {
    for (const id of ids) for (const subscription of this.#open.get(id) ?? []) this.#look(subscription);
  }

  /** One after another: this is the safety net for lost announcements, and nobody waits for it. */
  async #check(): Promise<null> {
    const all = this.#all();
    for (const { subscriber } of all) subscriber.keepAlive();
    for (const subscription of all) {
      if (subscription.ageMs() > LONGEST_MS) this.#end(subscription);
      else await this.#lookOnce(subscription);
    }
    return null;
  }

  #look(subscription: Subscription): void {
    subscription.isStale = true;
    subscription.looking ??= this.#lookWhileStale(subscription).finally(() => {
      subscription.looking = undefined;
    });
  }

  async #lookWhileStale(subscription: Subscription): Promise<void> {
    const { signal } = subscription.left;
    while (subscription.isStale && !signal.aborted) {
      subscription.isStale = false;
      await this.#lookOnce(subscription);
      await delay(this.#pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** If it fails, the next check repeats it. */
  async #lookOnce(subscription: Subscription): Promise<void> {
    const { subscriber, turns, left } = subscription;
    const release = await turns.acquire();
    const mayGoOn = left.signal.aborted || (await subscriber.look().catch(() => true));
    release();
    if (!mayGoOn) this.#end(subscription);
  }

  #all(): Subscription[] {
    return [...this.#open.values()].flatMap((own) => [...own]);
  }

  #end(subscription: Subscription): void {
    if (this.#remove(subscription)) subscription.subscriber.end();
  }

  #remove(subscription: Subscription): boolean {
    const { userId } = subscription.subscriber;
    const own = this.#open.get(userId);
    if (!own?.delete(subscription)) return false;
    if (own.size === 0) this.#open.delete(userId);
    this.#count -= 1;
    subscription.left.abort();
    return true;
  }
}
