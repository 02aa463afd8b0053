/**
 * The deliveries of one sweep: to devices, Live Activities and channels.
 *
 * A delivery that this process has capacity for is stored as leased to it and sent right after the
 * commit, without reading the table again. The others wait in the outbox for any process with capacity.
 */
import type { DeliveryKey, OutgoingPush, PushDispatcher } from '../deliveries/outgoing-push.ts';
import { type ChannelPlan, type ChannelPlans, planChannels } from '../deliveries/plan-channels.ts';
import type { FallbackState } from '../escalation/fallback.ts';
import { isRepeat } from '../escalation/ladder.ts';
import { DUE_NOW } from '../lib/clock.ts';
import { findServer } from '../lib/server-of.ts';
import { type Provider, type Push, providerOf } from '../push/gateway.ts';
import type { Channel, Device, NudgedOwner } from './nudge-targets.store.ts';
import type { DueTask, NewDelivery, NudgeEntry } from './sweep.store.ts';

const PENDING = { status: 'pending', reason: null, attempts: 0 } as const;
const NOT_CONFIGURED = {
  status: 'failed_transient',
  waits_for: null,
  reason: 'not_configured',
  attempts: 0,
} as const;

export interface BatchTimes {
  /** The service's clock, for due times and nudges. */
  readonly now: Date;
  /** Real time, for leases and the budget. */
  readonly wallNow: Date;
  readonly clockSpeed: number;
  readonly leaseMs: number;
}

/** Where a task's nudge can go. */
export interface NudgeTargets {
  readonly devices: readonly Device[];
  readonly channels: readonly Channel[];
  readonly fallback: FallbackState;
  readonly lastSeenAt: Date | null | undefined;
  readonly sentToday: (channelId: string) => number;
}

const recipientOf = ({ person_id, owner_id }: NudgeEntry): string => person_id ?? owner_id;

export class NudgeDeliveries {
  readonly #dispatcher: PushDispatcher;
  readonly #now: Date;
  readonly #wallNow: Date;
  readonly #leasedUntil: Date;
  readonly #clockSpeed: number;
  /** Channels of idle owners. This batch sends each of them a message which says that it is the last. */
  readonly #toldLast = new Set<string>();
  /** To be stored. */
  readonly rows: NewDelivery[] = [];
  /** To be sent after the commit; capacity is reserved for them. */
  readonly pushes: OutgoingPush[] = [];
  /** Providers with deliveries that had to stay in the outbox. */
  readonly backlogged = new Set<Provider>();

  constructor(dispatcher: PushDispatcher, { now, wallNow, leaseMs, clockSpeed }: BatchTimes) {
    this.#dispatcher = dispatcher;
    this.#now = now;
    this.#wallNow = wallNow;
    this.#clockSpeed = clockSpeed;
    this.#leasedUntil = new Date(wallNow.getTime() + leaseMs);
  }

  /** Stores the delivery. False if it will never be sent because its provider is not configured. */
  deliver(entry: NudgeEntry, key: DeliveryKey, provider: Provider, push: Push, waitsUntil: Date | null): boolean {
    const { platform, token } = push.target;
    const server = platform === 'web' ? findServer(token) : null;
    const delivery = { ...key, ...this.#ofNudge(entry), provider, server, tier: 0, fell_because: null };
    if (!this.#dispatcher.isConfigured(provider)) {
      this.rows.push({ ...delivery, ...NOT_CONFIGURED, next_attempt_at: this.#wallNow });
      return false;
    }
    const place = { recipientId: recipientOf(entry), server };
    if (waitsUntil === null && this.#dispatcher.reserve(provider, place)) {
      this.rows.push({ ...delivery, ...PENDING, waits_for: null, next_attempt_at: this.#leasedUntil });
      this.pushes.push({ key, ...place, provider, attempt: 1, createdAt: this.#now, push });
    } else {
      this.backlogged.add(provider);
      const waits_for = waitsUntil ? 'budget' : 'capacity';
      this.rows.push({ ...delivery, ...PENDING, waits_for, next_attempt_at: waitsUntil ?? DUE_NOW });
    }
    return true;
  }

  /** For a stand-in's device: built when it is leased, because their holds and their agreement are asked then. */
  deliverLater(
    entry: NudgeEntry,
    target: Pick<NewDelivery, 'target_id' | 'server'> & { readonly provider: Provider },
  ): void {
    const delivery = { entry_id: entry.id, kind: 'nudge', ...target, ...this.#ofNudge(entry) } as const;
    const first = { tier: 0, fell_because: null };
    if (!this.#dispatcher.isConfigured(target.provider)) {
      this.rows.push({ ...delivery, ...first, ...NOT_CONFIGURED, next_attempt_at: this.#wallNow });
      return;
    }
    this.backlogged.add(target.provider);
    this.rows.push({ ...delivery, ...first, ...PENDING, waits_for: 'capacity', next_attempt_at: DUE_NOW });
  }

  planChannels(
    { channels, devices, lastSeenAt, sentToday, fallback }: NudgeTargets,
    { step }: DueTask,
    stage: number,
    owner: NudgedOwner,
  ): ChannelPlans<Channel> {
    const isConfigured = (provider: Provider) => this.#dispatcher.isConfigured(provider);
    const told = (channel: Channel) =>
      this.#toldLast.has(channel.id) ? { ...channel, last_mail_at: this.#wallNow } : channel;
    return planChannels(channels.map(told), {
      stage,
      isRepeat: isRepeat(stage, step),
      hasDevice: devices.some(({ platform, push_env }) => isConfigured(providerOf(platform, push_env))),
      bounds: {
        limitsOf: (provider) => this.#dispatcher.limitsOf(provider),
        lastSeenAt,
        sentToday,
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
  deliverToChannel(entry: NudgeEntry, { channel, plan, isLast }: ChannelPlan<Channel>, waitsUntil: Date | null): void {
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
      this.rows.push({ ...delivery, ...NOT_CONFIGURED, next_attempt_at: this.#wallNow });
      return;
    }
    const waitMs = plan ? Math.ceil((plan.at.getTime() - this.#now.getTime()) / this.#clockSpeed) : 0;
    const dueAt = waitMs > 0 ? new Date(this.#wallNow.getTime() + waitMs) : DUE_NOW;
    const isOverBudget = waitsUntil !== null && waitsUntil > dueAt;
    this.rows.push({
      ...delivery,
      ...PENDING,
      waits_for: plan?.isFall ? 'tier' : isOverBudget ? 'budget' : 'capacity',
      ...(plan?.isFall && { reason: 'unanswered' }),
      next_attempt_at: isOverBudget ? waitsUntil : dueAt,
    });
  }

  /** The columns that all deliveries of a nudge share. */
  #ofNudge(entry: NudgeEntry) {
    const { task_id, run, nudge, stage } = entry;
    return { task_id, recipient_id: recipientOf(entry), run, nudge, stage, created_at: this.#now };
  }

  /** The transaction failed: nothing is sent, and the reserved capacity is returned. */
  abandon(): void {
    for (const push of this.pushes.splice(0)) this.#dispatcher.release(push.provider, push);
  }
}
