/** Many nudges due at once over six channels, one of which never answers. What is shown is counted, not timed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { toStageBits } from '../../src/escalation/ladder.ts';
import { newId } from '../../src/lib/ids.ts';
import type { AnyPush, Gateway, PushResult } from '../../src/push/gateway.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MortalEngine } from '../support/mortal-engine.ts';
import { sized } from '../support/size.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROVIDERS = ['email', 'webhook', 'ntfy', 'telegram', 'pushover', 'apprise'];
const DEAD = 'ntfy';
const TASKS = sized(300, 1_200);
const OWNERS = TASKS / 10;
const PLACES = 50;

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

onEveryEngine((engine) => {
  test('while one provider of channels does not answer, every nudge through the others is sent', async () => {
    await using closing = new AsyncDisposableStack();
    const database = closing.adopt(await createDatabase(engine), ({ drop }) => drop());
    const clock = new FakeClock();
    const silence = Promise.withResolvers<void>();
    const providers = Object.fromEntries(
      PROVIDERS.map((name) => [name, name === DEAD ? new Provider(silence.promise) : new Provider()]),
    );
    const dead = providers[DEAD];
    assert.ok(dead);
    const others = Object.values(providers).filter((provider) => provider !== dead);
    const parts = { engine, databaseUrl: database.url, clock, gateways: providers };
    const running = closing.use(new MortalEngine(parts));
    closing.defer(() => silence.resolve());
    const now = clock.now();
    const owners = await insertDueTasks(running.db, {
      tasks: TASKS,
      owners: OWNERS,
      dueAt: new Date(now.getTime() + 3_600_000),
      withDevices: false,
    });
    const channels = owners.map((user_id, index) => ({
      id: newId(),
      user_id,
      provider: PROVIDERS[index % PROVIDERS.length] ?? '',
      name: null,
      address: 'sealed',
      address_hash: 'x',
      label: '',
      stages: toStageBits([0, 1, 2]),
      tier: 0,
      private_title: false,
      automatic: false,
      verified_at: now,
      valid: true,
      invalid_reason: null,
      refusals: 0,
      last_error: null,
      registered_at: now,
      created_at: now,
    }));
    for (let start = 0; start < channels.length; start += 500) {
      await running.db
        .insertInto('channels')
        .values(channels.slice(start, start + 500))
        .execute();
    }
    // Mail is sent to people who have opened the app.
    const sessions = owners.map((user_id) => ({ id: newId(), user_id, token_hash: user_id, created_at: now }));
    const expires_at = new Date(now.getTime() + 90 * 86_400_000);
    for (let start = 0; start < sessions.length; start += 500) {
      const some = sessions.slice(start, start + 500).map((session) => ({ ...session, expires_at }));
      await running.db.insertInto('sessions').values(some).execute();
    }
    clock.set(new Date(now.getTime() + 3_600_000).toISOString());
    running.wakeUp();
    const ofOthers = TASKS - owners.filter((_owner, index) => PROVIDERS[index % PROVIDERS.length] === DEAD).length * 10;
    // A dispatch that waits a moment for its next claim waits by the clock, which stands still.
    await waitUntil(() => {
      running.wakeUp();
      return others.reduce((sum, { shown }) => sum + shown.size, 0) === ofOthers;
    });
    await waitUntil(() => dead.inFlight > 0);
    assert.ok(dead.inFlight <= PLACES);
    assert.equal(dead.shown.size, 0);
    silence.resolve();
    await waitUntil(() => {
      running.wakeUp();
      return dead.shown.size === TASKS - ofOthers;
    });
  });
});
