/**
 * An engine in a process of its own (`engine-fleet.ts`). Its phones and its chat are a file: each push is one line, on
 * disk before it is answered, so that not even a kill loses one.
 */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { compose } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { AnyPush, Gateway } from '../../src/push/gateway.ts';
import type { SentPush } from './engine-fleet.ts';
import { VERSION } from './test-app.ts';

const file = openSync(process.env.PUSHES_FILE ?? '', 'a');
const sendMs = Number(process.env.SEND_MS);
let places = Number(process.env.PLACES);
const release = process.env.IS_NEXT_RELEASE ? 'next' : 'this';

function describe(push: AnyPush): Pick<SentPush, 'taskId' | 'refs'> | undefined {
  if (!('task' in push)) return undefined;
  return { taskId: push.task.id, refs: 'refs' in push ? push.refs : [] };
}

const gateway: Gateway = {
  send: async (push) => {
    // Not by `Date`, which may be shifted.
    const at = performance.timeOrigin + performance.now();
    // A provider takes its time, so that a kill, or another engine, finds sends in flight.
    places -= 1;
    await delay(sendMs);
    places += 1;
    const described = describe(push);
    const sent = { kind: push.kind, at, release } as const;
    if (described) writeSync(file, `${JSON.stringify({ ...sent, ...described } satisfies SentPush)}\n`);
    return push.kind === 'channel_nudge' ? { kind: 'accepted', ref: push.entryId } : { kind: 'accepted' };
  },
  capacity: () => places,
  close: async () => undefined,
};

/** The next release changes the tables that engines claim from; from then on deliveries name the release that wrote them. */
const NEXT = {
  ...migrations,
  '9999-next-release': {
    up: async (db: Kysely<unknown>) => {
      await db.schema.alterTable('tasks').addColumn('colour', 'text').execute();
      await db.schema.alterTable('deliveries').addColumn('written_by', 'text').execute();
      await sql`alter table deliveries alter written_by set default current_setting('test.release')`.execute(db);
    },
  },
};

const url = new URL(process.env.DATABASE_URL ?? '');
url.searchParams.set('options', `-c test.release=${release}`);
const clock = systemClock();
const service = await compose({
  config: loadConfig({ ...process.env, DATABASE_URL: url.href }),
  version: VERSION,
  clock,
  wallClock: clock,
  logger: createLogger('warn'),
  print: () => undefined,
  extra: { gateways: { apns: gateway, telegram: gateway }, ...(release === 'next' && { migrations: NEXT }) },
});
process.send?.('ready');
process.on('SIGTERM', () => void service.close().then(() => process.exit(0)));
