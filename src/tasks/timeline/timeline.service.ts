/**
 * The timeline and the forecast of a task, for its owner and its assigner. Deliveries to devices and
 * access tokens are shown to the owner only.
 */
import type { Db } from '../../db/schema.ts';
import { planTiers } from '../../escalation/fallback.ts';
import { HEADS_UP_STAGE, includesStage } from '../../escalation/ladder.ts';
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
  listReach,
  listTokenLabels,
  type TokenLabel,
} from './timeline.store.ts';

export interface ForecastNudge extends PlannedNudge {
  /** The tiers that the nudge falls to if nobody answers; empty for the assigner. */
  readonly falls: readonly { readonly at: Date; readonly tier: number; readonly via: readonly string[] }[];
}

export interface EntryView extends Entry {
  /** The combined result of a nudge's deliveries; null for other kinds of entries. */
  readonly reached: 'no_device' | 'not_sent' | 'pending' | 'sent' | 'failed' | 'cancelled' | 'superseded' | null;
  /** One per device; null for the assigner. */
  readonly deliveries: readonly Delivery[] | null;
  /** The access token that was used; null for the assigner and after the token is deleted. */
  readonly token: TokenLabel | null;
  /** What an edit replaced; null if it cannot be put back, and for the assigner. */
  readonly before: Readonly<Record<string, unknown>> | null;
}

export class TimelineService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #tasks: Pick<TasksService, 'getVisible'>;

  constructor(db: Db, clock: Clock, tasks: Pick<TasksService, 'getVisible'>) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
  }

  async forecast(caller: Caller, id: string, limit: number): Promise<ForecastNudge[]> {
    const { task, relation } = await this.#getAsOwnerOrAssigner(caller, id);
    const owner = await findOwner(this.#db, task.owner_id);
    const nudges = owner ? forecastTask(task, owner, this.#clock.now(), limit) : [];
    if (relation !== 'owner') return nudges.map((nudge) => ({ ...nudge, falls: [] }));
    return withFalls(nudges, await listReach(this.#db, task.owner_id));
  }

  /** Newest first. */
  async listEntries(caller: Caller, id: string, before: EntryCursor | undefined, limit: number): Promise<EntryView[]> {
    const { task, relation } = await this.#getAsOwnerOrAssigner(caller, id);
    const entries = await listEntries(this.#db, id, before, limit);
    const nudges = entries.filter(({ kind }) => kind === 'nudge').map((entry) => entry.id);
    const deliveries = Map.groupBy(await listDeliveries(this.#db, nudges), ({ entry_id }) => entry_id);
    const tokenIds = relation === 'owner' ? entries.flatMap(({ token_id }) => token_id ?? []) : [];
    const edits = relation === 'owner' ? entries.filter(({ fields }) => fields !== null).map((entry) => entry.id) : [];
    const changes = await listChanges(this.#db, edits, new Date(this.#clock.now().getTime() - RESTORABLE_MS));
    const tokens = await listTokenLabels(this.#db, task.owner_id, tokenIds);
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
        deliveries: isForOwner ? own : null,
        token,
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

type Reach = Awaited<ReturnType<typeof listReach>>;

/** As if nobody answered: the clock of the fallback starts at the first due nudge. */
function withFalls(nudges: readonly PlannedNudge[], { channels, hasDevice, fallbackMinutes }: Reach): ForecastNudge[] {
  const unansweredSince = nudges.find(({ stage }) => stage !== HEADS_UP_STAGE)?.at ?? null;
  let reachedTier: number | null = null;
  return nudges.map((nudge) => {
    if (nudge.stage === HEADS_UP_STAGE) return { ...nudge, falls: [] };
    const used = channels.filter(({ stages }) => includesStage(stages, nudge.stage));
    const tiers = [...(hasDevice ? [0] : []), ...used.map(({ tier }) => tier)];
    const plans = planTiers(tiers, { unansweredSince, reachedTier }, fallbackMinutes, nudge.at);
    reachedTier = plans.at(-1)?.tier ?? reachedTier;
    const viaOf = (tier: number) => used.filter((channel) => channel.tier === tier).map(({ provider }) => provider);
    const falls = plans.filter(({ isFall }) => isFall).map(({ tier, at }) => ({ at, tier, via: viaOf(tier) }));
    return { ...nudge, falls };
  });
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
