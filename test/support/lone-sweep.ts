/** The sweep without a dispatch: one batch at a time, and what it would send. */
import type { Db } from '../../src/db/schema.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import type { OutgoingPush } from '../../src/deliveries/outgoing-push.ts';
import { type AddOwnChannels, Sweep } from '../../src/engine/sweep.ts';
import { type BatchSize, sliceOf } from '../../src/lib/batch-size.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { MessageLimits, Provider } from '../../src/push/gateway.ts';
import type { EngineName } from './engines.ts';
import { startTestApp } from './test-app.ts';

interface Given {
  readonly batchSize?: BatchSize;
  readonly wallClock?: Clock;
  readonly clockSpeed?: number;
  /** Of email. */
  readonly limits?: MessageLimits;
  readonly addOwnChannels?: AddOwnChannels;
  /** All others are. */
  readonly notConfigured?: Provider;
}

export async function startSweep(engine: EngineName, given: Given = {}) {
  const { batchSize = sliceOf(10), wallClock, clockSpeed, limits, addOwnChannels, notConfigured } = given;
  const app = await startTestApp(engine);
  await app.engine?.stop();
  const { db, clock } = app;
  const dispatched = { places: 0, sent: [] as OutgoingPush[], woken: [] as Provider[] };
  const sweep = new Sweep({
    db,
    clock,
    wallClock: wallClock ?? clock,
    clockSpeed,
    leaseMs: 8_000,
    batchSize,
    deliveriesPerMinute: 1_000,
    addOwnChannels: addOwnChannels ?? (async () => false),
    schema: new SchemaWatch(createLogger('silent')),
    logger: createLogger('silent'),
    dispatcher: {
      isConfigured: (provider) => provider !== notConfigured,
      limitsOf: (provider) => (provider === 'email' ? limits : undefined),
      tellsRequests: () => false,
      reserve: () => {
        dispatched.places += 1;
        return true;
      },
      release: () => {
        dispatched.places -= 1;
      },
      send: (pushes) => void dispatched.sent.push(...pushes),
      checkOutbox: (provider) => void dispatched.woken.push(provider),
    },
  });
  return { app, db, clock, sweep, dispatched, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** Stores a space in which these people are. */
export async function storeSpace(db: Db, people: readonly string[], now: Date): Promise<string> {
  const id = newId();
  await db.insertInto('spaces').values({ id, name: 'Home', creator_id: null, created_at: now }).execute();
  const member = { space_id: id, role: 'member', joined_at: now, changed_at: now };
  const members = people.map((user_id) => ({ ...member, user_id }));
  await db.insertInto('space_members').values(members).execute();
  return id;
}

/** The second of these people is told of everything of the first, from the due moment on. Returns their space. */
export async function storeStandIn(db: Db, [owner_id, person_id]: readonly [string, string], now: Date) {
  const space_id = await storeSpace(db, [owner_id, person_id], now);
  const agreement = { id: newId(), owner_id, person_id, space_id, task_id: null, label: null, from_rung: 0 };
  await db
    .insertInto('stand_ins')
    .values({ ...agreement, passes_quiet_hours: false, asked_at: now, agreed_at: now })
    .execute();
  return space_id;
}
