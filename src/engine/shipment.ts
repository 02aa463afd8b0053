/** A delivery with all that is needed to send it. */
import type { Selectable } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { DeliveryKind } from '../db/tables/deliveries.ts';
import type { Provider, Push, PushedTask, Target } from '../push/gateway.ts';
import { dueDate } from '../tasks/due.ts';

type Task = Selectable<Database['tasks']>;
type Device = Selectable<Database['devices']>;

export interface DeliveryKey {
  readonly entry_id: string;
  readonly target_id: string;
  readonly kind: DeliveryKind;
}

export interface Shipment {
  readonly key: DeliveryKey;
  readonly provider: Provider;
  /** Which one this is, counted from 1. */
  readonly attempt: number;
  readonly push: Push;
}

/** Where shipments go that this process can send at once. */
export interface Dock {
  /** Whether there is room for one more of this provider's, which is then taken; undefined where it is not configured. */
  reserve(provider: Provider): boolean | undefined;
  /** Gives reserved room back. */
  release(provider: Provider): void;
  /** Sends what there was room reserved for. */
  ship(shipments: readonly Shipment[]): void;
  /** Deliveries of this provider wait in the outbox. */
  look(provider: Provider): void;
}

export const targetOf = ({
  platform,
  token,
  push_env,
  keys,
}: Pick<Device, 'platform' | 'token' | 'push_env' | 'keys'>): Target => ({
  platform,
  token,
  environment: push_env,
  keys: keys === null ? null : JSON.parse(keys),
});

/** Where a Live Activity is started or spoken to. */
export const cardOf = (token: string, environment: Target['environment']): Target => ({
  platform: 'ios',
  token,
  environment,
  keys: null,
});

type ShownFields = 'id' | 'title' | 'due_at' | 'due_written' | 'has_time' | 'break_quiet_hours';

export const pushedTaskOf = (task: Pick<Task, ShownFields>, timezone: string): PushedTask => ({
  id: task.id,
  title: task.title,
  due: task.has_time ? task.due_at : dueDate(task),
  occurrenceDueAt: task.due_at,
  mustNotMiss: task.break_quiet_hours,
  timezone,
});

const SHORTEST_LIFE_MS = 15 * 60_000;
const LONGEST_LIFE_MS = 24 * 3_600_000;

/** A nudge is worth keeping for a phone that is off until the next one takes its place, and a day at most. */
export function lifeOfNudgeMs(nextAt: Date | null, now: Date): number {
  if (!nextAt) return LONGEST_LIFE_MS;
  return Math.min(LONGEST_LIFE_MS, Math.max(SHORTEST_LIFE_MS, nextAt.getTime() - now.getTime()));
}
