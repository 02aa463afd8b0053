/** Composes the engine, or for the role `api` the sender that wakes the engines in other processes; and the listener. */

import { addOwnMail } from '../channels/own-mail.store.ts';
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { notifyEngines, type Receivers, WakeUpListener } from '../db/wake-ups.ts';
import { CHECK_EVERY_MS, Engine, type EngineParts } from '../engine/engine.ts';
import { WakeUpSender } from '../engine/wake-up-sender.ts';
import type { Slices } from '../follow-ups/follow-ups.ts';
import type { Gateways } from '../push/gateway.ts';
import type { Parts } from './parts.ts';
import type { Watch } from './watch.ts';

export function composeEngine(
  parts: Parts,
  db: Db,
  gateways: Gateways,
  { codeOf, countOfDay }: Pick<EngineParts, 'codeOf' | 'countOfDay'>,
  slices: Slices,
  { aroundSweep }: Watch,
  schema: SchemaWatch,
  onChanges: Receivers['onChanges'],
) {
  const { config, clock, wallClock, logger, extra } = parts;
  const { ROLE, DATABASE_URL, CLOCK_SPEED, DELIVERIES_PER_MINUTE: deliveriesPerMinute } = config;
  const listenWith = (receivers: Receivers) =>
    DATABASE_URL.engine === 'postgres'
      ? new WakeUpListener(DATABASE_URL.url, db, wallClock, logger, receivers)
      : undefined;
  if (ROLE === 'api') {
    const sender = new WakeUpSender(clock, CHECK_EVERY_MS * CLOCK_SPEED, () => notifyEngines(db), logger);
    const listener = listenWith({ onChanges });
    return {
      engine: undefined,
      wakeUp: sender.wakeUp.bind(sender),
      start: () => listener?.start(),
      stop: async () => {
        await listener?.stop();
        sender.close();
      },
    };
  }
  const engine = new Engine({
    db,
    clock,
    wallClock,
    gateways,
    slices,
    deliveriesPerMinute,
    addOwnChannels: gateways.email ? addOwnMail : async () => false,
    schema,
    logger,
    aroundSweep,
    followUps: extra?.followUps,
    machineClock: extra?.machineClock,
    clockSpeed: CLOCK_SPEED,
    codeOf,
    countOfDay,
  });
  const listener = listenWith({ onWakeUp: () => engine.wakeUp(), onChanges });
  return {
    engine,
    wakeUp: engine.wakeUp.bind(engine),
    start: () => {
      engine.start();
      listener?.start();
    },
    stop: async () => {
      await listener?.stop();
      await engine.stop();
    },
  };
}
