/**
 * When each tier of a person's devices and channels gets a nudge. Pure.
 *
 * ```
 *   first unanswered nudge           + fallback            + 2 × fallback
 *   of the run  │                        │                      │
 *   tier 0 ─────▶ at once                │                      │
 *   tier 1 ──────────────────────────────▶ if nobody answered   │
 *   tier 2 ─────────────────────────────────────────────────────▶
 * ```
 * Later nudges do not start the clock again, and a tier that was used in a run is used at once by its later nudges.
 * A tier whose deliveries have all failed for good hands over at once. An answer is an acknowledgement, an action, or
 * a provider's report that the person was reached; that a provider took the message is none.
 */

/** What the run has seen so far: null where nothing. */
export interface FallbackState {
  /** When the first due nudge came that nobody has answered. */
  readonly unansweredSince: Date | null;
  /** The highest tier that a nudge of the run was sent to. */
  readonly reachedTier: number | null;
}

export interface FallbackPlan {
  readonly tier: number;
  /** Never before `now`. */
  readonly at: Date;
  /** The run falls to this tier with this nudge, unless somebody answers before. */
  readonly isFall: boolean;
}

/** For a nudge at `now` to targets of these tiers. Tiers that have no target count for nothing. */
export function planTiers(
  tiers: readonly number[],
  { unansweredSince, reachedTier }: FallbackState,
  fallbackMinutes: number,
  now: Date,
): FallbackPlan[] {
  // A nudge of a clock that was set back since may lie ahead.
  const startedAt = Math.min((unansweredSince ?? now).getTime(), now.getTime());
  return [...new Set(tiers)]
    .sort((a, b) => a - b)
    .map((tier, rank) => {
      const isReached = rank === 0 || tier <= (reachedTier ?? -1);
      const at = isReached ? now.getTime() : Math.max(now.getTime(), startedAt + rank * fallbackMinutes * 60_000);
      return { tier, at: new Date(at), isFall: !isReached };
    });
}

/** A delivery of one nudge. */
export interface TierDelivery {
  readonly tier: number;
  readonly state: 'waiting' | 'accepted' | 'failed';
}

/** The tier that must be used now because all lower ones have failed for good; undefined if there is none. */
export function findTierToHasten(deliveries: readonly TierDelivery[]): number | undefined {
  const tiers = [...new Set(deliveries.map(({ tier }) => tier))].sort((a, b) => a - b);
  for (const tier of tiers) {
    const states = deliveries.filter((delivery) => delivery.tier === tier).map(({ state }) => state);
    if (states.every((state) => state === 'failed')) continue;
    return states.includes('waiting') && tier !== tiers[0] ? tier : undefined;
  }
  return undefined;
}
