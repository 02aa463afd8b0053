/**
 * How long one account with many tasks keeps everybody waiting: the longest stall of the event loop while its
 * settings change, while it leaves a space, and while it is deleted, until the last slice is done.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { NO_LOAD_LIMITS } from '../src/limits/load-shedding.ts';
import { type BenchService, type BenchUser, startBenchService } from './bench-service.ts';
import { insertTasks } from './tasks.ts';

const TASKS = 50_000;

export async function benchAccounts(): Promise<void> {
  // A service that stalls would refuse the next request.
  const service = await startBenchService({}, { limits: NO_LOAD_LIMITS });
  try {
    const [owner, other] = [await service.signIn(), await service.signIn()];
    await insertTasks(service.db, owner.id, TASKS);
    const space = await share(service, owner, other);
    // The pages that were just written go to disk before the first measurement.
    await delay(1_000);
    const pause = { until: new Date(Date.now() + 86_400_000).toISOString() };
    console.log(`An account with ${TASKS} tasks: time to the answer, longest stall of the event loop, CPU time of its`);
    console.log('longest turn, time until the last slice is done');
    await measure(service, owner, 'change of zone', 'PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    await measure(service, owner, 'pause', 'POST', '/v1/me/pause', pause);
    await measure(service, owner, 'end of the pause', 'DELETE', '/v1/me/pause');
    await measure(service, owner, 'leaving a space', 'DELETE', `/v1/spaces/${space}/membership`);
    await measure(service, owner, 'deletion', 'DELETE', '/v1/me');
  } finally {
    await service.close();
  }
}

/** Puts every task of the owner into a space with another member. */
async function share({ app, db }: BenchService, owner: BenchUser, other: BenchUser): Promise<string> {
  const ask = async (user: BenchUser, url: string, payload: object = {}) =>
    (await app.inject({ method: 'POST', url, payload, headers: user.headers })).json().data;
  const { id } = await ask(owner, '/v1/spaces', { name: 'Bench' });
  const { token } = await ask(owner, `/v1/spaces/${id}/invites`);
  await ask(other, `/v1/invites/${token}/accept`);
  await db.updateTable('tasks').set({ space_id: id }).where('owner_id', '=', owner.id).execute();
  return id;
}

async function measure(
  { app, db }: BenchService,
  { headers }: BenchUser,
  name: string,
  method: 'PATCH' | 'POST' | 'DELETE',
  url: string,
  payload?: object,
): Promise<void> {
  const stalls = monitorEventLoopDelay({ resolution: 1 });
  stalls.enable();
  const turns = watchTurns();
  const startedAt = performance.now();
  const { statusCode } = await app.inject({ method, url, headers, ...(payload && { payload }) });
  const answeredMs = performance.now() - startedAt;
  while (await db.selectFrom('follow_ups').select('id').executeTakeFirst()) await delay(5);
  const doneMs = performance.now() - startedAt;
  // A stall is recorded in the turn after it.
  await delay(20);
  stalls.disable();
  const longestTurnMs = turns.stop();
  const [answer, done] = [answeredMs, doneMs].map((ms) => `${ms.toFixed(0)} ms`.padStart(9));
  const [stall, turn] = [stalls.max / 1e6, longestTurnMs].map((ms) => `${ms.toFixed(1)} ms`.padStart(10));
  console.log(`${name.padEnd(18)} ${statusCode}${answer}${stall}${turn}${done}`);
}

/** The CPU time of the longest turn of the event loop: like its stall, without what other processes take. */
function watchTurns() {
  let [longest, isWatching] = [0, true];
  let last = process.threadCpuUsage();
  const turn = () => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, user + system);
    last = process.threadCpuUsage();
    if (isWatching) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop: (): number => {
      isWatching = false;
      return longest / 1e3;
    },
  };
}
