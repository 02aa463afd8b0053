/**
 * Decides when each tier of the channels that `reach.ts` found gets a nudge. Pure.
 *
 * No tier waits for a target that cannot be sent to. A heads-up does not fall back, because nothing is due yet.
 */
import { type FallbackPlan, type FallbackState, planTiers } from '../escalation/fallback.ts';
import { HEADS_UP_STAGE } from '../escalation/ladder.ts';
import { findReach, isOwnerIdle, type ReachChannel, type ReachSituation, type Unreachable } from './reach.ts';

interface Situation extends ReachSituation {
  readonly fallback: FallbackState;
  readonly fallbackMinutes: number;
  readonly now: Date;
}

export interface ChannelPlan<C> {
  readonly channel: C;
  /** Undefined if the channel cannot be sent to. */
  readonly plan: FallbackPlan | undefined;
  /** An idle owner gets one more message, which says that it is the last. */
  readonly isLast: boolean;
}

export interface ChannelPlans<C> {
  readonly plans: readonly ChannelPlan<C>[];
  /** Why neither a device nor a channel gets the nudge; null if one does. */
  readonly reason: Unreachable | null;
}

export function planChannels<C extends ReachChannel>(all: readonly C[], situation: Situation): ChannelPlans<C> {
  const { stage, hasDevice, fallback, fallbackMinutes, isConfigured, bounds, now } = situation;
  const { channels, reason } = findReach(all, situation);
  const ofChannels = channels.filter(({ provider }) => isConfigured(provider)).map(({ tier }) => tier);
  const tiers = planTiers(hasDevice ? [0, ...ofChannels] : ofChannels, fallback, fallbackMinutes, now);
  const byTier = new Map(tiers.map((plan) => [plan.tier, plan]));
  const lowest = tiers[0]?.tier ?? 0;
  const plans = channels
    .filter(({ tier }) => stage !== HEADS_UP_STAGE || tier === lowest)
    .map((channel) => ({
      channel,
      plan: isConfigured(channel.provider) ? byTier.get(channel.tier) : undefined,
      isLast: isOwnerIdle(channel, bounds),
    }));
  return { plans, reason };
}
