/** The whole service on a fake clock and its own database, called without a network. */
import type { InjectOptions } from 'fastify';
import packageJson from '../../package.json' with { type: 'json' };
import type { Parts } from '../../src/compose/parts.ts';
import { compose, type Service } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { NO_LOAD_LIMITS } from '../../src/limits/load-shedding.ts';
import { createDatabase, type EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';

/** The release of this package. */
export const { version: VERSION } = packageJson;

interface TestAppOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly extra?: Parts['extra'];
  /** A build of the web app other than the usual one. */
  readonly webApp?: Parts['webApp'];
  readonly databaseUrl?: string;
  /** Shared with another app on the same database. */
  readonly clock?: FakeClock;
  /** Real time, if it is another than that of the service. */
  readonly wallClock?: FakeClock;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as a client without our types would.
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface TestApp extends AsyncDisposable, Omit<Service, 'app'> {
  readonly fastify: Service['app'];
  readonly clock: FakeClock;
  /** Mails, printed because no mail server is configured. */
  readonly printed: readonly string[];
  /** The log, one parsed line each. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  ask(options: InjectOptions): Promise<Answer>;
}

export async function startTestApp(engine: EngineName, options: TestAppOptions = {}): Promise<TestApp> {
  const database = options.databaseUrl ? undefined : await createDatabase(engine);
  const clock = options.clock ?? new FakeClock();
  const printed: string[] = [];
  const log: Record<string, unknown>[] = [];
  const config = loadConfig({
    DATABASE_URL: options.databaseUrl ?? database?.url,
    ...(database?.folder && { DATA_DIR: database.folder }),
    SECRET_KEY: 'a key for tests, long enough to be taken',
    // With an https BASE_URL too: tests read sign-in codes from printed mail.
    PRINT_MAIL: 'true',
    ...options.settings,
  });
  const { app, ...service } = await compose({
    config,
    version: VERSION,
    clock,
    wallClock: options.wallClock ?? clock,
    logger: createLogger(config.LOG_LEVEL, { write: (line) => void log.push(JSON.parse(line)) }),
    ...(options.webApp && { webApp: options.webApp }),
    print: (text: string) => void printed.push(text),
    extra: { ...options.extra, limits: { ...NO_LOAD_LIMITS, ...options.extra?.limits } },
  });
  const ask = async (request: InjectOptions): Promise<Answer> => {
    const response = await app.inject(request);
    return {
      status: response.statusCode,
      body: response.body ? response.json() : undefined,
      headers: response.headers,
    };
  };
  const stopWaiting = clock.waitFor(async () => service.engine?.settled());
  const dispose = async () => {
    stopWaiting();
    await service.close();
    await database?.drop();
  };
  return { ...service, fastify: app, clock, printed, log, ask, [Symbol.asyncDispose]: dispose };
}
