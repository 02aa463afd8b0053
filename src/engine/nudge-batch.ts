/**
 * Everything one sweep writes and sends, collected task by task.
 *
 * A delivery that this process has capacity for is stored as leased to it and sent right after the
 * commit, without reading the table again. The others wait in the outbox for any process with capacity.
 */
import type { Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';
import {
  activityTarget,
  buildPush,
  contentOf,
  type DeliveryKey,
  deviceTarget,
  type OutgoingPush,
  type PushDispatcher,
} from '../deliveries/outgoing-push.ts';
import { type ChannelPlan, planChannels } from '../deliveries/plan-channels.ts';
import type { FallbackState } from '../escalation/fallback.ts';
import { HEADS_UP_STAGE } from '../escalation/ladder.ts';
import { DUE_NOW } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { findServer } from '../lib/server-of.ts';
import { type Booked, type Booking, bookDeliveries } from '../limits/delivery-budget.ts';
import { type Provider, type Push, providerOf } from '../push/gateway.ts';
import { toNudgeTask } from '../tasks/plan-task.ts';
import { audienceOf } from '../tasks/visibility.ts';
import { type Fired, fire, stageAfter } from './fire.ts';
import { LATE_MS } from './lateness-monitor.ts';
import type { Activity, Channel, Device, NudgedOwner } from './nudge-targets.store.ts';
import {
  addNudges,
  advanceTasks,
  type DueTask,
  insertActivities,
  insertDeliveries,
  insertNudgeEntries,
  type NewActivity,
  type NewDelivery,
  type NudgeEntry,
  supersedeDeliveries,
} from './sweep.store.ts';

/** An app that reported itself in the foreground this recently starts its own Live Activity. */
const FOREGROUND_MS = 120_000;

const PENDING = { status: 'pending', reason: null, attempts: 0 } as const;
const NOT_CONFIGURED = {
  status: 'failed_transient',
  waits_for: null,
  reason: 'not_configured',
  attempts: 0,
} as const;

/** Most people have one or two devices, so their nudges cost the same. */
const DELIVERIES_PER_COST = 2;

export interface BatchTimes {
  /** The service's clock, for due times and nudges. */
  readonly now: Date;
  /** Real time, for leases and the budget. */
  readonly wallNow: Date;
  readonly leaseMs: number;
}

/** Where a task's nudge can go. */
interface Targets {
  readonly devices: readonly Device[];
  readonly channels: readonly Channel[];
  /** The Live Activities that show the task. */
  readonly activities: readonly Activity[];
  readonly fallback: FallbackState;
  readonly lastSeenAt: Date | null | undefined;
  readonly strongestToday: (channelId: string) => number;
}

/** What the batch has done for one owner. */
interface OwnerTally {
  cost: number;
  nudges: number;
  booked: Booked;
  addedMs: number;
}

export class NudgeBatch {
  readonly #dispatcher: PushDispatcher;
  readonly #deliveriesPerMinute: number;
  readonly #now: Date;
  readonly #wallNow: Date;
  readonly #leasedUntil: Date;
  readonly #advances: DueTask[] = [];
  readonly #holds: NudgeEntry[] = [];
  readonly #deliveries: NewDelivery[] = [];
  readonly #activities: NewActivity[] = [];
  readonly #owners = new Map<string, OwnerTally>();
  /** Channels of idle owners. This batch sends each of them a message which says that it is the last. */
  readonly #toldLast = new Set<string>();
  readonly entries: NudgeEntry[] = [];
  /** To be sent after the commit; capacity is reserved for them. */
  readonly pushes: OutgoingPush[] = [];
  /** Providers with deliveries that had to stay in the outbox. */
  readonly backlogged = new Set<Provider>();
  /** One per task; a task with many deliveries counts as several. */
  cost = 0;
  lateNudges = 0;
  /** How late the most overdue task was. */
  lateMs = 0;

  constructor(dispatcher: PushDispatcher, deliveriesPerMinute: number, { now, wallNow, leaseMs }: BatchTimes) {
    this.#dispatcher = dispatcher;
    this.#deliveriesPerMinute = deliveriesPerMinute;
    this.#now = now;
    this.#wallNow = wallNow;
    this.#leasedUntil = new Date(wallNow.getTime() + leaseMs);
  }

  get taken(): number {
    return this.#advances.length;
  }

  /** The cost of each owner's tasks. */
  *costs(): Generator<[ownerId: string, cost: number]> {
    for (const [ownerId, { cost }] of this.#owners) yield [ownerId, cost];
  }

  costOf(ownerId: string): number {
    return this.#owners.get(ownerId)?.cost ?? 0;
  }

  /** `lateMs` is how late the engine is with this task. */
  add(task: DueTask, owner: NudgedOwner, lateMs: number, targets: Targets): void {
    const { fired, next } = fire(toNudgeTask(task), owner, task.next_fire_at, this.#now);
    const moments = { next_fire_at: next?.at ?? null, wanted_at: next?.wantedAt ?? null };
    this.#advances.push({ ...task, ...(fired && this.#climb(task, fired)), ...moments });
    this.lateMs = Math.max(this.lateMs, lateMs);
    if (fired && lateMs > LATE_MS) this.lateNudges += 1;
    const tally = this.#tallyOf(owner);
    const before = this.#deliveries.length;
    if (fired) this.#nudge({ ...task, ...moments }, fired, owner, tally, targets);
    const cost = Math.max(1, (this.#deliveries.length - before) / DELIVERIES_PER_COST);
    tally.cost += cost;
    this.cost += cost;
  }

  #tallyOf({ id, booked_ms, booked_at_ms }: NudgedOwner): OwnerTally {
    const known = this.#owners.get(id);
    if (known) return known;
    const tally = { cost: 0, nudges: 0, booked: { ms: booked_ms ?? 0, atMs: booked_at_ms ?? 0 }, addedMs: 0 };
    this.#owners.set(id, tally);
    return tally;
  }

  #nudge(task: DueTask, fired: Fired, owner: NudgedOwner, tally: OwnerTally, targets: Targets): void {
    tally.nudges += 1;
    const { devices, activities: running } = targets;
    const channels = this.#planChannels(targets, fired.stage, owner);
    const entry = this.#recordNudge(task, fired, devices.length + channels.length);
    const isDueNudge = fired.stage !== HEADS_UP_STAGE;
    const updated = isDueNudge ? running.filter(({ token }) => token !== null) : [];
    const started = isDueNudge && running.length === 0 ? devices.filter((device) => this.#startsActivity(device)) : [];
    const count = devices.length + channels.length + updated.length + started.length;
    if (count === 0) return;
    const booking = this.#book(tally, count);
    if (booking.kind === 'drop') return;
    const waitsUntil = booking.kind === 'wait' ? booking.until : null;
    const content = contentOf(task, {
      timezone: owner.timezone,
      stage: fired.stage,
      nudgedAt: this.#now,
      now: this.#now,
      wallNow: this.#wallNow,
    });
    const deliver = (kind: DeliveryKey['kind'], target_id: string, provider: Provider, push: Push) =>
      this.#deliver(entry, { entry_id: entry.id, target_id, kind }, provider, push, waitsUntil);
    for (const device of devices) {
      const push = buildPush('nudge', content, deviceTarget(device));
      deliver('nudge', device.id, providerOf(device.platform, device.push_env), push);
    }
    for (const planned of channels) this.#deliverToChannel(entry, planned, waitsUntil);
    const isUrgent = fired.stage !== task.escalation_stage;
    for (const { id, token, push_env } of updated) {
      const push = buildPush('activity_update', content, activityTarget(token ?? '', push_env), isUrgent);
      deliver('activity_update', id, providerOf('ios', push_env), push);
    }
    for (const { id, start_token, push_env } of started) {
      const push = buildPush('activity_start', content, activityTarget(start_token ?? '', push_env));
      if (!deliver('activity_start', id, providerOf('ios', push_env), push)) continue;
      this.#activities.push({
        id: newId(),
        task_id: task.id,
        device_id: id,
        push_env,
        started_at: this.#wallNow,
      });
    }
  }

  #book(tally: OwnerTally, deliveries: number): Booking {
    const booking = bookDeliveries(tally.booked, deliveries, this.#deliveriesPerMinute, this.#wallNow);
    tally.addedMs += booking.addedMs;
    tally.booked = booking.booked;
    return booking;
  }

  #startsActivity({ start_token, last_seen_at }: Device): boolean {
    const isInForeground = last_seen_at !== null && this.#wallNow.getTime() - last_seen_at.getTime() <= FOREGROUND_MS;
    return start_token !== null && !isInForeground;
  }

  #climb(task: DueTask, { stage, after }: Fired): Partial<DueTask> {
    return {
      step: after.step,
      heads_up_at: after.headsUpAt,
      last_nudge_at: after.lastNudgeAt,
      nudge_count: task.nudge_count + 1,
      escalation_stage: stageAfter(stage, task.escalation_stage),
    };
  }

  #recordNudge(task: DueTask, { stage, held }: Fired, devices: number): NudgeEntry {
    const about = {
      task_id: task.id,
      owner_id: task.owner_id,
      stage,
      run: task.run,
      nudge: task.nudge_count + 1,
      occurrence_due_at: task.due_at,
    };
    if (held) {
      const hold = { at: held.from, kind: 'held', until: this.#now, holds: held.holds.join(',') } as const;
      this.#holds.push({ id: newId(), ...about, ...hold, devices: null });
    }
    const entry = { id: newId(), ...about, at: this.#now, kind: 'nudge', until: null, holds: null, devices } as const;
    this.entries.push(entry);
    return entry;
  }

  /** Stores the delivery. False if it will never be sent because its provider is not configured. */
  #deliver(entry: NudgeEntry, key: DeliveryKey, provider: Provider, push: Push, waitsUntil: Date | null): boolean {
    const { platform, token } = push.target;
    const server = platform === 'web' ? findServer(token) : null;
    const delivery = { ...key, ...this.#ofNudge(entry), provider, server, tier: 0, fell_because: null };
    if (!this.#dispatcher.isConfigured(provider)) {
      this.#deliveries.push({ ...delivery, ...NOT_CONFIGURED, next_attempt_at: this.#wallNow });
      return false;
    }
    const place = { recipientId: entry.owner_id, server };
    if (waitsUntil === null && this.#dispatcher.reserve(provider, place)) {
      this.#deliveries.push({ ...delivery, ...PENDING, waits_for: null, next_attempt_at: this.#leasedUntil });
      this.pushes.push({ key, ...place, provider, attempt: 1, createdAt: this.#now, push });
    } else {
      this.backlogged.add(provider);
      const waits_for = waitsUntil ? 'budget' : 'capacity';
      this.#deliveries.push({ ...delivery, ...PENDING, waits_for, next_attempt_at: waitsUntil ?? DUE_NOW });
    }
    return true;
  }

  #planChannels(
    { channels, devices, lastSeenAt, strongestToday, fallback }: Targets,
    stage: number,
    owner: NudgedOwner,
  ) {
    const isConfigured = (provider: Provider) => this.#dispatcher.isConfigured(provider);
    const open = channels.filter(({ id }) => !this.#toldLast.has(id));
    return planChannels(open, {
      stage,
      hasDevice: devices.some(({ platform, push_env }) => isConfigured(providerOf(platform, push_env))),
      bounds: {
        limitsOf: (provider) => this.#dispatcher.limitsOf(provider),
        lastSeenAt,
        strongestToday,
        wallNow: this.#wallNow,
      },
      fallback,
      fallbackMinutes: owner.fallback_minutes,
      isConfigured,
      now: this.#now,
    });
  }

  /**
   * A message to a channel is built when its delivery is leased, because the channel's address is sealed and the
   * message may replace earlier ones.
   */
  #deliverToChannel(entry: NudgeEntry, { channel, plan, isLast }: ChannelPlan<Channel>, waitsUntil: Date | null): void {
    const { id, provider, server, tier } = channel;
    const delivery = {
      entry_id: entry.id,
      target_id: id,
      kind: 'nudge',
      ...this.#ofNudge(entry),
      provider,
      server,
      tier,
      fell_because: plan?.isFall ? 'unanswered' : null,
    } as const;
    const isConfigured = this.#dispatcher.isConfigured(provider);
    if (isConfigured) this.backlogged.add(provider);
    if (isConfigured && isLast) this.#toldLast.add(id);
    if (!isConfigured) {
      this.#deliveries.push({ ...delivery, ...NOT_CONFIGURED, next_attempt_at: this.#wallNow });
      return;
    }
    const waitMs = plan ? plan.at.getTime() - this.#now.getTime() : 0;
    const dueAt = waitMs > 0 ? new Date(this.#wallNow.getTime() + waitMs) : DUE_NOW;
    const isOverBudget = waitsUntil !== null && waitsUntil > dueAt;
    this.#deliveries.push({
      ...delivery,
      ...PENDING,
      waits_for: plan?.isFall ? 'tier' : isOverBudget ? 'budget' : 'capacity',
      ...(plan?.isFall && { reason: 'unanswered' }),
      next_attempt_at: isOverBudget ? waitsUntil : dueAt,
    });
  }

  /** The columns that all deliveries of a nudge share. */
  #ofNudge({ task_id, owner_id, run, nudge, stage }: NudgeEntry) {
    return { task_id, recipient_id: owner_id, run, nudge, stage, created_at: this.#now };
  }

  /** The transaction failed: nothing is sent, and the reserved capacity is returned. */
  abandon(): void {
    for (const push of this.pushes.splice(0)) this.#dispatcher.release(push.provider, push);
  }

  async store(trx: Db): Promise<void> {
    await advanceTasks(trx, this.#advances, this.#now);
    announce(trx, this.#advances.flatMap(audienceOf));
    if (this.entries.length === 0) return;
    const taskIds = this.entries.map(({ task_id }) => task_id);
    await insertNudgeEntries(trx, [...this.#holds, ...this.entries]);
    await supersedeDeliveries(trx, taskIds);
    await insertDeliveries(trx, this.#deliveries);
    await insertActivities(trx, this.#activities);
    const sums = [...this.#owners].flatMap(([user_id, { nudges, addedMs }]) =>
      nudges > 0 ? [{ user_id, nudges, booked_ms: addedMs }] : [],
    );
    await addNudges(trx, sums, this.#wallNow);
  }
}
