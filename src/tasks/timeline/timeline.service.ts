/**
 * The timeline and the forecast of a task, for its owner and its assigner. Deliveries to devices and
 * access tokens are shown to the owner only.
 */
import type { Db } from '../../db/schema.ts';
import type { PlannedNudge } from '../../escalation/plan-nudge.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { forecastTask } from '../plan-task.ts';
import type { Task } from '../task-state.ts';
import type { TasksService } from '../tasks.service.ts';
import { findOwner } from '../tasks.store.ts';
import type { Relation } from '../visibility.ts';
import { listChanges, RESTORABLE_MS } from './changes.store.ts';
import { shownReplaced } from './changes.ts';
import {
  type Delivery,
  type Entry,
  type EntryCursor,
  listDeliveries,
  listEntries,
  listNames,
  listTokenLabels,
  type TokenLabel,
} from './timeline.store.ts';

export interface ForecastNudge extends PlannedNudge {
  /** The devices and channels that get it at once; empty for the assigner, like `falls`. */
  readonly via: readonly string[];
  /** Why nothing gets it; null if something does, and for the assigner. */
  readonly unreached: string | null;
  /** The tiers that the nudge falls to if nobody answers. */
  readonly falls: readonly { readonly at: Date; readonly tier: number; readonly via: readonly string[] }[];
}

/** What nudges reach: the folder `deliveries` knows. */
export interface TaskReach {
  forecast(task: Task, nudges: readonly PlannedNudge[]): Promise<ForecastNudge[]>;
  /** The names of the owner's devices and channels, by id. */
  listNames(userId: string): Promise<ReadonlyMap<string, string>>;
}

export interface DeliveryView extends Delivery {
  /** The device or channel; null if it was removed. */
  readonly name: string | null;
}

export interface EntryView extends Entry {
  /** The combined result of a nudge's deliveries; null for other kinds of entries. */
  readonly reached: 'no_device' | 'not_sent' | 'pending' | 'sent' | 'failed' | 'cancelled' | 'superseded' | null;
  /** One per device and channel; null for the assigner. */
  readonly deliveries: readonly DeliveryView[] | null;
  /** The access token that was used; null for the assigner and after the token is deleted. */
  readonly token: TokenLabel | null;
  /** The stand-in who was told or acted; null for others. */
  readonly person_name: string | null;
  /** What an edit replaced; null if it cannot be put back, and for the assigner. */
  readonly before: Readonly<Record<string, unknown>> | null;
}

export class TimelineService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #tasks: Pick<TasksService, 'getVisible'>;
  readonly #reach: TaskReach;

  constructor(db: Db, clock: Clock, tasks: Pick<TasksService, 'getVisible'>, reach: TaskReach) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
    this.#reach = reach;
  }

  /** With `changes`, the nudges as they would be after an edit. */
  async forecast(caller: Caller, id: string, limit: number, changes: Partial<Task> = {}): Promise<ForecastNudge[]> {
    const { task: stored, relation } = await this.#getAsOwnerOrAssigner(caller, id);
    const task = { ...stored, ...changes };
    const owner = await findOwner(this.#db, task.owner_id);
    const nudges = owner ? forecastTask(task, owner, this.#clock.now(), limit) : [];
    if (relation !== 'owner') return nudges.map((nudge) => ({ ...nudge, via: [], unreached: null, falls: [] }));
    return nudges.length === 0 ? [] : this.#reach.forecast(task, nudges);
  }

  /** Newest first. */
  async listEntries(caller: Caller, id: string, before: EntryCursor | undefined, limit: number): Promise<EntryView[]> {
    const { task, relation } = await this.#getAsOwnerOrAssigner(caller, id);
    const isOwner = relation === 'owner';
    const entries = await listEntries(this.#db, id, before, limit, isOwner);
    const nudges = entries.filter(({ kind }) => kind === 'nudge').map((entry) => entry.id);
    const deliveries = Map.groupBy(await listDeliveries(this.#db, nudges), ({ entry_id }) => entry_id);
    const tokenIds = relation === 'owner' ? entries.flatMap(({ token_id }) => token_id ?? []) : [];
    const edits = relation === 'owner' ? entries.filter(({ fields }) => fields !== null).map((entry) => entry.id) : [];
    const changes = await listChanges(this.#db, edits, new Date(this.#clock.now().getTime() - RESTORABLE_MS));
    const tokens = await listTokenLabels(this.#db, task.owner_id, tokenIds);
    const people = await listNames(this.#db, isOwner ? entries.flatMap(({ person_id }) => person_id ?? []) : []);
    const isNamed = relation === 'owner' && deliveries.size > 0;
    const names = isNamed ? await this.#reach.listNames(task.owner_id) : new Map<string, string>();
    return entries.map((entry) => {
      const own = deliveries.get(entry.id) ?? [];
      const isForOwner = entry.kind === 'nudge' && relation === 'owner';
      const token = tokens.get(entry.token_id ?? '') ?? null;
      const token_id = relation === 'owner' ? entry.token_id : null;
      const change = changes.get(entry.id);
      return {
        ...entry,
        token_id,
        reached: reachedBy(entry, own),
        deliveries: isForOwner ? own.map((one) => ({ ...one, name: names.get(one.target_id) ?? null })) : null,
        ...shownOfPerson(entry, isOwner),
        token,
        person_name: people.get(entry.person_id ?? '') ?? null,
        before: change ? shownReplaced(change.before) : null,
      };
    });
  }

  async #getAsOwnerOrAssigner(caller: Caller, id: string): Promise<{ task: Task; relation: Relation }> {
    const visible = await this.#tasks.getVisible(caller, id);
    if (visible.relation === 'member') throw new AppError('not_allowed');
    return visible;
  }
}

/** Through what a stand-in is told, or is not, is their own; who it is, the owner alone reads. */
function shownOfPerson({ person_id, unreached, via }: Entry, isOwner: boolean) {
  if (person_id !== null) return { person_id: isOwner ? person_id : null, unreached: null, via: null };
  return { person_id, unreached: isOwner ? unreached : null, via };
}

/** Housekeeping deletes old deliveries; from then on only `devices_reached` tells whether the nudge was sent. */
function reachedBy(entry: Entry, deliveries: readonly Delivery[]): EntryView['reached'] {
  if (entry.kind !== 'nudge') return null;
  if (entry.devices === 0) return 'no_device';
  // Without deliveries, and not summed up by housekeeping either: the nudge was over the account's budget.
  if (deliveries.length === 0 && entry.devices_reached === null) return 'not_sent';
  const statuses = deliveries.map(({ status }) => status);
  if (statuses.includes('sent') || (entry.devices_reached ?? 0) > 0) return 'sent';
  if (statuses.includes('pending')) return 'pending';
  if (statuses.includes('cancelled')) return 'cancelled';
  return statuses.includes('superseded') ? 'superseded' : 'failed';
}
