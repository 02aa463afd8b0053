/**
 * Lets a process that writes tasks wake the engines in other processes, with PostgreSQL's LISTEN and
 * NOTIFY. A wake-up may get lost; the engine polls, so a lost wake-up only makes a nudge a little late.
 */
import { sql } from 'kysely';
import pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { sessionName } from './postgres-sessions.ts';
import type { Db } from './schema.ts';

const CHANNEL = 'crescendo_wake';
const RECONNECT_MS = 1_000;

/** Must be called outside of a transaction: PostgreSQL serialises the commits of transactions that notify. */
export async function notifyEngines(db: Db): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, '')`.execute(db);
}

export class WakeUpListener {
  readonly #url: string;
  readonly #onWakeUp: () => void;
  readonly #loop: Loop;
  readonly #log: LogOnChange;

  constructor(url: string, clock: Clock, logger: Logger, onWakeUp: () => void) {
    this.#url = url;
    this.#onWakeUp = onWakeUp;
    this.#log = new LogOnChange(logger, {
      failing: 'not listening for wake-ups: the engine finds due tasks by polling until the connection is back',
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
      connectionString: this.#url,
      application_name: sessionName('wake-up'),
      keepAlive: true,
    });
    // A client that is still connecting never emits `end`, so stopping has to end the wait itself.
    const ended = Promise.withResolvers<void>();
    client.once('end', ended.resolve);
    client.on('error', ended.reject);
    client.on('notification', () => this.#onWakeUp());
    stopped.addEventListener('abort', () => ended.resolve(), { once: true });
    try {
      await Promise.race([ended.promise, this.#subscribe(client)]);
      await ended.promise;
    } catch (error) {
      if (!stopped.aborted) this.#log.failed({ reason: error instanceof Error ? error.message : String(error) });
    } finally {
      client.end().catch(() => undefined);
    }
    return null;
  }

  async #subscribe(client: pg.Client): Promise<void> {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    this.#log.worked();
    // Wake-ups sent before the subscription are lost, so check once.
    this.#onWakeUp();
  }
}
