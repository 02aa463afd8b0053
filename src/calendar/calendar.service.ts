/**
 * The feed: a URL with a secret in it, under which a calendar reads its owner's open tasks. The secret
 * is shown once and stored hashed. It gives read access to the feed and nothing else.
 */

import { requireLiveSession } from '../db/live-session.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import {
  deleteFeed,
  type Feed,
  type FeedTask,
  findFeed,
  findFeedByToken,
  findZone,
  listFeedTasks,
  listFeedTaskVersions,
  replaceFeed,
  touchFeed,
} from './calendar.store.ts';
import { type FeedForm, type FeedView, feedTag, writeFeed } from './feed.ts';
import { SingleFlight } from './single-flight.ts';

const FEED_PREFIX = 'cf_';
/** More than this is of no use in a calendar. Of overdue tasks, the most recent are kept. */
const LIMITS = { overdue: 500, upcoming: 1_500 };
const TASKS_PER_PAGE = 100;
const TOUCH_EVERY_MS = 60_000;

interface Clocks {
  /** The clock that tasks are planned by; it may run faster than the wall clock. */
  readonly clock: Clock;
  readonly wallClock: Clock;
}

export interface FeedRequest {
  readonly form: FeedForm;
  readonly knownTags: readonly string[];
  /** Fires when the client has hung up. */
  readonly callerLeft: AbortSignal;
  readonly budget: FeedBudget;
}

/** The budget of the feed's owner, in rows. */
interface FeedBudget {
  /** Throws if it is spent. */
  check(userId: string): void;
  charge(userId: string, rows: number): void;
}

export interface FeedAnswer {
  readonly tag: string;
  /** Undefined if the client already has this version. */
  readonly text: string | undefined;
}

/** Called after the commit of a new feed. */
export type FeedMade = (caller: SessionCaller) => void;

export class CalendarService {
  readonly #db: Db;
  readonly #clocks: Clocks;
  readonly #audit: Audit;
  readonly #made: FeedMade;
  readonly #flights = new SingleFlight();

  constructor(db: Db, clocks: Clocks, audit: Audit, made: FeedMade) {
    this.#db = db;
    this.#clocks = clocks;
    this.#audit = audit;
    this.#made = made;
  }

  async find({ userId }: Pick<SessionCaller, 'userId'>, db = this.#db): Promise<Feed | undefined> {
    return findFeed(db, userId);
  }

  /** Replaces an existing feed. The token is returned only here. */
  async create(caller: SessionCaller, address: string): Promise<Feed & { readonly token: string }> {
    const { userId } = caller;
    const token = newToken(FEED_PREFIX);
    const created_at = this.#clocks.wallClock.now();
    const feed = { user_id: userId, token_hash: hashToken(token), created_at, last_read_at: null };
    await transact(this.#db, async (trx) => {
      await requireLiveSession(trx, caller);
      await replaceFeed(trx, feed);
    });
    this.#audit.record('feed_made', { result: 'ok', address, user_id: userId });
    this.#made(caller);
    return { ...feed, token };
  }

  async revoke({ userId }: SessionCaller, address: string): Promise<boolean> {
    const revoked = await deleteFeed(this.#db, userId);
    this.#audit.record('feed_revoked', { result: revoked ? 'ok' : 'not_found', address, user_id: userId });
    return revoked;
  }

  /** In the transaction of signing out everywhere. The feed has the id of its owner. Returns how many ended. */
  async end(trx: Db, userId: string, ids: readonly string[]): Promise<number> {
    return ids.includes(userId) && (await deleteFeed(trx, userId)) ? 1 : 0;
  }

  async read(token: string, { form, knownTags, callerLeft, budget }: FeedRequest): Promise<FeedAnswer> {
    const feed = await this.#findFeed(token);
    const zone = feed && (await findZone(this.#db, feed.user_id));
    if (!feed || zone === undefined) throw new AppError('not_found', { sentence: 'There is no such calendar.' });
    budget.check(feed.user_id);
    await this.#touch(feed);
    const view: FeedView = { form, zone, now: this.#clocks.clock.now() };
    const versions = await listFeedTaskVersions(this.#db, feed.user_id, view.now, LIMITS);
    budget.charge(feed.user_id, versions.length);
    const tag = feedTag(view, versions);
    if (knownTags.includes(tag)) return { tag, text: undefined };
    const ids = versions.map(({ id }) => id);
    const write = (signal: AbortSignal) => writeFeed(view, this.#pages(ids), signal);
    return { tag, text: await this.#flights.run(feed.user_id, tag, write, callerLeft) };
  }

  /** False once the feed was revoked or replaced, or its owner suspended or deleted. */
  async isReadable(token: string): Promise<boolean> {
    return (await this.#findFeed(token)) !== undefined;
  }

  async #findFeed(token: string): Promise<Feed | undefined> {
    return token.startsWith(FEED_PREFIX) ? findFeedByToken(this.#db, hashToken(token)) : undefined;
  }

  async *#pages(ids: readonly string[]): AsyncGenerator<FeedTask[]> {
    for (let start = 0; start < ids.length; start += TASKS_PER_PAGE) {
      yield await listFeedTasks(this.#db, ids.slice(start, start + TASKS_PER_PAGE));
    }
  }

  async #touch({ token_hash, last_read_at }: Feed): Promise<void> {
    const now = this.#clocks.wallClock.now();
    const isRecent = last_read_at !== null && now.getTime() - last_read_at.getTime() < TOUCH_EVERY_MS;
    if (!isRecent) await touchFeed(this.#db, token_hash, now);
  }
}
