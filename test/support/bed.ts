/** The whole service on a fake clock and a database of its own, ready to be asked. */
import { compose, type Parts, type Service } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createDatabase, type EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';

export const VERSION = '0.1.0';

interface BedOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly extra?: Parts['extra'];
  readonly databaseUrl?: string;
}

export interface Bed extends AsyncDisposable, Service {
  readonly clock: FakeClock;
}

export async function startBed(engine: EngineName, options: BedOptions = {}): Promise<Bed> {
  const database = options.databaseUrl ? undefined : await createDatabase(engine);
  const clock = new FakeClock();
  const config = loadConfig({
    DATABASE_URL: options.databaseUrl ?? database?.url,
    SECRET_KEY: 'a key for tests, long enough to be taken',
    LOG_LEVEL: 'silent',
    ...options.settings,
  });
  const parts = { config, version: VERSION, clock, logger: createLogger(config.LOG_LEVEL) };
  const service = await compose(options.extra ? { ...parts, extra: options.extra } : parts);
  const dispose = async () => {
    await service.close();
    await database?.drop();
  };
  return { ...service, clock, [Symbol.asyncDispose]: dispose };
}
