import type { TestContext } from 'node:test';

const stacks = new WeakMap<TestContext, AsyncDisposableStack>();

/**
 * Closes the resources of a test after it, the last one first, even if closing one of them fails.
 * Tests beside the source use this instead of `await using`, which the import check cannot parse yet.
 */
export function resourcesOf(t: TestContext): AsyncDisposableStack {
  const known = stacks.get(t);
  if (known) return known;
  const parts = new AsyncDisposableStack();
  stacks.set(t, parts);
  t.after(() => parts.disposeAsync());
  return parts;
}
