/** The whole service on a fake clock and a database of its own, ready to be asked. */
import type { InjectOptions } from 'fastify';
import { compose, type Service } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { Parts } from '../../src/parts.ts';
import { createDatabase, type EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';

export const VERSION = '0.1.0';

/** On a machine that does much else at once, no test is turned away for being slow. */
const UNHURRIED = { maxEventLoopDelayMs: 60_000 };

interface BedOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly extra?: Parts['extra'];
  readonly databaseUrl?: string;
  /** A clock that another bed on the same database already lives by. */
  readonly clock?: FakeClock;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as a client without our types would.
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface Bed extends AsyncDisposable, Service {
  readonly clock: FakeClock;
  /** Mail that was printed, since no mail server is configured. */
  readonly printed: readonly string[];
  /** The log, one parsed line each. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  ask(options: InjectOptions): Promise<Answer>;
}

export async function startBed(engine: EngineName, options: BedOptions = {}): Promise<Bed> {
  const database = options.databaseUrl ? undefined : await createDatabase(engine);
  const clock = options.clock ?? new FakeClock();
  const printed: string[] = [];
  const log: Record<string, unknown>[] = [];
  const config = loadConfig({
    DATABASE_URL: options.databaseUrl ?? database?.url,
    ...(database?.folder && { DATA_DIR: database.folder }),
    SECRET_KEY: 'a key for tests, long enough to be taken',
    ...options.settings,
  });
  const parts = {
    ...{ config, version: VERSION, clock, wallClock: clock },
    logger: createLogger(config.LOG_LEVEL, { write: (line) => void log.push(JSON.parse(line)) }),
    print: (text: string) => void printed.push(text),
  };
  const limits = { ...UNHURRIED, ...options.extra?.limits };
  const service = await compose({ ...parts, extra: { ...options.extra, limits } });
  const ask = async (request: InjectOptions): Promise<Answer> => {
    const response = await service.app.inject(request);
    return {
      status: response.statusCode,
      body: response.body ? response.json() : undefined,
      headers: response.headers,
    };
  };
  const noLongerWaitedFor = clock.waitFor(async () => service.engine?.settled());
  const dispose = async () => {
    noLongerWaitedFor();
    await service.close();
    await database?.drop();
  };
  return { ...service, clock, printed, log, ask, [Symbol.asyncDispose]: dispose };
}
