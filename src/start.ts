/** From the environment to a listening service. */
import type { AddressInfo } from 'node:net';
import packageJson from '../package.json' with { type: 'json' };
import { compose, type Service, WEB_FOLDER } from './compose.ts';
import { baseUrlOf, type Config, loadConfig, readEnvironment } from './config.ts';
import { WebApp } from './http/web-app.ts';
import { systemClock } from './lib/clock.ts';
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
