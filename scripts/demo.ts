/**
 * `npm run demo`: the real service on a database that is thrown away, with a clock that runs fast and
 * a phone that is drawn in the terminal. One task climbs its ladder, waits out a quiet hour, and is
 * done in the end. Takes about half a minute and leaves nothing behind.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/logger.ts';
import type { Gateway, NudgePush } from '../src/push/gateway.ts';
import { bodyOf } from '../src/push/wording.ts';

const SPEED = 360;
const MINUTE_MS = 60_000;
const TITLE = 'Take the medication';
const STRENGTHS = [
  { rungs: 1, word: 'a nudge', colour: 36 },
  { rungs: 3, word: 'firmer', colour: 33 },
  { rungs: 6, word: 'loud', colour: 31 },
];

const folder = mkdtempSync(join(tmpdir(), 'crescendo-demo-'));
const clock = systemClock(SPEED);
const mails: string[] = [];
const settled = Promise.withResolvers<void>();
const isColourful = process.stdout.isTTY && !process.env.NO_COLOR;

const paint = (text: string, colour: number) => (isColourful ? `\u001B[${colour}m${text}\u001B[0m` : text);
const wallClock = (at: Date) => at.toISOString().slice(11, 16);
const say = (at: Date, text: string) => console.log(`  ${paint(wallClock(at), 2)}  ${text}`);

/** The phone shows what a phone would, a longer bar for a stronger nudge. */
let steps = 0;
function show({ stage, task, nudgedAt }: NudgePush): void {
  const { rungs, word, colour } = STRENGTHS[stage] ?? { rungs: 0, word: 'heads-up', colour: 2 };
  const bar = '█'.repeat(rungs * 3).padEnd(20);
  steps += 1;
  say(nudgedAt, `${paint(bar, colour)} ${word.padEnd(8)} ${paint(task.title, 1)}: ${bodyOf(task, stage, nudgedAt)}`);
}

const phone: Gateway = {
  send: async (push) => {
    if (push.kind === 'nudge') show(push);
    if (steps === 6) settled.resolve();
    return { kind: 'accepted' };
  },
  room: () => 1,
  close: async () => undefined,
};

const service = await compose({
  config: loadConfig({ DATABASE_URL: `sqlite:${join(folder, 'demo.db')}`, DATA_DIR: folder, LOG_LEVEL: 'silent' }),
  ...{ version: 'demo', clock, wallClock: systemClock(), logger: createLogger('silent') },
  print: (text) => void mails.push(text),
  extra: { gateways: { apns: phone } },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => settled.resolve());
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
  const call = caller(base);
  await call('POST', '/v1/auth/email/request', { email: 'you@example.org' });
  const code = /is (\d{6})/.exec(mails[0] ?? '')?.[1];
  const { session_token } = await call('POST', '/v1/auth/email/verify', { email: 'you@example.org', code });
  const ask = caller(base, session_token);
  await ask('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32), push_env: 'production' });
  const quiet = { quiet_hours_start: wallClock(inMinutes(75)), quiet_hours_end: wallClock(inMinutes(140)) };
  await ask('PATCH', '/v1/me', quiet);
  console.log(`\nCrescendo, ${SPEED} times as fast as life: one task, until it is done.\n`);
  const { id } = await ask('POST', '/v1/tasks', { title: TITLE, due_at: inMinutes(5).toISOString(), has_time: true });
  say(startedAt, `“${TITLE}” is due at ${wallClock(inMinutes(5))}`);
  void clock
    .sleepUntil(inMinutes(75))
    .then(() => say(inMinutes(75), paint(`☾ quiet until ${quiet.quiet_hours_end}: the next nudge waits`, 35)));
  await settled.promise;
  await clock.sleepUntil(new Date(clock.now().getTime() + 6 * MINUTE_MS));
  await ask('POST', `/v1/tasks/${id}/complete`);
  say(clock.now(), paint('✓ done, and silence', 32));
  const entries: { kind: string }[] = await ask('GET', `/v1/tasks/${id}/timeline`);
  const told = entries.map(({ kind }) => kind).toReversed();
  console.log(`\n  Its timeline: ${told.join(' → ')}\n`);
}

function caller(base: string, token?: string) {
  return async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(base + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const { ok, data, error } = (await response.json()) as { ok: boolean; data: never; error: string };
    if (!ok) throw new Error(`${method} ${path}: ${error}`);
    return data as Record<string, never> & never;
  };
}
