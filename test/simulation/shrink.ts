/** Finds the shortest plan that still breaks the same promise, by leaving out steps and whole people's settings. */
import type { Plan, Step } from './plan.ts';
import { runPlan, type Stage, type Told } from './run-plan.ts';

/** Each attempt is a run, so the number is limited. */
const MAX_ATTEMPTS = 200;

export async function shrink(plan: Plan, told: Told, stage: Stage): Promise<{ plan: Plan; told: Told }> {
  let shortest = { plan, told };
  let attempts = 0;
  const isStillBroken = async (steps: readonly Step[]): Promise<boolean> => {
    attempts += 1;
    const shorter = { ...plan, steps };
    const result = await runPlan(shorter, stage);
    if (result.violation?.invariant !== told.violation?.invariant) return false;
    shortest = { plan: shorter, told: result };
    return true;
  };
  for (let size = Math.ceil(plan.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = shortest.plan.steps.length - size; from > -size && attempts < MAX_ATTEMPTS; from -= size) {
      const start = Math.max(0, from);
      await isStillBroken(shortest.plan.steps.toSpliced(start, size - (start - from)));
    }
  }
  return shortest;
}
