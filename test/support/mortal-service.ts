/**
 * The service as `mortal-process.ts` starts it: a process with a fake clock that does what its parent says, and that
 * kills itself by SIGKILL just before a chosen step. A step is a statement or a request to a provider: between two of
 * them, a process has no effect that could outlive it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import pg from 'pg';
import type { PostgresBatch } from '../../src/db/postgres/postgres-batch.ts';
import { FakeClock } from './fake-clock.ts';
import type { Order } from './mortal-process.ts';
import { createPerson } from './people.ts';
import { startTestApp } from './test-app.ts';

let fatal = { step: /$^/, left: 0 };

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

// Its parent has ended.
process.on('disconnect', () => process.exit());

const { MORTAL_NOW, MORTAL_DATABASE = '', ...settings } = process.env as Record<string, string>;
const app = await startTestApp(MORTAL_DATABASE.startsWith('sqlite:') ? 'sqlite' : 'postgres', {
  databaseUrl: MORTAL_DATABASE,
  clock: new FakeClock(MORTAL_NOW),
  settings,
});

process.on('message', async (order: Order) => {
  if (order.kind === 'die') fatal = { step: new RegExp(order.before), left: order.nth };
  if (order.kind === 'advance') await app.clock.advance(order.duration);
  if (order.kind === 'settle') await app.engine?.settled();
  const obeyed = order.kind === 'ask' ? app.ask(order.request) : order.kind === 'admit' ? createPerson(app) : {};
  process.send?.(await obeyed);
});
await app.engine?.settled();
process.send?.({});
