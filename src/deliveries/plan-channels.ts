/**
 * Decides which channels get a nudge, and when each tier does. Pure.
 *
 * A channel that the service made by itself is used only while nothing else can be. No tier waits for a target that
 * cannot be sent to. A heads-up does not fall back, because nothing is due yet.
 */
import { type FallbackPlan, type FallbackState, planTiers } from '../escalation/fallback.ts';
import { HEADS_UP_STAGE, includesStage } from '../escalation/ladder.ts';
import type { MessageLimits, Provider } from '../push/gateway.ts';

/** The stage that `MessageLimits.strongestPerDay` limits. */
export const STRONGEST_STAGE = 2;

interface PlannedChannel {
  readonly id: string;
  readonly provider: Provider;
  readonly stages: number;
  readonly tier: number;
  readonly automatic: boolean;
  /** When a message said that it was the last. */
  readonly last_mail_at: Date | null;
}

/** What limits the messages about a task. */
interface Bounds {
  readonly limitsOf: (provider: Provider) => MessageLimits | undefined;
  /** When the owner last opened the app; null if that is unknown, undefined if no channel has limits. */
  readonly lastSeenAt: Date | null | undefined;
  /** How many messages of the strongest stage the channel got about the task today. */
  readonly strongestToday: (channelId: string) => number;
  /** Real time. */
  readonly wallNow: Date;
}

interface Situation {
  readonly stage: number;
  /** Whether the owner has a device that can be sent to. */
  readonly hasDevice: boolean;
  readonly bounds: Bounds;
  readonly fallback: FallbackState;
  readonly fallbackMinutes: number;
  readonly isConfigured: (provider: Provider) => boolean;
  readonly now: Date;
}

export interface ChannelPlan<C> {
  readonly channel: C;
  /** Undefined if the channel cannot be sent to. */
  readonly plan: FallbackPlan | undefined;
  /** An idle owner gets one more message, which says that it is the last. */
  readonly isLast: boolean;
}

export function planChannels<C extends PlannedChannel>(all: readonly C[], situation: Situation): ChannelPlan<C>[] {
  const { stage, hasDevice, fallback, fallbackMinutes, isConfigured, bounds, now } = situation;
  const used = usedChannels(all, situation);
  const ofChannels = used.filter(({ provider }) => isConfigured(provider)).map(({ tier }) => tier);
  const plans = planTiers(hasDevice ? [0, ...ofChannels] : ofChannels, fallback, fallbackMinutes, now);
  const byTier = new Map(plans.map((plan) => [plan.tier, plan]));
  const lowest = plans[0]?.tier ?? 0;
  return used
    .filter(({ tier }) => stage !== HEADS_UP_STAGE || tier === lowest)
    .map((channel) => ({
      channel,
      plan: byTier.get(channel.tier),
      isLast: isOwnerIdle(channel, bounds),
    }));
}

function usedChannels<C extends PlannedChannel>(
  channels: readonly C[],
  { stage, hasDevice, bounds, isConfigured }: Situation,
): C[] {
  const hasOther = hasDevice || channels.some(({ automatic, provider }) => !automatic && isConfigured(provider));
  return channels.filter(
    (channel) =>
      includesStage(channel.stages, stage) && !(channel.automatic && hasOther) && !isStopped(channel, bounds, stage),
  );
}

/** Enough was sent today, or the owner is idle and was told. */
function isStopped(channel: PlannedChannel, bounds: Bounds, stage: number): boolean {
  const limits = bounds.limitsOf(channel.provider);
  if (!limits) return false;
  if (stage === STRONGEST_STAGE && bounds.strongestToday(channel.id) >= limits.strongestPerDay) return true;
  return isOwnerIdle(channel, bounds) && isTold(channel, bounds.lastSeenAt ?? null);
}

function isOwnerIdle({ provider }: PlannedChannel, { limitsOf, lastSeenAt, wallNow }: Bounds): boolean {
  const limits = limitsOf(provider);
  return limits !== undefined && lastSeenAt !== undefined && isIdle(lastSeenAt, limits, wallNow);
}

export const isIdle = (lastSeenAt: Date | null, { stopsAfterIdleMs }: MessageLimits, now: Date): boolean =>
  now.getTime() - (lastSeenAt?.getTime() ?? 0) >= stopsAfterIdleMs;

/** Whether a message has said that it was the last since the owner was last seen. */
export const isTold = ({ last_mail_at }: Pick<PlannedChannel, 'last_mail_at'>, lastSeenAt: Date | null): boolean =>
  last_mail_at !== null && (lastSeenAt === null || last_mail_at >= lastSeenAt);
