/**
 * How soon a second browser knows of a change: from sending the change to one process until the browser, which listens
 * at another process on the same PostgreSQL, was told and has read the change with a sync.
 */

import { listenAs } from '../test/support/live.ts';
import { startService } from '../test/support/service-process.ts';
import { waitUntil } from '../test/support/wait-until.ts';
import { createDatabase, withPostgres } from './databases.ts';
import type { Report } from './report.ts';
import { sized } from './sizes.ts';
import { percentile, spread } from './statistics.ts';

const CHANGES = sized(20, 200);
const MAX_MS = 1_000;

export async function benchLive(report: Report): Promise<void> {
  await withPostgres(report, async (serverUrl) => {
    const parts = new AsyncDisposableStack();
    await measure(report, serverUrl, parts).finally(() => parts.disposeAsync());
  });
}

async function measure(report: Report, serverUrl: string, parts: AsyncDisposableStack): Promise<void> {
  const database = parts.adopt(await createDatabase(serverUrl), ({ drop }) => drop());
  const start = async (ROLE: string) =>
    parts.use(await startService({ DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32), HOST: '127.0.0.1', ROLE }));
  const [there, here] = [await start('all'), await start('api')];
  const ask = async (base: string, method: string, url: string, token = '', body?: object) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(base + url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
    // biome-ignore lint/suspicious/noExplicitAny: the benchmark reads an answer as a client without our types would.
    return ((await answer.json()) as any).data;
  };
  const email = 'live@example.org';
  await ask(there.baseUrl, 'POST', '/v1/auth/email/request', '', { email });
  const findCode = () => /Your sign-in code is (\d{6})/.exec(there.stdout)?.[1];
  await waitUntil(() => findCode() !== undefined);
  const verified = await ask(there.baseUrl, 'POST', '/v1/auth/email/verify', '', { email, code: findCode() });
  const token: string = verified.session_token;
  const browser = parts.use(await listenAs(here.baseUrl, token));
  const change = (title: string) => ask(there.baseUrl, 'POST', '/v1/tasks', token, { title });
  // The second process may not be listening to the first yet.
  await waitUntil(async () => {
    await change('warm-up');
    return browser.heard > 0;
  });
  let { server_time: since } = await ask(here.baseUrl, 'GET', '/v1/sync', token);
  const latenciesMs: number[] = [];
  for (let number = 1; number <= CHANGES; number += 1) {
    const title = `change ${number}`;
    const startedAt = performance.now();
    await change(title);
    for (let isSeen = false; !isSeen; ) {
      await browser.hears();
      const changes = await ask(here.baseUrl, 'GET', `/v1/sync?since=${since}`, token);
      since = changes.server_time;
      isSeen = changes.tasks.some((task: { readonly title: string }) => task.title === title);
    }
    latenciesMs.push(performance.now() - startedAt);
  }
  report.add({
    id: 'live',
    what: `a change at one process is read by a browser at another, p99 of ${CHANGES}`,
    figures: [spread(latenciesMs, ' ms')],
    value: percentile(latenciesMs, 0.99),
    unit: ' ms',
    target: { atMost: MAX_MS },
  });
}
