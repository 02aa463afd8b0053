/** From the environment to a listening service, and from a failed start to one line that says why. */
import type { AddressInfo } from 'node:net';
import packageJson from '../package.json' with { type: 'json' };
import { compose, type Service, WEB_FOLDER } from './compose.ts';
import { baseUrlOf, type Config, ConfigError, loadConfig, readEnvironment } from './config.ts';
import { NewerDatabaseError } from './db/migrate.ts';
import { UnusableFileError } from './db/sqlite.ts';
import { WebApp } from './http/web-app.ts';
import { systemClock } from './lib/clock.ts';
import { AppError } from './lib/errors.ts';
import { createLogger } from './lib/logger.ts';

export const { version } = packageJson;

export async function start(): Promise<Service> {
  const config = loadConfig(readEnvironment(process.cwd(), process.env));
  const logger = createLogger(config.LOG_LEVEL);
  const webApp = new WebApp(WEB_FOLDER, logger);
  const service = await compose({
    config,
    version,
    webApp,
    clock: systemClock(config.CLOCK_SPEED),
    wallClock: systemClock(),
    logger,
    print: (text) => process.stdout.write(text),
  });
  try {
    // One address and not two: Fastify would not wait for requests on a second one when it stops.
    const host = config.HOST === 'localhost' ? '127.0.0.1' : config.HOST;
    await service.app.listen({ port: config.PORT, host });
  } catch (error) {
    await service.close();
    throw error;
  }
  // Nobody waits for the build but whoever opens the app before it is done.
  if (config.ROLE !== 'engine') void webApp.prepare();
  greet(config, service);
  return service;
}

function greet(config: Config, { app }: Service): void {
  const { port } = app.server.address() as AddressInfo;
  const base = baseUrlOf(config, port);
  const data = config.DATABASE_URL.engine === 'sqlite' ? config.DATABASE_URL.file : 'PostgreSQL';
  const doors = config.ROLE === 'engine' ? ['health'] : ['app', 'docs', 'guide'];
  const lines = [...doors.map((door) => [door, `${base}/${door}`] as const), ['data', data] as const];
  console.log(
    [`Crescendo ${version} is ready.`, ...lines.map(([name, value]) => `  ${name.padEnd(7)}${value}`)].join('\n'),
  );
}

/** What the person at the terminal can mend, by the error's code. */
const MENDABLE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'PORT is already taken by another process: stop that one or choose another PORT',
  EADDRNOTAVAIL: 'HOST is no address of this machine',
  ENOTFOUND: 'HOST cannot be resolved',
  EACCES: 'PORT, DATA_DIR or DATABASE_URL is not permitted to this user',
  EPERM: 'DATA_DIR or DATABASE_URL is not permitted to this user',
  EROFS: 'DATA_DIR or DATABASE_URL lies on a read-only disk',
  EEXIST: 'DATA_DIR is no folder',
  ENOTDIR: 'DATA_DIR or DATABASE_URL leads through something that is no folder',
  EISDIR: 'a folder lies where a file should: look at .env and DATABASE_URL',
  ERR_SQLITE_ERROR: 'DATABASE_URL names a file that SQLite cannot use',
  '3D000': 'DATABASE_URL names a database that does not exist',
  '28000': 'DATABASE_URL names a user that may not sign in',
  '28P01': 'DATABASE_URL has a wrong user or password',
};

/** One line for what the person at the terminal can mend; the whole story for what only a developer can. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof NewerDatabaseError || error instanceof UnusableFileError)
    return error.message;
  if (error instanceof AppError && error.code === 'database_unavailable') {
    return `The database cannot be reached: ${oneLine(reasonOf(error.cause))}.`;
  }
  const hint = 'code' in error ? MENDABLE[String(error.code)] : undefined;
  return hint ? `The start failed: ${hint} (${oneLine(error.message)}).` : (error.stack ?? error.message);
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message : 'no reason was given';
}
