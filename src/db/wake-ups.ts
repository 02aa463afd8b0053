/**
 * Lets a process that writes tasks wake the engines in other processes, and tell them what their open web apps should
 * read again. Uses PostgreSQL's LISTEN and NOTIFY over one connection. A notice may get lost: engines and web apps also
 * poll, so they only learn of the change a little later.
 *
 * A listener that has stopped receiving looks like one that has nothing to receive. So the listener tests itself with a
 * wake-up after it has subscribed, and checks its connection every few seconds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { connectionOptions } from './postgres/postgres-address.ts';
import { sessionName } from './postgres/postgres-sessions.ts';
import type { Db } from './schema.ts';

const WAKE = 'crescendo_wake';
const LIVE = 'crescendo_live';
const RECONNECT_MS = 1_000;
const CHECK_EVERY_MS = 5_000;
/** How long the server may take to answer, and a wake-up to arrive. */
const ANSWER_TIMEOUT_MS = 3_000;
/** Behind a pooler that shares sessions no wake-up ever arrives, so there is no hurry to try again. */
const TRY_AGAIN_MS = 60_000;

/** Must be called outside of a transaction: PostgreSQL serialises the commits of transactions that notify. */
export async function notifyEngines(db: Db): Promise<void> {
  await notify(db, WAKE, ['']);
}

/** A payload has less than 8,000 bytes. Must be called outside of a transaction, too. */
export async function notifyWebApps(db: Db, payloads: readonly string[]): Promise<void> {
  await notify(db, LIVE, payloads);
}

async function notify(db: Db, channel: string, payloads: readonly string[]): Promise<void> {
  await sql`select ${sql.join(payloads.map((payload) => sql`pg_notify(${channel}, ${payload})`))}`.execute(db);
}

export interface Receivers {
  readonly onWakeUp?: (() => void) | undefined;
  /** Must tolerate any text. */
  readonly onChanges?: ((payload: string) => void) | undefined;
}

export class WakeUpListener {
  readonly #url: string;
  readonly #db: Db;
  readonly #receivers: Receivers;
  readonly #loop: Loop;
  readonly #log: LogOnChange;

  constructor(url: string, db: Db, clock: Clock, logger: Logger, receivers: Receivers) {
    this.#url = url;
    this.#db = db;
    this.#receivers = receivers;
    this.#log = new LogOnChange(logger, {
      failing: 'not listening for wake-ups: due tasks and changes are found by polling, up to 2 s and 30 s late',
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
    this.#receivers.onWakeUp?.();
    for (;;) {
      await delay(CHECK_EVERY_MS, undefined, { signal });
      await client.query('select 1');
    }
  }

  /** Resolves once a wake-up that was sent over another connection has arrived. */
  async #subscribe(client: pg.Client, signal: AbortSignal): Promise<void> {
    const { onWakeUp, onChanges } = this.#receivers;
    const test = newId();
    const arrived = Promise.withResolvers<void>();
    client.on('notification', ({ channel, payload = '' }) => {
      if (payload === test) arrived.resolve();
      else if (channel === LIVE) onChanges?.(payload);
      else onWakeUp?.();
    });
    if (onWakeUp) await client.query(`listen ${WAKE}`);
    if (onChanges) await client.query(`listen ${LIVE}`);
    await notify(this.#db, onWakeUp ? WAKE : LIVE, [test]);
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
