/** The service with a fast clock that counts from CLOCK_ORIGIN, so that it goes on while the process is dead. */
import type { AddressInfo } from 'node:net';
import { compose } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { listen } from '../../src/http/listen.ts';
import { type Clock, fastClock, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { VERSION } from './test-app.ts';

const { CLOCK_ORIGIN = '', ...environment } = process.env;
const config = loadConfig(environment);
const wallClock = systemClock();
const service = await compose({
  config,
  version: VERSION,
  clock: fastClock(readingFirst(new Date(CLOCK_ORIGIN), wallClock), config.CLOCK_SPEED),
  wallClock,
  logger: createLogger(config.LOG_LEVEL),
  print: (text) => process.stdout.write(text),
});
await listen(service.app, { port: config.PORT, host: config.HOST });
const { port } = service.app.server.address() as AddressInfo;
console.log(`Crescendo ${VERSION} is ready.\n  app    http://127.0.0.1:${port}/app\n  data   for a test`);

/** A fast clock counts from its first reading. */
function readingFirst(first: Date, clock: Clock): Clock {
  let isRead = false;
  const now = () => {
    if (isRead) return clock.now();
    isRead = true;
    return first;
  };
  return { ...clock, now };
}
