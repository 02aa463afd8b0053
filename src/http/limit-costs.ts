/** Charges calls whose cost grows with the account to its budget (`limits/cost-budget.ts`). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { CostBudget } from '../limits/cost-budget.ts';
import { callerOf } from './authentication.ts';

declare module 'fastify' {
  interface FastifyInstance {
    costBudget: CostBudget;
  }
  interface FastifyContextConfig {
    /** The cost of the call grows with the account, so it needs a positive balance. */
    isCostly?: true;
  }
}

/** Refuses costly routes of accounts that have spent their budget. Runs after authentication. */
export function limitCosts(app: FastifyInstance, budget: CostBudget): void {
  app.decorate('costBudget', budget);
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.route.config.isCostly) budget.check(callerOf(request).userId);
    done();
  });
}

/** Subtracts rows that the request read or changed from the budget of its account. */
export const chargeRows = (request: FastifyRequest, rows: number): void =>
  request.server.costBudget.charge(callerOf(request).userId, rows);

/** For an answer with rows of others: refuses if the account has spent its budget for those. */
export const checkOthers = (request: FastifyRequest, { isSyncOfChanges = false } = {}): void =>
  request.server.costBudget.checkOthers(callerOf(request).userId, isSyncOfChanges);

export const chargeRowsOfOthers = (request: FastifyRequest, rows: number): void =>
  request.server.costBudget.chargeOthers(callerOf(request).userId, rows);
