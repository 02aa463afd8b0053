/**
 * Everything one sweep writes and sends, collected task by task.
 *
 * A delivery that this process has capacity for is stored as leased to it and sent right after the
 * commit, without reading the table again. The others wait in the outbox for any process with capacity.
 */
import type { Db } from '../db/schema.ts';
import { HEADS_UP_STAGE } from '../escalation/ladder.ts';
import { DUE_NOW } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { type Provider, type Push, providerOf } from '../push/gateway.ts';
import { toNudgeTask } from '../tasks/plan-task.ts';
import { type Fired, fire, stageAfter } from './fire.ts';
import { LATE_MS } from './lateness-monitor.ts';
import {
  activityTarget,
  buildPush,
  contentOf,
  type DeliveryKey,
  deviceTarget,
  type NudgeContent,
  type OutgoingPush,
  type PushDispatcher,
} from './outgoing-push.ts';
import {
  type Activity,
  type Advance,
  advanceTasks,
  countNudges,
  type Device,
  type DueTask,
  insertActivities,
  insertDeliveries,
  insertNudgeEntries,
  type NewActivity,
  type NewDelivery,
  type NudgedOwner,
  type NudgeEntry,
  supersedeDeliveries,
} from './sweep.store.ts';

/** An app that reported itself in the foreground this recently starts its own Live Activity. */
const FOREGROUND_MS = 120_000;

const PENDING = { status: 'pending', reason: null, attempts: 0 } as const;

export class NudgeBatch {
  readonly #dispatcher: PushDispatcher;
  readonly #now: Date;
  readonly #wallNow: Date;
  readonly #leasedUntil: Date;
  readonly #advances: Advance[] = [];
  readonly #holds: NudgeEntry[] = [];
  readonly #deliveries: NewDelivery[] = [];
  readonly #activities: NewActivity[] = [];
  readonly #nudgesByOwner = new Map<string, number>();
  readonly entries: NudgeEntry[] = [];
  /** To be sent after the commit; capacity is reserved for them. */
  readonly pushes: OutgoingPush[] = [];
  /** Providers whose deliveries had to stay in the outbox. */
  readonly backlogged = new Set<Provider>();
  lateNudges = 0;

  /** `now` is the service's clock, which tasks live by; `wallNow` is real time, for leases. */
  constructor(dispatcher: PushDispatcher, now: Date, wallNow: Date, leaseMs: number) {
    this.#dispatcher = dispatcher;
    this.#now = now;
    this.#wallNow = wallNow;
    this.#leasedUntil = new Date(wallNow.getTime() + leaseMs);
  }

  add(task: DueTask, owner: NudgedOwner, devices: readonly Device[], activities: readonly Activity[]): void {
    const { fired, next } = fire(toNudgeTask(task), owner, task.next_fire_at, this.#now);
    const moments = { next_fire_at: next?.at ?? null, wanted_at: next?.wantedAt ?? null };
    this.#advances.push({ ...task, ...(fired && this.#climb(task, fired)), ...moments });
    if (!fired) return;
    if (this.#now.getTime() - (task.next_fire_at?.getTime() ?? Number.POSITIVE_INFINITY) > LATE_MS)
      this.lateNudges += 1;
    this.#nudgesByOwner.set(owner.id, (this.#nudgesByOwner.get(owner.id) ?? 0) + 1);
    const entry = this.#recordNudge(task, fired, devices.length);
    const content = contentOf(
      { ...task, ...moments },
      { timezone: owner.timezone, stage: fired.stage, nudgedAt: this.#now, now: this.#now, wallNow: this.#wallNow },
    );
    for (const device of devices) {
      const key = { entry_id: entry.id, target_id: device.id, kind: 'nudge' } as const;
      const push = buildPush('nudge', content, deviceTarget(device));
      this.#deliver(entry, key, providerOf(device.platform, device.push_env), push);
    }
    if (fired.stage === HEADS_UP_STAGE) return;
    if (activities.length > 0)
      this.#updateActivities(entry, content, activities, fired.stage !== task.escalation_stage);
    else this.#startActivities(entry, content, devices);
  }

  #updateActivities(
    entry: NudgeEntry,
    content: NudgeContent,
    activities: readonly Activity[],
    isUrgent: boolean,
  ): void {
    for (const { id, token, push_env } of activities) {
      if (token === null) continue;
      const key = { entry_id: entry.id, target_id: id, kind: 'activity_update' } as const;
      const push = buildPush(key.kind, content, activityTarget(token, push_env), isUrgent);
      this.#deliver(entry, key, providerOf('ios', push_env), push);
    }
  }

  #startActivities(entry: NudgeEntry, content: NudgeContent, devices: readonly Device[]): void {
    for (const { id, start_token, push_env, last_seen_at } of devices) {
      if (start_token === null || this.#isInForeground(last_seen_at)) continue;
      const key = { entry_id: entry.id, target_id: id, kind: 'activity_start' } as const;
      const push = buildPush(key.kind, content, activityTarget(start_token, push_env));
      if (!this.#deliver(entry, key, providerOf('ios', push_env), push)) continue;
      const task_id = entry.task_id;
      this.#activities.push({ id: newId(), task_id, device_id: id, push_env, started_at: this.#wallNow });
    }
  }

  #isInForeground(lastSeenAt: Date | null): boolean {
    return lastSeenAt !== null && this.#wallNow.getTime() - lastSeenAt.getTime() <= FOREGROUND_MS;
  }

  #climb(task: DueTask, { stage, after }: Fired): Partial<Advance> {
    return {
      step: after.step,
      heads_up_at: after.headsUpAt,
      last_nudge_at: after.lastNudgeAt,
      nudge_count: task.nudge_count + 1,
      escalation_stage: stageAfter(stage, task.escalation_stage),
    };
  }

  #recordNudge(task: DueTask, { stage, held }: Fired, devices: number): NudgeEntry {
    const about = { task_id: task.id, owner_id: task.owner_id, stage, occurrence_due_at: task.due_at };
    if (held) {
      const hold = { at: held.from, kind: 'held', until: this.#now, holds: held.holds.join(',') } as const;
      this.#holds.push({ id: newId(), ...about, ...hold, devices: null });
    }
    const entry = { id: newId(), ...about, at: this.#now, kind: 'nudge', until: null, holds: null, devices } as const;
    this.entries.push(entry);
    return entry;
  }

  /** Stores the delivery. False if it will never be sent because its provider is not configured. */
  #deliver(entry: NudgeEntry, key: DeliveryKey, provider: Provider, push: Push): boolean {
    const delivery = { ...key, task_id: entry.task_id, provider, stage: entry.stage, created_at: this.#now };
    const isReserved = this.#dispatcher.reserve(provider);
    if (isReserved === undefined) {
      const unsent = { status: 'failed_transient', reason: 'not_configured', attempts: 0 } as const;
      this.#deliveries.push({ ...delivery, ...unsent, next_attempt_at: this.#wallNow });
      return false;
    }
    if (isReserved) {
      this.#deliveries.push({ ...delivery, ...PENDING, next_attempt_at: this.#leasedUntil });
      this.pushes.push({ key, provider, attempt: 1, push });
    } else {
      this.backlogged.add(provider);
      this.#deliveries.push({ ...delivery, ...PENDING, next_attempt_at: DUE_NOW });
    }
    return true;
  }

  /** The transaction failed: nothing is sent, and the reserved capacity is returned. */
  abandon(): void {
    for (const { provider } of this.pushes.splice(0)) this.#dispatcher.release(provider);
  }

  async store(trx: Db): Promise<void> {
    await advanceTasks(trx, this.#advances, this.#now);
    if (this.entries.length === 0) return;
    const taskIds = this.entries.map(({ task_id }) => task_id);
    await insertNudgeEntries(trx, [...this.#holds, ...this.entries]);
    await supersedeDeliveries(trx, taskIds);
    await insertDeliveries(trx, this.#deliveries);
    await insertActivities(trx, this.#activities);
    await countNudges(trx, this.#nudgesByOwner);
  }
}
