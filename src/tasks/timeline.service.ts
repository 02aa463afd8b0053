/**
 * What happened to a task and what will: for those whom its nudges concern, the owner who gets
 * them and the assigner who counts on them. What each device made of a nudge is told to the owner alone.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { PlannedNudge } from '../escalation/plan-nudge.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Relation } from '../spaces/visibility.ts';
import { forecastOf } from './plan-task.ts';
import type { Task } from './task-state.ts';
import { findOwner } from './tasks.store.ts';
import {
  type Delivery,
  type Entry,
  type EntryPlace,
  listDeliveries,
  listEntries,
  listTokenLabels,
  type TokenLabel,
} from './timeline.store.ts';

export interface ToldEntry extends Entry {
  /** What became of a nudge as a whole; null for anything else. */
  readonly reached: 'no_device' | 'pending' | 'sent' | 'failed' | 'cancelled' | 'superseded' | null;
  /** Device by device, for the owner. */
  readonly deliveries: readonly Delivery[] | null;
  /** Through which access token it was done, for the owner and while there is such a token. */
  readonly token: TokenLabel | null;
}

/** Who sees the task, and as what. */
export interface TaskViewer {
  see(caller: Caller, id: string): Promise<{ task: Task; relation: Relation }>;
}

export class TimelineService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #tasks: TaskViewer;

  constructor(db: Kysely<Database>, clock: Clock, tasks: TaskViewer) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
  }

  async forecast(caller: Caller, id: string, most: number): Promise<PlannedNudge[]> {
    const { task } = await this.#see(caller, id);
    const owner = await findOwner(this.#db, task.owner_id);
    return owner ? forecastOf(task, owner, this.#clock.now(), most) : [];
  }

  /** Newest first. */
  async past(caller: Caller, id: string, before: EntryPlace | undefined, limit: number): Promise<ToldEntry[]> {
    const { task, relation } = await this.#see(caller, id);
    const entries = await listEntries(this.#db, id, before, limit);
    const nudges = entries.filter(({ kind }) => kind === 'nudge').map((entry) => entry.id);
    const deliveries = Map.groupBy(await listDeliveries(this.#db, nudges), ({ entry_id }) => entry_id);
    const tokenIds = relation === 'owner' ? entries.flatMap(({ token_id }) => token_id ?? []) : [];
    const tokens = await listTokenLabels(this.#db, task.owner_id, tokenIds);
    return entries.map((entry) => {
      const own = deliveries.get(entry.id) ?? [];
      const isForOwner = entry.kind === 'nudge' && relation === 'owner';
      const token = tokens.get(entry.token_id ?? '') ?? null;
      const token_id = relation === 'owner' ? entry.token_id : null;
      return { ...entry, token_id, reached: reachOf(entry, own), deliveries: isForOwner ? own : null, token };
    });
  }

  async #see(caller: Caller, id: string): Promise<{ task: Task; relation: Relation }> {
    const seen = await this.#tasks.see(caller, id);
    if (seen.relation === 'member') throw new AppError('not_allowed');
    return seen;
  }
}

/** Of a nudge whose deliveries were cleared away, only the sum is left. */
function reachOf(entry: Entry, deliveries: readonly Delivery[]): ToldEntry['reached'] {
  if (entry.kind !== 'nudge') return null;
  if (entry.devices === 0) return 'no_device';
  const statuses = deliveries.map(({ status }) => status);
  if (statuses.includes('sent') || (entry.devices_reached ?? 0) > 0) return 'sent';
  if (statuses.includes('pending')) return 'pending';
  if (statuses.includes('cancelled')) return 'cancelled';
  return statuses.includes('superseded') ? 'superseded' : 'failed';
}
