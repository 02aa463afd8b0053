/** The plan that an account has at a moment: one that has ended falls back by itself, with nobody to tell it so. */
export interface PlanFacts {
  readonly plan: string;
  /** Null for one that never ends. */
  readonly plan_expires_at: Date | null;
}

export const FREE: PlanFacts = { plan: 'free', plan_expires_at: null };

export const planAt = ({ plan, plan_expires_at }: PlanFacts, now: Date): PlanFacts =>
  plan_expires_at === null || plan_expires_at > now ? { plan, plan_expires_at } : FREE;
