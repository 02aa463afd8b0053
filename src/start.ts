/** From the environment to a listening service, and from a failed start to one line that says why. */
import type { AddressInfo } from 'node:net';
import packageJson from '../package.json' with { type: 'json' };
import { compose, type Service } from './compose.ts';
import { type Config, ConfigError, loadConfig, readEnvironment } from './config.ts';
import { NewerDatabaseError } from './db/migrate.ts';
import { SECOND_PROCESS_CODE } from './db/sqlite.ts';
import { systemClock } from './lib/clock.ts';
import { AppError } from './lib/errors.ts';
import { createLogger } from './lib/logger.ts';

export async function start(): Promise<Service> {
  const config = loadConfig(readEnvironment(process.cwd(), process.env));
  const logger = createLogger(config.LOG_LEVEL);
  const service = await compose({
    config,
    version: packageJson.version,
    clock: systemClock(config.CLOCK_SPEED),
    wallClock: systemClock(),
    logger,
    print: (text) => process.stdout.write(text),
  });
  try {
    await service.app.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    await service.close();
    throw error;
  }
  greet(config, service);
  return service;
}

function greet(config: Config, { app }: Service): void {
  const { port } = app.server.address() as AddressInfo;
  const host = ['0.0.0.0', '::'].includes(config.HOST) ? 'localhost' : config.HOST;
  const base = config.BASE_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const data = config.DATABASE_URL.engine === 'sqlite' ? config.DATABASE_URL.file : 'PostgreSQL';
  console.log(
    [
      `Crescendo ${packageJson.version} is ready.`,
      `  app    ${base}/app`,
      `  docs   ${base}/docs`,
      `  guide  ${base}/guide`,
      `  data   ${data}`,
    ].join('\n'),
  );
}

/** One line for what the person at the terminal can mend; the whole story for what only a developer can. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof NewerDatabaseError) return error.message;
  if (error instanceof AppError && error.code === 'database_unavailable') {
    return `The database cannot be reached: ${reasonOf(error.cause)}.`;
  }
  const code = 'code' in error ? String(error.code) : '';
  if (code === SECOND_PROCESS_CODE) return error.message;
  if (code === 'EADDRINUSE') return 'PORT is already taken by another process: stop that one or choose another PORT.';
  if (['EACCES', 'EROFS', 'ENOTDIR', 'ENOTFOUND', 'EADDRNOTAVAIL'].includes(code)) {
    return `The start failed: ${error.message}. Look at PORT, HOST and DATA_DIR.`;
  }
  return error.stack ?? error.message;
}

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message : 'no reason was given';
}
