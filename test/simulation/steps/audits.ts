/** People look at their statistics, and phones sync. */
import { findMiscount } from '../invariants/statistics.ts';
import { findLag } from '../invariants/sync.ts';
import type { StepKind } from '../plan.ts';

const sync: StepKind = {
  weight: 6,
  async run(world, actor) {
    const problem = await findLag(world, actor);
    if (problem !== undefined) world.fail('sync', problem);
  },
};

const statistics: StepKind = {
  weight: 2,
  async run(world, actor) {
    const problem = await findMiscount(world, actor);
    if (problem !== undefined) world.fail('statistics', problem);
  },
};

export const steps = { sync, statistics };
