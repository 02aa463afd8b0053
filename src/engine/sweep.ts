/**
 * Turns due tasks into nudges. One transaction claims a batch of tasks, advances them, and stores a
 * pending delivery for each device: the outbox. After a crash before the commit, nothing was sent. After a crash later
 * on, any engine sends the remaining deliveries once the leases have run out.
 *
 * One bad task never stops the rest: if a batch fails, its tasks are processed one by one, and the task
 * that fails alone is postponed and logged.
 *
 * Accounts take turns, and the number of rows that a batch stores is limited, so an account with thousands of due tasks
 * or with many devices delays no other. Tasks that a batch claimed beyond its limits stay due.
 */
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import { fallbackKey, listFallbackStates } from '../deliveries/fallback.store.ts';
import { countMessages, listLastSeen } from '../deliveries/message-limits.store.ts';
import type { PushDispatcher } from '../deliveries/outgoing-push.ts';
import type { BatchSize } from '../lib/batch-size.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { Turns } from '../limits/turns.ts';
import { providerOf } from '../push/gateway.ts';
import { dueInstant } from '../tasks/due.ts';
import { OWN_WAIT_MS } from './lateness-monitor.ts';
import { NudgeBatch, type ToldStandIn } from './nudge-batch.ts';
import type { NudgeTargets } from './nudge-deliveries.ts';
import {
  type Channel,
  type Device,
  listOwners,
  listRunningActivities,
  listUsableChannels,
  listValidDevices,
  type NudgedOwner,
} from './nudge-targets.store.ts';
import { findStandInTargets } from './stand-in-targets.ts';
import { claimDueTasks, claimTask, type DueTask, postponeTask } from './sweep.store.ts';

interface SweepParts {
  readonly db: Db;
  readonly clock: Clock;
  /** Leases are counted in real time. */
  readonly wallClock: Clock;
  /** How much faster than real time the service's clock runs. */
  readonly clockSpeed?: number | undefined;
  readonly leaseMs: number;
  readonly dispatcher: PushDispatcher;
  readonly batchSize: BatchSize;
  readonly deliveriesPerMinute: number;
  readonly addOwnChannels: AddOwnChannels;
  readonly schema: SchemaWatch;
  readonly logger: Logger;
  readonly around?: AroundSweep | undefined;
}

/** Makes channels for accounts that nothing reaches. Returns whether it made any. */
export type AddOwnChannels = (trx: Db, userIds: readonly string[], now: Date) => Promise<boolean>;

/** Wraps one batch, to measure or trace it. */
export type AroundSweep = (sweep: () => Promise<Swept>) => Promise<Swept>;

export interface Swept {
  /** How many tasks were advanced. */
  readonly taken: number;
  readonly nudges: number;
  /** How many of the nudges were late. */
  readonly late: number;
  /** How late the engine was with the most overdue task of the batch. */
  readonly lateMs: number;
  /** The claim came back short, so another one would most likely find nothing. */
  readonly isLast: boolean;
}

const NOTHING: Swept = { taken: 0, nudges: 0, late: 0, lateMs: 0, isLast: false };
const POSTPONE_MS = 900_000;
const DAY_MS = 86_400_000;
/**
 * An account's share of a round, in batches. With a larger share, fewer claims read past the account's tasks. With a
 * smaller share, other accounts wait for less time.
 */
const SHARE = 0.5;
/** iOS ends a Live Activity after this long. */
const ACTIVITY_LIFETIME_MS = 8 * 3_600_000;

export class Sweep {
  readonly #parts: SweepParts;
  readonly #turns: Turns;

  constructor(parts: SweepParts) {
    this.#parts = parts;
    this.#turns = new Turns(() => SHARE * parts.batchSize.size);
  }

  /** Runs batch after batch until a claim comes back short; resolves with the number of tasks. */
  async runAll(signal: AbortSignal, onBatch: (batch: Swept) => void): Promise<number> {
    const { around = (sweep) => sweep() } = this.#parts;
    let sum = 0;
    const runUntilEmpty = async () => {
      while (!signal.aborted) {
        const batch = await around(() => this.runOnce());
        if (batch.taken === 0) return;
        sum += batch.taken;
        onBatch(batch);
        if (batch.isLast) return;
      }
    };
    // If one loop fails, the others are still awaited: they must not send after the engine has stopped.
    const ends = await Promise.allSettled(Array.from({ length: this.#parts.batchSize.concurrency }, runUntilEmpty));
    const failed = ends.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    return sum;
  }

  /** Processes one batch of due tasks. */
  async runOnce(): Promise<Swept> {
    const now = this.#parts.clock.now();
    const limit = this.#parts.batchSize.size;
    const claimed: string[] = [];
    try {
      const batch = await this.#run(now, async (trx) => {
        const tasks = await this.#claim(trx, now, limit);
        claimed.splice(0, claimed.length, ...tasks.map(({ id }) => id));
        return tasks;
      });
      return { ...batch, isLast: claimed.length < limit && batch.taken === claimed.length };
    } catch (error) {
      if (claimed.length === 0 || (error instanceof AppError && error.code === 'database_unavailable')) throw error;
      return this.#runOneByOne(claimed, now);
    }
  }

  async #claim(trx: Db, now: Date, limit: number): Promise<DueTask[]> {
    const tasks = await claimDueTasks(trx, now, limit, this.#turns.spent);
    const hasNewRound = this.#turns.claimed(tasks.length, limit);
    return tasks.length === 0 && hasNewRound ? claimDueTasks(trx, now, limit, []) : tasks;
  }

  async #run(now: Date, claim: (trx: Db) => Promise<DueTask[]>): Promise<Swept> {
    const { db, dispatcher, batchSize } = this.#parts;
    let batch = this.#newBatch(now);
    try {
      await transact(db, async (trx) => {
        // The transaction may run again after a conflict.
        batch.abandon();
        batch = this.#newBatch(now);
        await batchSize.measure(
          () => batch.cost,
          () => this.#fill(trx, batch, claim, now),
        );
      });
    } catch (error) {
      batch.abandon();
      throw error;
    }
    dispatcher.send(batch.pushes);
    for (const provider of batch.backlogged) dispatcher.checkOutbox(provider);
    for (const [ownerId, cost] of batch.costs()) this.#turns.use(ownerId, cost);
    return {
      ...NOTHING,
      taken: batch.taken,
      nudges: batch.entries.length,
      late: batch.lateNudges,
      lateMs: batch.lateMs,
    };
  }

  #newBatch(now: Date): NudgeBatch {
    const { dispatcher, deliveriesPerMinute, wallClock, leaseMs, clockSpeed = 1 } = this.#parts;
    const times = { now, wallNow: wallClock.now(), leaseMs, clockSpeed };
    return new NudgeBatch(dispatcher, deliveriesPerMinute, times);
  }

  async #fill(trx: Db, batch: NudgeBatch, claim: (trx: Db) => Promise<DueTask[]>, now: Date): Promise<void> {
    await this.#parts.schema.hold(trx);
    const tasks = await claim(trx);
    if (tasks.length === 0) return;
    await this.#plan(trx, tasks, batch, now);
    await batch.store(trx);
  }

  async #plan(trx: Db, tasks: readonly DueTask[], batch: NudgeBatch, now: Date): Promise<void> {
    const ownerIds = [...new Set(tasks.map(({ owner_id }) => owner_id))];
    const standIns = await findStandInTargets(trx, tasks, ownerIds, now);
    const personIds = [...new Set([...ownerIds, ...standIns.personIds])];
    const people = new Map((await listOwners(trx, personIds)).map((person) => [person.id, person]));
    const devices = Map.groupBy(await listValidDevices(trx, personIds), ({ user_id }) => user_id);
    const channels = await this.#listChannels(trx, personIds, devices);
    const toldOf = (task: DueTask) => [task.owner_id, ...standIns.of(task).map(({ person_id }) => person_id)];
    const hasChannel = (task: DueTask, isOne: (channel: Channel) => boolean) =>
      toldOf(task).some((id) => channels.get(id)?.some(isOne));
    const sent = await this.#listSent(trx, tasks, channels, hasChannel);
    const activities = await this.#listActivities(trx, tasks);
    const tiered = tasks.filter((task) => hasChannel(task, ({ tier }) => tier > 0));
    const states = await listFallbackStates(
      trx,
      tiered.map(({ id }) => id),
    );
    const targetsOf = (task: DueTask, userId: string): NudgeTargets => ({
      devices: devices.get(userId) ?? [],
      channels: channels.get(userId) ?? [],
      fallback: states.get(fallbackKey(task.id, userId)) ?? NO_FALLBACK,
      lastSeenAt: sent.lastSeen.get(userId),
      sentToday: (channelId) => sent.counts.get(`${task.id} ${channelId}`) ?? 0,
    });
    const toldStandIns = (task: DueTask): ToldStandIn[] =>
      standIns.of(task).flatMap(({ id, person_id, from_rung: fromRung }) => {
        const person = people.get(person_id);
        if (!person) return [];
        const targets = targetsOf(task, person_id);
        return [{ id, fromRung, person, ...targets, devices: standIns.readableBy(task, person_id, targets.devices) }];
      });
    for (const task of tasks) {
      if (batch.cost >= this.#parts.batchSize.size) return;
      const owner = people.get(task.owner_id);
      if (!owner || this.#isOverShare(batch, owner.id)) continue;
      const lateMs = this.#lateMs(task, now);
      const current = withCurrentDue(task, owner);
      batch.add(current, owner, lateMs, {
        ...targetsOf(task, owner.id),
        activities: activities.get(task.id) ?? [],
        standIns: toldStandIns(task),
      });
    }
  }

  /** If an account has no device and no channel that can be sent to, the service makes one for it, where it can. */
  async #listChannels(trx: Db, ownerIds: readonly string[], devices: ReadonlyMap<string, readonly Device[]>) {
    const { dispatcher } = this.#parts;
    const list = async () => Map.groupBy(await listUsableChannels(trx, ownerIds), ({ user_id }) => user_id);
    const channels = await list();
    const hasDevice = (id: string) =>
      devices.get(id)?.some(({ platform, push_env }) => dispatcher.isConfigured(providerOf(platform, push_env)));
    const hasChannel = (id: string) => channels.get(id)?.some(({ provider }) => dispatcher.isConfigured(provider));
    const unreached = ownerIds.filter((id) => !hasDevice(id) && !hasChannel(id));
    return (await this.#parts.addOwnChannels(trx, unreached, this.#parts.wallClock.now())) ? list() : channels;
  }

  /** Reads what message limits depend on, for owners of channels with limits only. */
  async #listSent(
    trx: Db,
    tasks: readonly DueTask[],
    channels: ReadonlyMap<string, readonly Channel[]>,
    hasChannel: (task: DueTask, isOne: (channel: Channel) => boolean) => boolean,
  ) {
    const { dispatcher, clock } = this.#parts;
    const isBounded = ({ provider }: Channel) => dispatcher.limitsOf(provider) !== undefined;
    const bounded = tasks.filter((task) => hasChannel(task, isBounded));
    const people = [...channels].filter(([, own]) => own.some(isBounded)).map(([userId]) => userId);
    const taskIds = bounded.map(({ id }) => id);
    const dayAgo = new Date(clock.now().getTime() - DAY_MS);
    const counts = await countMessages(trx, taskIds, dayAgo);
    return {
      lastSeen: await listLastSeen(trx, people),
      counts: new Map(counts.map(({ task_id, target_id, count }) => [`${task_id} ${target_id}`, count])),
    };
  }

  /** An account's first task in a batch always fits, so that every batch with a task makes progress. */
  #isOverShare(batch: NudgeBatch, ownerId: string): boolean {
    const cost = batch.costOf(ownerId);
    return cost > 0 && cost >= this.#turns.left(ownerId);
  }

  #lateMs({ owner_id, next_fire_at }: DueTask, now: Date): number {
    const lateMs = now.getTime() - (next_fire_at?.getTime() ?? now.getTime());
    return Math.max(0, this.#turns.hasWaited(owner_id) ? lateMs - OWN_WAIT_MS : lateMs);
  }

  async #listActivities(trx: Db, tasks: readonly DueTask[]) {
    const since = new Date(this.#parts.wallClock.now().getTime() - ACTIVITY_LIFETIME_MS);
    const ids = tasks.map(({ id }) => id);
    return Map.groupBy(await listRunningActivities(trx, ids, since), ({ task_id }) => task_id);
  }

  async #runOneByOne(ids: readonly string[], now: Date): Promise<Swept> {
    const sum = { ...NOTHING };
    for (const id of ids) {
      const one = await this.#runAlone(id, now);
      sum.taken += one.taken;
      sum.nudges += one.nudges;
      sum.late += one.late;
      sum.lateMs = Math.max(sum.lateMs, one.lateMs);
    }
    return sum;
  }

  async #runAlone(id: string, now: Date): Promise<Swept> {
    const { db, logger } = this.#parts;
    try {
      return await this.#run(now, async (trx) => {
        const task = await claimTask(trx, id, now);
        return task ? [task] : [];
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'database_unavailable') throw error;
      logger.error({ err: error, task_id: id }, 'nudging a task failed; it is retried in 15 minutes');
      await postponeTask(db, id, now, new Date(now.getTime() + POSTPONE_MS));
      return { ...NOTHING, taken: 1 };
    }
  }
}

const NO_FALLBACK = { unansweredSince: null, reachedTier: null };

/** Corrects the due date that the push of a stale task shows. The task stays stale: a slice plans its other fields. */
function withCurrentDue(task: DueTask, { plan_version, timezone }: NudgedOwner): DueTask {
  return task.plan_version === plan_version ? task : { ...task, due_at: dueInstant(task, timezone) };
}
