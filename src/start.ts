/** Starts the service: reads the settings, wires the parts, listens. */
import type { AddressInfo } from 'node:net';
import packageJson from '../package.json' with { type: 'json' };
import { isAnyToken } from './accounts/tokens.store.ts';
import { loadMcpServer } from './agents/mcp.routes.ts';
import { compose, type Service, WEB_FOLDER } from './compose/service.ts';
import { findSettingWarnings } from './compose/start-warnings.ts';
import { baseUrlOf, type Config, loadConfig, ownUrlOf, readEnvironment } from './config.ts';
import { listen } from './http/listen.ts';
import { WebApp } from './http/web-app/web-app.ts';
import { fastClock, systemClock } from './lib/clock.ts';
import { createLogger } from './lib/logger.ts';
import { trustCertificates } from './lib/trusted-certificates.ts';

const { version } = packageJson;

export async function start(): Promise<Service> {
  const config = loadConfig(readEnvironment(process.cwd(), process.env));
  trustCertificates(config.EXTRA_CA_FILE);
  const logger = createLogger(config.LOG_LEVEL);
  const webApp = new WebApp(WEB_FOLDER, logger);
  const wallClock = systemClock();
  const service = await compose({
    config,
    version,
    webApp,
    clock: fastClock(wallClock, config.CLOCK_SPEED),
    wallClock,
    logger,
    print: (text) => process.stdout.write(text),
  });
  try {
    // Loading it takes 65 ms and 20 MB. A service without assistants saves that; its first assistant waits once.
    if (config.ROLE !== 'engine' && (await isAnyToken(service.db))) await loadMcpServer();
    // For "localhost" Fastify would listen on two addresses, and on stop not wait for requests on the second.
    const host = config.HOST === 'localhost' ? '127.0.0.1' : config.HOST;
    await listen(service.app, { port: config.PORT, host });
  } catch (error) {
    await service.close();
    throw error;
  }
  // Not awaited: only requests for the app wait for its build.
  if (config.ROLE !== 'engine') void webApp.prepare();
  printBanner(config, service);
  return service;
}

function printBanner(config: Config, { app, claimWord }: Service): void {
  const { port } = app.server.address() as AddressInfo;
  // The addresses must answer. What to set so that BASE_URL does is in the log.
  const isUnreachable = findSettingWarnings(config).some(({ setting }) => setting === 'HOST');
  const base = isUnreachable ? ownUrlOf(config, port) : baseUrlOf(config, port);
  const data = config.DATABASE_URL.engine === 'sqlite' ? config.DATABASE_URL.file : 'PostgreSQL';
  const pages = config.ROLE === 'engine' ? ['health'] : ['app', 'docs', 'guide'];
  const lines = [...pages.map((page) => [page, `${base}/${page}`] as const), ['data', data] as const];
  const claim =
    claimWord === undefined
      ? []
      : ['', 'Nobody administers this service yet. Sign in to the app, and enter this word:', `  ${claimWord}`];
  const banner = [`Crescendo ${version} is ready.`, ...lines.map(([name, value]) => `  ${name.padEnd(7)}${value}`)];
  console.log([...banner, ...claim].join('\n'));
}
