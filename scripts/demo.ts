/**
 * `npm run demo`: the real service on a temporary database, with a fast clock and a phone drawn in the
 * terminal. One task climbs its ladder, is held by quiet hours, and is completed. The demo takes about half a
 * minute and leaves no files behind.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../src/compose/service.ts';
import { loadConfig } from '../src/config.ts';
import { fastClock, systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/logger.ts';
import type { Gateway, NudgePush } from '../src/push/gateway.ts';
import { nudgeBody } from '../src/push/push-text.ts';

const SPEED = 360;
const MINUTE_MS = 60_000;
/** The demo completes the task after this many nudges. */
const NUDGES = 6;
const TITLE = 'Take the medication';
/** How a nudge of each stage looks. */
const STAGES = [
  { width: 3, label: 'a nudge', colour: 36 },
  { width: 9, label: 'firmer', colour: 33 },
  { width: 18, label: 'loud', colour: 31 },
];

const folder = mkdtempSync(join(tmpdir(), 'crescendo-demo-'));
const wallClock = systemClock();
const clock = fastClock(wallClock, SPEED);
const mails: string[] = [];
const readyToFinish = Promise.withResolvers<void>();
const isColourful = process.stdout.isTTY && !process.env.NO_COLOR;

const paint = (text: string, colour: number) => (isColourful ? `\u001B[${colour}m${text}\u001B[0m` : text);
const formatTime = (at: Date) => at.toISOString().slice(11, 16);
const say = (at: Date, text: string) => console.log(`  ${paint(formatTime(at), 2)}  ${text}`);

let shownNudges = 0;

/** A stronger nudge has a longer bar. */
function show({ stage, task, nudgedAt }: NudgePush): void {
  const { width, label, colour } = STAGES[stage] ?? { width: 0, label: 'heads-up', colour: 2 };
  const bar = '█'.repeat(width).padEnd(20);
  shownNudges += 1;
  say(
    nudgedAt,
    `${paint(bar, colour)} ${label.padEnd(8)} ${paint(task.title, 1)}: ${nudgeBody(task, stage, nudgedAt)}`,
  );
}

const phone: Gateway = {
  send: async (push) => {
    if (push.kind === 'nudge') show(push);
    if (shownNudges === NUDGES) readyToFinish.resolve();
    return { kind: 'accepted' };
  },
  capacity: () => 1,
  close: async () => undefined,
};

const service = await compose({
  config: loadConfig({ DATABASE_URL: `sqlite:${join(folder, 'demo.db')}`, DATA_DIR: folder, LOG_LEVEL: 'silent' }),
  version: 'demo',
  clock,
  wallClock,
  logger: createLogger('silent'),
  print: (text) => void mails.push(text),
  extra: { gateways: { apns: phone } },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => readyToFinish.resolve());
try {
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  await play(`http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`);
} finally {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
}

async function play(base: string): Promise<void> {
  const startedAt = clock.now();
  const inMinutes = (minutes: number) => new Date(Math.ceil(startedAt.getTime() / MINUTE_MS + minutes) * MINUTE_MS);
  const callAnonymously = createClient(base);
  await callAnonymously('POST', '/v1/auth/email/request', { email: 'you@example.org' });
  const code = /is (\d{6})/.exec(mails[0] ?? '')?.[1];
  const { session_token } = await callAnonymously('POST', '/v1/auth/email/verify', { email: 'you@example.org', code });
  const call = createClient(base, session_token);
  await call('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32), push_env: 'production' });
  const quiet = { quiet_hours_start: formatTime(inMinutes(75)), quiet_hours_end: formatTime(inMinutes(140)) };
  await call('PATCH', '/v1/me', quiet);
  console.log(`\nCrescendo, ${SPEED} times faster than real time: one task, until it is done.\n`);
  const { id } = await call('POST', '/v1/tasks', { title: TITLE, due_at: inMinutes(5).toISOString(), has_time: true });
  say(startedAt, `“${TITLE}” is due at ${formatTime(inMinutes(5))}`);
  void clock
    .sleepUntil(inMinutes(75))
    .then(() => say(inMinutes(75), paint(`☾ quiet until ${quiet.quiet_hours_end}: the next nudge waits`, 35)));
  await readyToFinish.promise;
  await clock.sleepUntil(new Date(clock.now().getTime() + 6 * MINUTE_MS));
  await call('POST', `/v1/tasks/${id}/complete`);
  say(clock.now(), paint('✓ done, and silence', 32));
  const entries: { kind: string }[] = await call('GET', `/v1/tasks/${id}/timeline`);
  const kinds = entries.map(({ kind }) => kind).toReversed();
  console.log(`\n  Its timeline: ${kinds.join(' → ')}\n`);
}

function createClient(base: string, token?: string) {
  return async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const { ok, data, error } = (await response.json()) as { ok: boolean; data: never; error: string };
    if (!ok) throw new Error(`${method} ${path}: ${error}`);
    return data as Record<string, never> & never;
  };
}
