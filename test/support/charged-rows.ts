/** What the calls of accounts cost them. */
import { mock } from 'node:test';
import type { TestApp } from './test-app.ts';

/** Returns how many rows have been charged to accounts since this call, or since the returned function was called last. */
export function countCharged({ fastify }: TestApp): () => number {
  const charging = mock.method(fastify.costBudget, 'charge').mock;
  let known = 0;
  return () => {
    const fresh = charging.calls.slice(known);
    known += fresh.length;
    return fresh.reduce((sum, { arguments: [, rows] }) => sum + rows, 0);
  };
}
