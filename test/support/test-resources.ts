import type { TestContext } from 'node:test';

const stacks = new WeakMap<TestContext, AsyncDisposableStack>();

/**
 * What a test opened: closed after it, the last first, and all of it even where the closing of one fails.
 * Beside the source this stands for `await using`, which the import check cannot read yet.
 */
export function resourcesOf(t: TestContext): AsyncDisposableStack {
  const known = stacks.get(t);
  if (known) return known;
  const parts = new AsyncDisposableStack();
  stacks.set(t, parts);
  t.after(() => parts.disposeAsync());
  return parts;
}
