/**
 * How a process that writes wakes one that fires, over PostgreSQL's LISTEN and NOTIFY. It is a
 * convenience and no promise: what gets lost is found by the engine's own look a little later.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import type { Logger } from '../lib/logger.ts';
import { sessionName } from './postgres-sessions.ts';
import type { Database } from './schema.ts';

const CHANNEL = 'crescendo_wake';
const RECONNECT_MS = 1_000;

/** Outside of any transaction: a commit that notifies waits for every other one that does. */
export async function ringBell(db: Kysely<Database>): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, '')`.execute(db);
}

export class BellListener {
  readonly #url: string;
  readonly #heard: () => void;
  readonly #logger: Logger;
  readonly #stopped = new AbortController();
  #listening: Promise<void> | undefined;

  constructor(url: string, heard: () => void, logger: Logger) {
    this.#url = url;
    this.#heard = heard;
    this.#logger = logger;
  }

  start(): void {
    this.#listening ??= this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#listening;
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      await this.#listenOnce().catch((error: Error) => {
        if (!signal.aborted) this.#logger.warn({ reason: error.message }, 'wake-ups are not heard at the moment');
      });
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection ends or is no longer wanted; a connection that is still being made never tells its end. */
  async #listenOnce(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: sessionName('bell'),
      keepAlive: true,
    });
    const over = Promise.withResolvers<void>();
    client.once('end', over.resolve);
    client.on('error', over.reject);
    client.on('notification', () => this.#heard());
    const stop = () => over.resolve();
    this.#stopped.signal.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([over.promise, this.#subscribe(client)]);
      await over.promise;
    } finally {
      this.#stopped.signal.removeEventListener('abort', stop);
      client.end().catch(() => undefined);
    }
  }

  async #subscribe(client: pg.Client): Promise<void> {
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    // Whatever was rung before there was a listener.
    this.#heard();
  }
}
