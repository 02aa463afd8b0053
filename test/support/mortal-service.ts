/**
 * The service as `mortal-process.ts` starts it: a process with a fake clock that does what its parent says, and that
 * kills itself by SIGKILL just before a chosen step.
 */
import { FakeClock } from './fake-clock.ts';
import { dieBefore } from './fatal-step.ts';
import type { Order } from './mortal-process.ts';
import { createPerson } from './people.ts';
import { startTestApp } from './test-app.ts';

// Its parent has ended.
process.on('disconnect', () => process.exit());

const { MORTAL_NOW, MORTAL_DATABASE = '', ...settings } = process.env as Record<string, string>;
const app = await startTestApp(MORTAL_DATABASE.startsWith('sqlite:') ? 'sqlite' : 'postgres', {
  databaseUrl: MORTAL_DATABASE,
  clock: new FakeClock(MORTAL_NOW),
  settings,
});

process.on('message', async (order: Order) => {
  if (order.kind === 'die') dieBefore(order.before, order.nth);
  if (order.kind === 'advance') await app.clock.advance(order.duration);
  if (order.kind === 'settle') await app.engine?.settled();
  const obeyed = order.kind === 'ask' ? app.ask(order.request) : order.kind === 'admit' ? createPerson(app) : {};
  process.send?.(await obeyed);
});
await app.engine?.settled();
process.send?.({});
