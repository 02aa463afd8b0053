/** The service with phones that accept every push at once. Serves the API, or runs the engine, or both (`ROLE`). */
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { isPostgres } from '../../src/db/schema.ts';
import { toStageBits } from '../../src/escalation/ladder.ts';
import { listen } from '../../src/http/listen.ts';
import { lowestIdAt } from '../../src/lib/ids.ts';
import { NO_LOAD_LIMITS } from '../../src/limits/load-shedding.ts';
import type { AnyPush, Gateway, Push, PushResult } from '../../src/push/gateway.ts';
import { insertDueTasks } from '../../test/support/due-tasks.ts';
import { channelRow } from '../../test/support/stored-channel.ts';
import { type BenchService, startBenchService } from '../bench-service.ts';
import { serveParent } from '../child.ts';
import { percentile } from '../statistics.ts';

export interface EngineSettings {
  readonly databaseUrl: string;
  readonly role: 'all' | 'api' | 'engine';
  /** Whether every person has a channel whose provider holds messages in case the service falls silent. */
  readonly holds?: boolean;
}

/** Longer than the longest delay between two nudges of a measurement. */
const STALLED_MS = 60_000;

const SPARE_MS = 1_000;
/** Long enough to place the messages of every person. */
const PLACING_MS = 15_000;

/** Accepts every push at once and records how late it was. */
class Phones implements Gateway {
  #latenessMs = new Float64Array(0);
  received = 0;

  /** Sized beforehand, so that a growing array is not counted as memory of the service. */
  expect(pushes: number): void {
    this.#latenessMs = new Float64Array(pushes);
    this.received = 0;
  }

  async send(push: Push): Promise<{ kind: 'accepted' }> {
    if (push.kind === 'nudge') {
      this.#latenessMs[this.received] = Date.now() - (push.task.occurrenceDueAt?.getTime() ?? 0);
      this.received += 1;
    }
    return { kind: 'accepted' };
  }

  capacity(): number {
    return 10_000;
  }

  latenessP99Ms(): number {
    return percentile([...this.#latenessMs.subarray(0, this.received)], 0.99);
  }

  async close(): Promise<void> {}
}

/** Holds every message at once. Nudges go to the phones: the channel is for stage 2 alone. */
class Holder implements Gateway {
  held = 0;
  readonly holds = { minMs: 10_000, maxMs: 3 * 86_400_000, isElsewhere: () => true };

  async send(push: AnyPush): Promise<PushResult> {
    if (push.kind === 'channel_hold') this.held += 1;
    return { kind: 'accepted' };
  }

  capacity(): number {
    return 10_000;
  }

  async close(): Promise<void> {}
}

export interface Drained {
  /** Until the last nudge was sent. */
  readonly sentSeconds: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly latenessP99Ms: number;
}

export type EngineMethods = ReturnType<typeof methodsOf>;

function methodsOf(service: BenchService, phones: Phones, { databaseUrl, holds }: EngineSettings, holder?: Holder) {
  let owners: string[] = [];
  const { db, engine, app } = service;

  /** Waits until every nudge is sent and its result stored. */
  async function drain(count: number, startedAtMs: number): Promise<Drained> {
    const since = new Date(startedAtMs - 1);
    const cpu = process.cpuUsage();
    engine?.wakeUp();
    await receive(count);
    const sentSeconds = (Date.now() - startedAtMs) / 1_000;
    await engine?.settled();
    const seconds = (Date.now() - startedAtMs) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    await checkStored(count, since);
    return { sentSeconds, seconds, cpuSeconds: (user + system) / 1e6, latenessP99Ms: phones.latenessP99Ms() };
  }

  async function receive(count: number): Promise<void> {
    for (let last = -1, since = Date.now(); phones.received < count; await delay(1)) {
      if (phones.received !== last) [last, since] = [phones.received, Date.now()];
      if (Date.now() - since > STALLED_MS) throw new Error(`Only ${last} of ${count} nudges were sent.`);
    }
  }

  /** Ids start with the time, so counting what is new reads no older rows. */
  async function checkStored(count: number, since: Date): Promise<void> {
    const lowest = lowestIdAt(since);
    const { rows } = await sql<{ nudges: number; sent: number }>`select
      (select count(*) from timeline where id >= ${lowest} and kind = 'nudge') as nudges,
      (select count(*) from deliveries where entry_id >= ${lowest} and status = 'sent') as sent`.execute(db);
    const [nudges, sent] = [Number(rows[0]?.nudges), Number(rows[0]?.sent)];
    if (phones.received !== count || nudges !== count || sent !== count) {
      throw new Error(`${count} nudges were due, ${phones.received} sent, ${nudges} recorded, ${sent} marked as sent.`);
    }
  }

  return {
    port: () => (app.server.address() as AddressInfo).port,

    signIn: async () => (await service.signIn()).headers.authorization,

    /**
     * Inserts tasks that fall due later, from then on in these intervals, and waits until all are sent. `wereInserted`:
     * by the time that the first was due.
     */
    async insertAndDrain(tasks: number, dueInMs: number, intervalMs: number) {
      phones.expect(tasks);
      const dueAt = new Date(Date.now() + dueInMs);
      await insertDueTasks(db, { tasks, owners: Math.ceil(tasks / 10), dueAt, intervalMs });
      const wereInserted = Date.now() < dueAt.getTime();
      return { ...(await drain(tasks, dueAt.getTime())), wereInserted };
    },

    async insertFor(tasks: number, dueAtMs: number, ladder?: string): Promise<void> {
      const bulk = { tasks, owners: Math.ceil(tasks / 10), dueAt: new Date(dueAtMs) };
      owners = await insertDueTasks(db, { ...bulk, ...(ladder !== undefined && { ladder }) });
      if (holder) await addChannels();
    },

    held: () => holder?.held ?? 0,

    /**
     * Makes the tasks that are due at this moment due shortly, and waits until all are sent. The time is counted from
     * the new moment, and by then everything is prepared: a rehearsal shows how long that takes.
     */
    async fire(tasks: number, dueAtMs: number): Promise<Drained> {
      phones.expect(tasks);
      const rehearsed = new Date(dueAtMs + 1);
      const startedAt = Date.now();
      await move(new Date(dueAtMs), rehearsed);
      const spareMs = holds === undefined ? SPARE_MS : PLACING_MS;
      const dueAt = new Date(Date.now() + 2 * (Date.now() - startedAt) + spareMs);
      await move(rehearsed, dueAt);
      if (holder) await placeMessages();
      if (Date.now() >= dueAt.getTime()) throw new Error('The machine is too busy: preparing the tasks took too long.');
      return drain(tasks, dueAt.getTime());
    },

    sent: () => phones.received,
  };

  async function addChannels(): Promise<void> {
    const now = new Date();
    const stages = toStageBits([2]);
    for (const user_id of owners) {
      const row = channelRow(now, { user_id, provider: 'telegram', server: 'https://there.test', stages });
      await db.insertInto('channels').values(row).execute();
    }
  }

  /** Before the nudges are measured each person has their messages, last moved a while ago. */
  async function placeMessages(): Promise<void> {
    engine?.noteChanges(owners);
    await engine?.settled();
    const longAgo = new Date(Date.now() - 600_000);
    await db.updateTable('understudies').set({ moved_at: longAgo }).execute();
  }

  /** The tasks were inserted as planned for a later moment; their run now starts an hour before the new one. */
  async function move(from: Date, to: Date): Promise<void> {
    const startedAt = new Date(to.getTime() - 3_600_000);
    if (!isPostgres(db)) {
      await sql`update tasks set next_fire_at = ${to}, due_at = ${to}, wanted_at = ${to}, run_started_at = ${startedAt}
        where due_at = ${from}`.execute(db);
      await sql`analyze`.execute(db);
      return;
    }
    // A connection of its own: the service's have a time limit for a statement.
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(
      'update tasks set next_fire_at = $1, due_at = $1, wanted_at = $1, run_started_at = $2 where due_at = $3',
      [to, startedAt, from],
    );
    await client.query('vacuum analyze');
    await client.end();
  }
}

await serveParent(async (settings: EngineSettings) => {
  const { databaseUrl, role, holds } = settings;
  const phones = new Phones();
  const holder = holds ? new Holder() : undefined;
  const service = await startBenchService(
    { DATABASE_URL: databaseUrl, ROLE: role },
    // An overloaded service would refuse the probes instead of answering them late.
    { gateways: { apns: phones, ...(holder && { telegram: holder }) }, limits: NO_LOAD_LIMITS },
  );
  await listen(service.app, { port: 0, host: '127.0.0.1' });
  return { methods: methodsOf(service, phones, settings, holder), close: () => service.close() };
});
