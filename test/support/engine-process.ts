/**
 * An engine in a process of its own, started by `chaos/engines.test.ts`, whose phones are a file: each
 * push is one line, on disk before it is answered, so that not even a kill loses one.
 */
import { openSync, writeSync } from 'node:fs';
import { compose } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { Gateway } from '../../src/push/gateway.ts';
import { VERSION } from './test-app.ts';

const file = openSync(process.env.SHOWN_FILE ?? '', 'a');

const phones: Gateway = {
  send: async (push) => {
    // A provider takes its time, so that a kill finds sends in flight.
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (push.kind === 'nudge') writeSync(file, `${push.task.id} ${push.stage}\n`);
    return { kind: 'accepted' };
  },
  capacity: () => 300,
  close: async () => undefined,
};

const service = await compose({
  config: loadConfig(process.env),
  version: VERSION,
  clock: systemClock(),
  wallClock: systemClock(),
  logger: createLogger('warn'),
  print: () => undefined,
  extra: { gateways: { apns: phones } },
});
process.send?.('ready');
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
