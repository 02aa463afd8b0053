/**
 * Lets a process that writes tasks wake the engines in other processes, with PostgreSQL's LISTEN and
 * NOTIFY. A wake-up may get lost; the engine polls, so a lost wake-up only makes a nudge a little late.
 *
 * A listener that has stopped receiving looks like one that has nothing to receive. So it is tested once after it
 * has subscribed, by a wake-up of its own, and its connection is checked every few seconds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { connectionOptions } from './postgres-address.ts';
import { sessionName } from './postgres-sessions.ts';
import type { Db } from './schema.ts';

const CHANNEL = 'crescendo_wake';
const RECONNECT_MS = 1_000;
const CHECK_EVERY_MS = 5_000;
/** How long the server may take to answer, and a wake-up to arrive. */
const ANSWER_TIMEOUT_MS = 3_000;
/** Behind a pooler that shares sessions no wake-up ever arrives, so there is no hurry to try again. */
const TRY_AGAIN_MS = 60_000;

/** Must be called outside of a transaction: PostgreSQL serialises the commits of transactions that notify. */
export async function notifyEngines(db: Db, payload = ''): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(db);
}

export class WakeUpListener {
  readonly #url: string;
  readonly #db: Db;
  readonly #onWakeUp: () => void;
  readonly #loop: Loop;
  readonly #log: LogOnChange;

  constructor(url: string, db: Db, clock: Clock, logger: Logger, onWakeUp: () => void) {
    this.#url = url;
    this.#db = db;
    this.#onWakeUp = onWakeUp;
    this.#log = new LogOnChange(logger, {
      failing: 'not listening for wake-ups: the engine finds due tasks by polling, up to 2 s late',
      working: 'listening for wake-ups again',
    });
    this.#loop = new Loop({
      name: 'wake-up listener',
      clock,
      logger,
      checkEveryMs: RECONNECT_MS,
      work: (signal) => this.#listen(signal),
    });
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  /** Resolves when the connection is lost or the listener stops; unless stopped, the loop then connects again. */
  async #listen(stopped: AbortSignal): Promise<null> {
    const client = new pg.Client({
      ...connectionOptions(this.#url, sessionName('wake-up')),
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    const ended = Promise.withResolvers<never>();
    client.on('error', ended.reject);
    client.once('end', () => ended.reject(new Error('The server closed the connection.')));
    stopped.addEventListener('abort', () => ended.reject(stopped.reason), { once: true });
    const listening = new AbortController();
    try {
      await Promise.race([ended.promise, this.#receive(client, listening.signal)]);
    } catch (error) {
      if (!stopped.aborted) this.#log.failed({ reason: error instanceof Error ? error.message : String(error) });
      if (error instanceof NothingArrives) await delay(TRY_AGAIN_MS, undefined, { signal: stopped }).catch(() => null);
    } finally {
      listening.abort();
      if (stopped.aborted) client.end().catch(() => undefined);
      // Saying goodbye to a vanished host would keep the socket open for minutes.
      else client.connection.stream.destroy();
    }
    return null;
  }

  async #receive(client: pg.Client, signal: AbortSignal): Promise<never> {
    await client.connect();
    await this.#subscribe(client, signal);
    this.#log.worked();
    // Wake-ups sent before the subscription are lost, so check once.
    this.#onWakeUp();
    for (;;) {
      await delay(CHECK_EVERY_MS, undefined, { signal });
      await client.query('select 1');
    }
  }

  /** Resolves once a wake-up that was sent over another connection has arrived. */
  async #subscribe(client: pg.Client, signal: AbortSignal): Promise<void> {
    const test = newId();
    const arrived = Promise.withResolvers<void>();
    client.on('notification', ({ payload }) => (payload === test ? arrived.resolve() : this.#onWakeUp()));
    await client.query(`listen ${CHANNEL}`);
    await notifyEngines(this.#db, test);
    const tooLate = delay(ANSWER_TIMEOUT_MS, undefined, { signal }).then(() => arrived.reject(new NothingArrives()));
    tooLate.catch(() => undefined);
    await arrived.promise;
  }
}

class NothingArrives extends Error {
  override readonly name = 'NothingArrives';
  constructor() {
    super('LISTEN receives nothing: a connection pooler shares sessions (docs/scaling.md)');
  }
}
