/** Everything one sweep writes, collected task by task. What it sends is in `nudge-deliveries.ts`. */
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
import type { Unreachable } from '../deliveries/reach.ts';
import { HEADS_UP_STAGE } from '../escalation/ladder.ts';
import { newId } from '../lib/ids.ts';
import { findServer } from '../lib/server-of.ts';
import { type Booked, type Booking, bookDeliveries, bookForStandIn } from '../limits/delivery-budget.ts';
import { type Provider, type Push, providerOf } from '../push/gateway.ts';
import { toNudgeTask } from '../tasks/plan-task.ts';
import { type NewlyReached, storeReached } from '../tasks/stand-ins/reached-tasks.store.ts';
import { rungOf } from '../tasks/stand-ins/stand-ins.ts';
import { audienceOf } from '../tasks/visibility.ts';
import { type Fired, fire, stageAfter } from './fire.ts';
import { LATE_MS } from './lateness-monitor.ts';
import { type BatchTimes, NudgeDeliveries, type NudgeTargets } from './nudge-deliveries.ts';
import type { Activity, Device, NudgedOwner } from './nudge-targets.store.ts';
import {
  addNudges,
  advanceTasks,
  type DueTask,
  insertActivities,
  insertDeliveries,
  insertNudgeEntries,
  type NewActivity,
  type NudgeEntry,
  supersedeDeliveries,
} from './sweep.store.ts';

/** An app that reported itself in the foreground this recently starts its own Live Activity. */
const FOREGROUND_MS = 120_000;

/** Most people have one or two devices, so their nudges cost the same. */
const DELIVERIES_PER_COST = 2;

interface Targets extends NudgeTargets {
  /** The Live Activities that show the task. */
  readonly activities: readonly Activity[];
  /** Who is told too, once the task has climbed to their rung. */
  readonly standIns: readonly ToldStandIn[];
}

/** A stand-in, and where they are told. No Live Activity is started for them. */
export interface ToldStandIn extends NudgeTargets {
  readonly id: string;
  readonly fromRung: number;
  readonly person: NudgedOwner;
}

/** What the batch has done for one owner. */
interface OwnerTally {
  cost: number;
  nudges: number;
  booked: Booked;
  addedMs: number;
}

export class NudgeBatch {
  readonly #deliveriesPerMinute: number;
  readonly #now: Date;
  readonly #wallNow: Date;
  readonly #deliveries: NudgeDeliveries;
  readonly #advances: DueTask[] = [];
  readonly #holds: NudgeEntry[] = [];
  readonly #activities: NewActivity[] = [];
  readonly #told: NudgeEntry[] = [];
  readonly #reached: NewlyReached[] = [];
  readonly #owners = new Map<string, OwnerTally>();
  readonly entries: NudgeEntry[] = [];
  /** One per task; a task with many deliveries counts as several. */
  cost = 0;
  lateNudges = 0;
  /** How late the most overdue task was. */
  lateMs = 0;

  constructor(dispatcher: PushDispatcher, deliveriesPerMinute: number, times: BatchTimes) {
    const { now, wallNow } = times;
    this.#deliveries = new NudgeDeliveries(dispatcher, times);
    this.#deliveriesPerMinute = deliveriesPerMinute;
    this.#now = now;
    this.#wallNow = wallNow;
  }

  get taken(): number {
    return this.#advances.length;
  }

  /** To be sent after the commit. */
  get pushes(): OutgoingPush[] {
    return this.#deliveries.pushes;
  }

  /** Providers with deliveries that had to stay in the outbox. */
  get backlogged(): ReadonlySet<Provider> {
    return this.#deliveries.backlogged;
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
    const { fired, next } = fire(toNudgeTask(task, owner), owner, task.next_fire_at, this.#now);
    const moments = { next_fire_at: next?.at ?? null, wanted_at: next?.wantedAt ?? null };
    this.#advances.push({ ...task, ...(fired && this.#climb(task, fired)), ...moments });
    this.lateMs = Math.max(this.lateMs, lateMs);
    if (fired && lateMs > LATE_MS) this.lateNudges += 1;
    const tally = this.#tallyOf(owner);
    const before = this.#deliveries.rows.length;
    if (fired) {
      const nudged = { ...task, ...moments };
      this.#nudge(nudged, fired, owner, tally, targets);
      // A heads-up comes before the first rung.
      for (const standIn of targets.standIns)
        if (rungOf(fired.after.step) >= standIn.fromRung) this.#tell(nudged, fired, standIn);
    }
    const cost = Math.max(1, (this.#deliveries.rows.length - before) / DELIVERIES_PER_COST);
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
    const { plans: channels, reason } = this.#deliveries.planChannels(targets, task, fired.stage, owner);
    const entry = this.#recordNudge(task, fired, devices.length + channels.length, reason);
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
      this.#deliveries.deliver(entry, { entry_id: entry.id, target_id, kind }, provider, push, waitsUntil);
    for (const device of devices) {
      const push = buildPush('nudge', content, deviceTarget(device));
      deliver('nudge', device.id, providerOf(device.platform, device.push_env), push);
    }
    for (const planned of channels) this.#deliveries.deliverToChannel(entry, planned, waitsUntil);
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

  /** Tells a stand-in. Their own holds are asked when the delivery is about to be sent, like those of a retry. */
  #tell(task: DueTask, { stage }: Fired, standIn: ToldStandIn): void {
    const { person, devices } = standIn;
    const { plans: channels, reason: unreached } = this.#deliveries.planChannels(standIn, task, stage, person);
    const count = devices.length + channels.length;
    const kind = 'stand_in_told' as const;
    const until = { until: null, holds: null };
    const about = { ...this.#aboutNudge(task, stage), at: this.#now, kind, person_id: person.id, ...until };
    const entry: NudgeEntry = { id: newId(), ...about, devices: count, unreached };
    this.#told.push(entry);
    this.#reached.push({
      task_id: task.id,
      person_id: person.id,
      stand_in_id: standIn.id,
      run: task.run,
      occurrence_due_at: task.due_at,
      told_at: this.#now,
    });
    const booking = count === 0 ? undefined : this.#book(this.#tallyOf(person), count, bookForStandIn);
    if (booking?.kind !== 'send') return;
    for (const { id, platform, push_env, token } of devices) {
      const provider = providerOf(platform, push_env);
      const server = platform === 'web' ? findServer(token) : null;
      this.#deliveries.deliverLater(entry, { target_id: id, provider, server });
    }
    for (const planned of channels) this.#deliveries.deliverToChannel(entry, planned, null);
  }

  #book(tally: OwnerTally, deliveries: number, book = bookDeliveries): Booking {
    const booking = book(tally.booked, deliveries, this.#deliveriesPerMinute, this.#wallNow);
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

  #recordNudge(task: DueTask, { stage, held }: Fired, devices: number, unreached: Unreachable | null): NudgeEntry {
    const about = { ...this.#aboutNudge(task, stage), person_id: null };
    if (held) {
      const hold = { at: held.from, kind: 'held', until: this.#now, holds: held.holds.join(',') } as const;
      this.#holds.push({ id: newId(), ...about, ...hold, devices: null, unreached: null });
    }
    const targets = { devices, unreached };
    const entry = {
      id: newId(),
      ...about,
      at: this.#now,
      kind: 'nudge',
      until: null,
      holds: null,
      ...targets,
    } as const;
    this.entries.push(entry);
    return entry;
  }

  #aboutNudge(task: DueTask, stage: number) {
    return {
      task_id: task.id,
      owner_id: task.owner_id,
      stage,
      run: task.run,
      nudge: task.nudge_count + 1,
      occurrence_due_at: task.due_at,
    };
  }

  /** The transaction failed: nothing is sent, and the reserved capacity is returned. */
  abandon(): void {
    this.#deliveries.abandon();
  }

  async store(trx: Db): Promise<void> {
    await advanceTasks(trx, this.#advances, this.#now);
    announce(trx, [...this.#advances.flatMap(audienceOf), ...this.#reached.map(({ person_id }) => person_id)]);
    if (this.entries.length === 0) return;
    const taskIds = this.entries.map(({ task_id }) => task_id);
    await insertNudgeEntries(trx, [...this.#holds, ...this.entries, ...this.#told]);
    await supersedeDeliveries(trx, taskIds);
    await insertDeliveries(trx, this.#deliveries.rows);
    await insertActivities(trx, this.#activities);
    await storeReached(trx, this.#reached);
    const sums = [...this.#owners].flatMap(([user_id, { nudges, addedMs }]) =>
      nudges > 0 || addedMs > 0 ? [{ user_id, nudges, booked_ms: addedMs }] : [],
    );
    await addNudges(trx, sums, this.#wallNow);
  }
}
