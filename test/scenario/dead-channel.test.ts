/**
 * Many nudges due at once over six channels, one of which never answers. What is shown is counted, not timed; a full
 * run prints how much longer the others took than with six that answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../src/db/schema.ts';
import { type Clock, stopwatch, systemClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import type { AnyPush, Gateway, PushResult } from '../../src/push/gateway.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, type EngineName, onEveryEngine } from '../support/engines.ts';
import { LoneEngine } from '../support/lone-engine.ts';
import { IS_FULL, sized } from '../support/size.ts';
import { channelRow } from '../support/stored-channel.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROVIDERS = ['email', 'webhook', 'ntfy', 'telegram', 'pushover', 'apprise'];
const DEAD = 'ntfy';
const TASKS_EACH = 10;
const TASKS = sized(150, 10_000);
const PLACES = 50;
const HOUR_MS = 3_600_000;
const WITHIN_MS = sized(30_000, 300_000);

/** A provider with a limited number of places in flight. */
class Provider implements Gateway {
  readonly shown = new Set<string>();
  /** Sends wait for it, if there is one. */
  readonly #silence: Promise<void> | undefined;
  inFlight = 0;

  constructor(silence?: Promise<void>) {
    this.#silence = silence;
  }

  async send(push: AnyPush): Promise<PushResult> {
    this.inFlight += 1;
    await (this.#silence ?? setImmediate());
    this.inFlight -= 1;
    if (push.kind === 'channel_nudge') this.shown.add(push.entryId);
    return { kind: 'accepted' };
  }

  capacity(): number {
    return PLACES - this.inFlight;
  }

  async close(): Promise<void> {}
}

/**
 * Runs, and can be set forward. By one that stands still, a dispatch that waits 100 ms for its next claim waits until
 * it is woken or checks by itself.
 */
class RunningClock implements Clock {
  readonly #system = systemClock();
  #aheadMs = 0;

  now(): Date {
    return new Date(this.#system.now().getTime() + this.#aheadMs);
  }

  sleepUntil(at: Date, signal?: AbortSignal): Promise<void> {
    return this.#system.sleepUntil(new Date(at.getTime() - this.#aheadMs), signal);
  }

  setForward(byMs: number): void {
    this.#aheadMs += byMs;
  }
}

/** Stores owners with tasks that are due in an hour, each with one channel. Returns how many nudges each provider must show. */
async function insertOwners(db: Db, now: Date): Promise<ReadonlyMap<string, number>> {
  const owners = await insertDueTasks(db, {
    tasks: TASKS,
    owners: TASKS / TASKS_EACH,
    dueAt: new Date(now.getTime() + HOUR_MS),
    withDevices: false,
  });
  const channels = owners.map((user_id, index) =>
    channelRow(now, { user_id, provider: PROVIDERS[index % PROVIDERS.length] ?? '' }),
  );
  // Mail is sent to people who have opened the app.
  const expires_at = new Date(now.getTime() + 90 * 86_400_000);
  const sessions = owners.map((user_id) => ({
    id: newId(),
    user_id,
    token_hash: user_id,
    created_at: now,
    expires_at,
  }));
  for (let start = 0; start < owners.length; start += 500) {
    const end = start + 500;
    await db.insertInto('channels').values(channels.slice(start, end)).execute();
    await db.insertInto('sessions').values(sessions.slice(start, end)).execute();
  }
  const ofProvider = Map.groupBy(channels, ({ provider }) => provider);
  return new Map([...ofProvider].map(([provider, own]) => [provider, own.length * TASKS_EACH]));
}

/** Lets everything be due at once. Resolves with the milliseconds until the others have shown all of theirs. */
async function showAll(engine: EngineName, isOneDead: boolean): Promise<number> {
  await using closing = new AsyncDisposableStack();
  const database = closing.adopt(await createDatabase(engine), ({ drop }) => drop());
  const silence = Promise.withResolvers<void>();
  const dead = new Provider(isOneDead ? silence.promise : undefined);
  const others = Object.fromEntries(PROVIDERS.filter((name) => name !== DEAD).map((name) => [name, new Provider()]));
  const gateways = { ...others, [DEAD]: dead };
  const clock = new RunningClock();
  const running = closing.use(new LoneEngine({ engine, databaseUrl: database.url, clock, gateways }));
  closing.defer(() => silence.resolve());
  const wanted = await insertOwners(running.db, clock.now());
  const hasShown = (name: string, provider: Provider) => provider.shown.size === wanted.get(name);
  clock.setForward(HOUR_MS);
  const elapsedMs = stopwatch();
  running.wakeUp();
  await waitUntil(() => Object.entries(others).every(([name, provider]) => hasShown(name, provider)), WITHIN_MS);
  const tookMs = elapsedMs();
  if (isOneDead) {
    await waitUntil(() => dead.inFlight > 0);
    assert.ok(dead.inFlight <= PLACES, `${dead.inFlight} in flight`);
    assert.equal(dead.shown.size, 0);
    silence.resolve();
  }
  await waitUntil(() => hasShown(DEAD, dead), WITHIN_MS);
  return tookMs;
}

onEveryEngine((engine) => {
  test('while one provider of channels does not answer, every nudge through the others is sent', async (context) => {
    const tookMs = await showAll(engine, true);
    if (!IS_FULL) return;
    const aliveMs = await showAll(engine, false);
    context.diagnostic(`${Math.round(tookMs)} ms with a dead provider, ${Math.round(aliveMs)} ms without`);
  });
});
