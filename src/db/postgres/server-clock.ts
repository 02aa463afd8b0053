/**
 * Keeps the clock of this process in step with the server's, so that all processes of an installation agree on the
 * time, whatever the clocks of their machines show (ADR 34). The server's clock is read every minute and with each new
 * connection, because the address may lead to another server now. During an outage the clock runs on.
 */
import type pg from 'pg';
import { type Clock, type ClockReading, stopwatch } from '../../lib/clock.ts';
import { LogOnChange } from '../../lib/log-on-change.ts';
import type { Logger } from '../../lib/logger.ts';
import { type PostgresPool, withTimeout } from './postgres-pool.ts';

/** A column of any statement. */
export const SERVER_TIME = 'extract(epoch from clock_timestamp()) * 1000 as server_time_ms';
export interface ServerTime {
  readonly server_time_ms: string;
}

/** `tookMs` is the time that the statement took. */
export const toReading = ({ server_time_ms }: ServerTime, tookMs: number): ClockReading => ({
  at: new Date(Number(server_time_ms)),
  tookMs,
});

const READ_EVERY_MS = 60_000;
const READ_TIMEOUT_MS = 5_000;
const WORTH_A_LINE_MS = 1_000;

export class ServerClock {
  readonly #clock: Clock;
  readonly #log: LogOnChange | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Without a logger, differences are not logged. */
  constructor(clock: Clock, logger: Logger | undefined) {
    this.#clock = clock;
    this.#log =
      logger &&
      new LogOnChange(logger, {
        failing:
          "this machine's clock differs from that of the database, which is used instead: keep both right with NTP",
        working: "this machine's clock agrees with that of the database again",
      });
  }

  /** Call this as soon as the server has answered. */
  follow(reading: ClockReading): void {
    const followed = this.#clock.follow?.(reading);
    if (!followed) return;
    const { machineAheadMs } = followed;
    if (Math.abs(machineAheadMs) > WORTH_A_LINE_MS)
      this.#log?.failed({ seconds_ahead: Math.round(machineAheadMs / 100) / 10 });
    else this.#log?.worked();
  }

  readEveryMinute(pool: PostgresPool): void {
    if (!this.#clock.follow) return;
    // During an outage other parts log the outage.
    const read = () => void this.#read(pool).catch(() => undefined);
    this.#timer = setInterval(read, READ_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #read(pool: PostgresPool): Promise<void> {
    const { client } = await pool.acquire();
    let isIntact = false;
    try {
      this.follow(await readServerTime(client));
      isIntact = true;
    } finally {
      pool.release(client, isIntact);
    }
  }
}

async function readServerTime(client: pg.ClientBase): Promise<ClockReading> {
  const elapsedMs = stopwatch();
  const { rows } = await client.query<ServerTime>(withTimeout(`select ${SERVER_TIME}`, READ_TIMEOUT_MS));
  return toReading(rows[0] as ServerTime, elapsedMs());
}
