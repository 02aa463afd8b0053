/** The plan of an account at a given moment. A plan that has ended counts as free, without a further event. */
export interface PlanFacts {
  readonly plan: string;
  /** Null if the plan never ends. */
  readonly plan_expires_at: Date | null;
}

export const FREE: PlanFacts = { plan: 'free', plan_expires_at: null };

export const planAt = ({ plan, plan_expires_at }: PlanFacts, now: Date): PlanFacts =>
  plan_expires_at === null || plan_expires_at > now ? { plan, plan_expires_at } : FREE;
