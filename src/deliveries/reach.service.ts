/**
 * Says what coming nudges of a task will reach, by the same functions that the engine plans by, and what the devices and
 * channels of a person are called. It changes nothing but what the engine would: an account that has no channel for mail
 * gets the one that the service makes.
 */
import type { Db } from '../db/schema.ts';
import type { FallbackState } from '../escalation/fallback.ts';
import { HEADS_UP_STAGE, isRepeat } from '../escalation/ladder.ts';
import type { PlannedNudge } from '../escalation/plan-nudge.ts';
import type { Clock } from '../lib/clock.ts';
import { words } from '../lib/words.ts';
import { type Gateways, type Platform, type Provider, providerOf } from '../push/gateway.ts';
import { fallbackKey, listFallbackStates } from './fallback.store.ts';
import { listLastSeen, listMessages } from './message-limits.store.ts';
import { type ChannelPlans, planChannels } from './plan-channels.ts';
import { findFallbackMinutes, listChannels, listDevices } from './reach.store.ts';
import { findFault, type ReachChannel, type ReachSituation, type Unreachable } from './reach.ts';

interface ReachParts {
  readonly db: Db;
  /** Nudges and messages have times of the service. */
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly gateways: Gateways;
  /** What a kind of channel is called. */
  readonly titleOf: (provider: Provider) => string | undefined;
  /** Makes the mail channel of an account, unless it has one. */
  readonly addOwnChannels: (db: Db, userIds: readonly string[], now: Date) => Promise<boolean>;
}

export interface ReachedNudge extends PlannedNudge {
  /** The devices and channels that get it at once. */
  readonly via: readonly string[];
  /** Why nothing gets it; null if something does. */
  readonly unreached: Unreachable | null;
  /** The tiers that it falls to if nobody answers. */
  readonly falls: readonly { readonly at: Date; readonly tier: number; readonly via: readonly string[] }[];
}

interface NamedChannel extends ReachChannel {
  readonly name: string | null;
}

/** Everything that can reach a person. */
export interface PersonReach extends Omit<ReachSituation, 'stage' | 'isRepeat'> {
  readonly channels: readonly NamedChannel[];
  /** The kinds of devices that can be sent to. */
  readonly platforms: readonly Platform[];
  readonly fallbackMinutes: number;
}

const DAY_MS = 86_400_000;
const NO_FALLBACK: FallbackState = { unansweredSince: null, reachedTier: null };

export class ReachService {
  readonly #parts: ReachParts;

  constructor(parts: ReachParts) {
    this.#parts = parts;
  }

  async load(userId: string): Promise<PersonReach> {
    const { db, gateways, wallClock, addOwnChannels } = this.#parts;
    const wallNow = wallClock.now();
    await addOwnChannels(db, [userId], wallNow);
    const rows = await listChannels(db, userId);
    const devices = await listDevices(db, userId);
    const lastSeen = await listLastSeen(db, [userId]);
    const isConfigured = (provider: Provider) => gateways[provider] !== undefined;
    const usable = devices.filter(({ platform, push_env }) => isConfigured(providerOf(platform, push_env)));
    return {
      channels: rows.map((row) => ({ ...row, fault: findFault(row) })),
      platforms: [...new Set(usable.map(({ platform }) => platform))],
      hasDevice: usable.length > 0,
      fallbackMinutes: await findFallbackMinutes(db, userId),
      isConfigured,
      bounds: {
        limitsOf: (provider) => gateways[provider]?.limits,
        lastSeenAt: lastSeen.get(userId) ?? null,
        sentToday: () => 0,
        wallNow,
      },
    };
  }

  /** As if nobody answered: tiers wait from the first unanswered nudge on, and each message counts for the limits. */
  async forecast(
    task: { readonly id: string; readonly owner_id: string; readonly step: number },
    nudges: readonly PlannedNudge[],
  ): Promise<ReachedNudge[]> {
    const { db, clock } = this.#parts;
    const person = await this.load(task.owner_id);
    const state = (await listFallbackStates(db, [task.id])).get(fallbackKey(task.id, task.owner_id)) ?? NO_FALLBACK;
    const sent = await listMessages(db, task.id, new Date(clock.now().getTime() - DAY_MS));
    const firstDue = nudges.find(({ stage }) => stage !== HEADS_UP_STAGE)?.at ?? null;
    const unansweredSince = state.unansweredSince ?? firstDue;
    let { reachedTier } = state;
    let { channels } = person;
    let { step } = task;
    return nudges.map((nudge) => {
      const { at, stage } = nudge;
      const sentToday = (id: string) =>
        sent.filter(({ target_id, created_at }) => target_id === id && at.getTime() - created_at.getTime() < DAY_MS)
          .length;
      const planned = planChannels(channels, {
        ...person,
        bounds: { ...person.bounds, sentToday },
        stage,
        isRepeat: isRepeat(stage, step),
        fallback: { unansweredSince, reachedTier },
        now: at,
      });
      const used = planned.plans.filter(({ plan }) => plan);
      const told = new Set(used.filter(({ isLast }) => isLast).map(({ channel }) => channel.id));
      channels = channels.map((one) => (told.has(one.id) ? { ...one, last_mail_at: person.bounds.wallNow } : one));
      sent.push(...used.map(({ channel }) => ({ target_id: channel.id, created_at: at })));
      if (stage !== HEADS_UP_STAGE) {
        step += 1;
        reachedTier = Math.max(-1, reachedTier ?? -1, ...used.map(({ channel }) => channel.tier));
      }
      return { ...nudge, ...this.#tell(planned, person) };
    });
  }

  #tell({ plans, reason }: ChannelPlans<NamedChannel>, { platforms }: PersonReach) {
    const used = plans.flatMap(({ channel, plan }) => (plan ? [{ channel, plan }] : []));
    const atOnce = used.filter(({ plan }) => !plan.isFall).map(({ channel }) => this.#nameOf(channel));
    const falls = Map.groupBy(
      used.filter(({ plan }) => plan.isFall),
      ({ plan }) => plan,
    );
    return {
      via: [...platforms.map((platform) => words.devices[platform]), ...atOnce],
      unreached: reason,
      falls: [...falls].map(([{ at, tier }, own]) => ({ at, tier, via: own.map(({ channel }) => channel.provider) })),
    };
  }

  /** The names of devices and channels, by id. One that was removed has none. */
  async listNames(userId: string): Promise<ReadonlyMap<string, string>> {
    const { db } = this.#parts;
    const devices = (await listDevices(db, userId)).map(({ id, platform }) => [id, words.devices[platform]] as const);
    const channels = (await listChannels(db, userId)).map((channel) => [channel.id, this.#nameOf(channel)] as const);
    return new Map([...devices, ...channels]);
  }

  #nameOf({ provider, name }: Pick<NamedChannel, 'provider' | 'name'>): string {
    const title = this.#parts.titleOf(provider) ?? provider;
    return name === null ? title : `${title}: ${name}`;
  }
}
