/**
 * Kills this process by SIGKILL just before a chosen step. A step is a statement or a request to a provider: between two
 * of them, a process has no effect that could outlive it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import type { PostgresBatch } from '../../src/db/postgres/postgres-batch.ts';

let fatal = { step: /$^/, left: 0 };

/** Dies before the nth step that matches the pattern, counted from now on. */
export function dieBefore(pattern: string, nth: number): void {
  fatal = { step: new RegExp(pattern), left: nth };
}

function reach(step: string): void {
  if (!fatal.step.test(step)) return;
  fatal.left -= 1;
  if (fatal.left === 0) process.kill(process.pid, 'SIGKILL');
}

/** Calls `reach` before each call of the method. */
function watch<T extends object>(owner: T, method: keyof T, describe: (self: T, argument: unknown) => string): void {
  const original = owner[method] as (...args: unknown[]) => unknown;
  owner[method] = function watched(this: T, ...args: unknown[]) {
    reach(describe(this, args[0]));
    return original.apply(this, args);
  } as T[keyof T];
}

watch(DatabaseSync.prototype, 'exec', (_, text) => String(text));
for (const method of ['run', 'all', 'get'] as const)
  watch(StatementSync.prototype, method, ({ sourceSQL }) => sourceSQL);
watch(pg.Client.prototype, 'query', (_, query) => {
  const { queries } = query as Partial<PostgresBatch>;
  return queries ? queries.map(({ sql }) => sql).join('; ') : JSON.stringify(query);
});
subscribe('http.client.request.start', (message) => {
  const { method, path } = (message as { request: ClientRequest }).request;
  reach(`${method} ${path}`);
});
