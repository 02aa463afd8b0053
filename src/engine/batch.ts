/**
 * What a sweep writes and sends, gathered task by task. A delivery that this process can send at once
 * is stored as leased to it and handed over after the commit, without another look at the table; what
 * there is no room for waits in the outbox for whoever has some.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { HEADS_UP_STAGE } from '../escalation/ladder.ts';
import { AT_ONCE } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { type NudgePush, type Provider, type Push, providerOf } from '../push/gateway.ts';
import { toNudgeSettings, toNudgeTask } from '../tasks/plan-task.ts';
import { type Fired, fire, stageAfter } from './fire.ts';
import { LATE_MS } from './self-watch.ts';
import {
  cardOf,
  type DeliveryKey,
  type Dock,
  lifeOfNudgeMs,
  pushedTaskOf,
  type Shipment,
  targetOf,
} from './shipment.ts';
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

/** The app said that recently that it is in the foreground. */
const FRESH_MS = 120_000;

const PENDING = { status: 'pending', reason: null, attempts: 0 } as const;

export class Batch {
  readonly #dock: Dock;
  readonly #now: Date;
  readonly #wallNow: Date;
  readonly #leasedUntil: Date;
  readonly #advances: Advance[] = [];
  readonly #holds: NudgeEntry[] = [];
  readonly #deliveries: NewDelivery[] = [];
  readonly #activities: NewActivity[] = [];
  readonly #sent = new Map<string, number>();
  readonly entries: NudgeEntry[] = [];
  readonly shipments: Shipment[] = [];
  late = 0;
  /** Whose deliveries found no room. */
  readonly crowded = new Set<Provider>();

  /** Two clocks: tasks live by the service's, leases by the wall's. */
  constructor(dock: Dock, now: Date, wallNow: Date, leaseMs: number) {
    this.#dock = dock;
    this.#now = now;
    this.#wallNow = wallNow;
    this.#leasedUntil = new Date(wallNow.getTime() + leaseMs);
  }

  add(task: DueTask, owner: NudgedOwner, devices: readonly Device[], activities: readonly Activity[]): void {
    const due = fire(toNudgeTask(task), toNudgeSettings(owner), task.next_fire_at, this.#now);
    const next = due.fired ? due.fired.next : due.next;
    const moments = { next_fire_at: next?.at ?? null, wanted_at: next?.wantedAt ?? null };
    this.#advances.push({ ...task, ...(due.fired && this.#climb(task, due.fired)), ...moments });
    if (!due.fired) return;
    if (this.#now.getTime() - (task.next_fire_at?.getTime() ?? Number.POSITIVE_INFINITY) > LATE_MS) this.late += 1;
    const entry = this.#tell(task, due.fired, devices.length);
    this.#sent.set(owner.id, (this.#sent.get(owner.id) ?? 0) + 1);
    const push = {
      ...({
        kind: 'nudge',
        task: pushedTaskOf(task, owner.timezone),
        stage: due.fired.stage,
        nudgedAt: this.#now,
      } as const),
      expiresAt: new Date(this.#wallNow.getTime() + lifeOfNudgeMs(moments.next_fire_at, this.#now)),
    };
    for (const device of devices) {
      const key = { entry_id: entry.id, target_id: device.id, kind: 'nudge' } as const;
      this.#address(entry, key, providerOf(device.platform, device.push_env), { ...push, target: targetOf(device) });
    }
    if (due.fired.stage !== HEADS_UP_STAGE) this.#showCard(entry, push, task.escalation_stage, devices, activities);
  }

  /** A card is started where none runs, and updated where one does. A phone in somebody's hand starts its own. */
  #showCard(
    entry: NudgeEntry,
    { task, stage, nudgedAt }: Pick<NudgePush, 'task' | 'stage' | 'nudgedAt'>,
    stageBefore: number,
    devices: readonly Device[],
    activities: readonly Activity[],
  ): void {
    const shown = { task, stage, nudgedAt };
    for (const { id, token, push_env } of activities) {
      if (token === null) continue;
      const push = { ...shown, target: cardOf(token, push_env), isUrgent: stage !== stageBefore };
      const key = { entry_id: entry.id, target_id: id, kind: 'activity_update' } as const;
      this.#address(entry, key, providerOf('ios', push_env), { kind: 'activity_update', ...push });
    }
    if (activities.length > 0) return;
    for (const { id, start_token, push_env, last_seen_at } of devices) {
      if (start_token === null || this.#isFresh(last_seen_at)) continue;
      const key = { entry_id: entry.id, target_id: id, kind: 'activity_start' } as const;
      const push = { ...shown, target: cardOf(start_token, push_env), isUrgent: true };
      const isOnItsWay = this.#address(entry, key, providerOf('ios', push_env), { kind: 'activity_start', ...push });
      const activity = { id: newId(), task_id: task.id, device_id: id, push_env, started_at: this.#wallNow };
      if (isOnItsWay) this.#activities.push(activity);
    }
  }

  #isFresh(lastSeenAt: Date | null): boolean {
    return lastSeenAt !== null && this.#wallNow.getTime() - lastSeenAt.getTime() <= FRESH_MS;
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

  #tell(task: DueTask, { stage, held }: Fired, devices: number): NudgeEntry {
    const about = { task_id: task.id, owner_id: task.owner_id, stage, occurrence_due_at: task.due_at };
    if (held) {
      const hold = { at: held.from, kind: 'held', until: this.#now, holds: held.holds.join(',') } as const;
      this.#holds.push({ id: newId(), ...about, ...hold, devices: null });
    }
    const entry = { id: newId(), ...about, at: this.#now, kind: 'nudge', until: null, holds: null, devices } as const;
    this.entries.push(entry);
    return entry;
  }

  /** Whether it will be sent, now or later. */
  #address(entry: NudgeEntry, key: DeliveryKey, provider: Provider, push: Push): boolean {
    const delivery = { ...key, task_id: entry.task_id, provider, stage: entry.stage, created_at: this.#now };
    const room = this.#dock.reserve(provider);
    if (room === undefined) {
      const unsent = { status: 'failed_transient', reason: 'not_configured', attempts: 0 } as const;
      this.#deliveries.push({ ...delivery, ...unsent, next_attempt_at: this.#wallNow });
      return false;
    }
    if (room) {
      this.#deliveries.push({ ...delivery, ...PENDING, next_attempt_at: this.#leasedUntil });
      this.shipments.push({ key, provider, attempt: 1, push });
    } else {
      this.crowded.add(provider);
      this.#deliveries.push({ ...delivery, ...PENDING, next_attempt_at: AT_ONCE });
    }
    return true;
  }

  /** The transaction failed: nothing is sent. */
  giveUp(): void {
    for (const { provider } of this.shipments.splice(0)) this.#dock.release(provider);
  }

  async store(trx: Kysely<Database>): Promise<void> {
    await advanceTasks(trx, this.#advances);
    if (this.entries.length === 0) return;
    await insertNudgeEntries(trx, [...this.#holds, ...this.entries]);
    await supersedeDeliveries(
      trx,
      this.entries.map(({ task_id }) => task_id),
    );
    await insertDeliveries(trx, this.#deliveries);
    await insertActivities(trx, this.#activities);
    await countNudges(trx, this.#sent);
  }
}
