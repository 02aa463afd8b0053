/** Takes what waits in the outbox for one provider and makes it ready to be sent. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { releaseFrom } from '../escalation/holds.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Provider, Push, Target } from '../push/gateway.ts';
import { toNudgeSettings } from '../tasks/plan-task.ts';
import {
  type Delivery,
  leaseDeliveries,
  listActivities,
  listDevices,
  listShownTasks,
  type ShownTask,
} from './dispatch.store.ts';
import type { Judgement } from './judgement.ts';
import { cardOf, type DeliveryKey, lifeOfNudgeMs, pushedTaskOf, type Shipment, targetOf } from './shipment.ts';

interface OutboxParts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly leaseMs: number;
  readonly logger: Logger;
}

export interface Taken {
  readonly count: number;
  readonly shipments: readonly Shipment[];
  /** What is not to be sent, or not yet. */
  readonly settled: readonly {
    readonly key: DeliveryKey;
    readonly attempts: number;
    readonly judgement: Judgement;
  }[];
}

/** In real time, however fast the service's clock runs. */
const LOOK_AGAIN_IN_HOLD_MS = 30_000;

export async function takeFromOutbox(parts: OutboxParts, provider: Provider, most: number): Promise<Taken> {
  const { db, wallClock, leaseMs } = parts;
  const now = wallClock.now();
  const deliveries = await leaseDeliveries(db, provider, now, new Date(now.getTime() + leaseMs), most);
  const tasks = byId(await listShownTasks(db, idsOf(deliveries, 'task_id')));
  const devices = byId(await listDevices(db, idsOf(deliveries, 'target_id')));
  const cards = byId(await listActivities(db, idsOf(deliveries.filter(isToCard), 'target_id')));
  const shipments: Shipment[] = [];
  const settled: { key: DeliveryKey; attempts: number; judgement: Judgement }[] = [];
  for (const delivery of deliveries) {
    const { target_id, task_id } = delivery;
    const found = { task: tasks.get(task_id), device: devices.get(target_id), card: cards.get(target_id) };
    const ready = prepare(delivery, found, parts);
    if ('push' in ready) shipments.push(ready);
    else settled.push({ key: delivery, attempts: delivery.attempts, judgement: ready });
  }
  return { count: deliveries.length, shipments, settled };
}

type Device = Awaited<ReturnType<typeof listDevices>>[number];
type Card = Awaited<ReturnType<typeof listActivities>>[number];

interface Found {
  readonly task: ShownTask | undefined;
  readonly device: Device | undefined;
  readonly card: Card | undefined;
}

/** One delivery that cannot be read stops no other. */
function prepare(delivery: Delivery, { task, device, card }: Found, parts: OutboxParts): Shipment | Judgement {
  try {
    const target = task && findTarget(delivery, task, device, card);
    if (!task || !target) return { status: 'failed_permanent', reason: 'device_removed' };
    return judgeBeforeSending(delivery, task, parts.clock.now()) ?? toShipment(delivery, task, target, parts);
  } catch (error) {
    const { task_id, target_id, kind, provider } = delivery;
    const about = { task_id, target_id, kind, provider, ...(task && { user_id: task.owner_id }) };
    parts.logger.error({ err: error, ...about }, 'a delivery could not be made ready');
    return { status: 'failed_transient', reason: 'unsendable' };
  }
}

const isToCard = ({ kind }: Delivery) => kind === 'activity_update' || kind === 'activity_end';

/** Undefined where the device was removed, is no longer valid or has another owner by now, or the card is gone. */
function findTarget(delivery: Delivery, task: ShownTask, device?: Device, card?: Card): Target | undefined {
  if (isToCard(delivery)) return card?.token ? cardOf(card.token, card.push_env) : undefined;
  if (!device?.valid || device.user_id !== task.owner_id) return undefined;
  if (delivery.kind === 'nudge') return targetOf(device);
  return device.start_token === null ? undefined : cardOf(device.start_token, device.push_env);
}

/** A retry that has run into quiet hours or a pause waits for their end like any nudge; a card is taken away at any time. */
function judgeBeforeSending({ kind }: Delivery, task: ShownTask, now: Date): Judgement | undefined {
  if (kind === 'activity_end') return undefined;
  const release = releaseFrom(now, task.break_quiet_hours, toNudgeSettings({ ...task, id: task.owner_id }));
  const waitMs = release.at.getTime() - now.getTime();
  if (waitMs <= 0) return undefined;
  return { status: 'pending', reason: 'held', retryInMs: Math.min(LOOK_AGAIN_IN_HOLD_MS, waitMs) };
}

function toShipment(delivery: Delivery, task: ShownTask, target: Target, { clock, wallClock }: OutboxParts): Shipment {
  const { entry_id, target_id, kind, provider, stage, attempts, created_at: nudgedAt } = delivery;
  const shown = { task: pushedTaskOf(task, task.timezone), stage, nudgedAt, target };
  const expiresAt = new Date(wallClock.now().getTime() + lifeOfNudgeMs(task.next_fire_at, clock.now()));
  const push: Push = kind === 'nudge' ? { kind, ...shown, expiresAt } : { kind, ...shown, isUrgent: true };
  return { key: { entry_id, target_id, kind }, provider, attempt: attempts + 1, push };
}

const idsOf = (deliveries: readonly Delivery[], name: 'task_id' | 'target_id') => [
  ...new Set(deliveries.map((delivery) => delivery[name])),
];

const byId = <T extends { readonly id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));
