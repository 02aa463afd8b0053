/**
 * `node:test` follows every promise, only to name the test that an uncaught error belongs to. That costs a tenth of
 * the CPU time of all tests. Without it such an error still fails the run, as a failure of the process. A run of
 * chosen files keeps the tracking, and names the test.
 * Import this before `node:test`, which sets up its hook while it loads.
 */
import asyncHooks, { type AsyncHook, type HookCallbacks } from 'node:async_hooks';

const hooks: AsyncHook[] = [];
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks: HookCallbacks) => {
  const hook = createHook(callbacks);
  hooks.push(hook);
  return hook;
};
await import('node:test');
asyncHooks.createHook = createHook;

/** Call this after the last suite is defined: until then `node:test` finds the suite of a test by its hook. */
export function stopAsyncTracking(): void {
  for (const hook of hooks) hook.disable();
}
