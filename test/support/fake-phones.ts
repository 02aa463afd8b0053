/** A gateway that records every nudge it accepted and answers as a test tells it to. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { newId } from '../../src/lib/ids.ts';
import type { Gateway, NudgePush, Platform, Push, PushResult } from '../../src/push/gateway.ts';
import type { FakeClock } from './fake-clock.ts';
import type { TestApp } from './test-app.ts';

export interface Shown {
  readonly at: Date;
  readonly push: NudgePush;
}

const ACCEPTED: PushResult = { kind: 'accepted' };

export class FakePhones implements Gateway {
  readonly #clock: FakeClock;
  /** Every accepted nudge. */
  readonly shown: Shown[] = [];
  /** How many pushes were sent, accepted or not. */
  attempts = 0;
  /** The result of the next pushes. */
  answer: (push: Push, signal: AbortSignal) => PushResult | Promise<PushResult> = () => ACCEPTED;
  capacityLeft = 1_000;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async send(push: Push, signal: AbortSignal): Promise<PushResult> {
    this.attempts += 1;
    const result = await this.answer(push, signal);
    if (result.kind === 'accepted' && push.kind === 'nudge') this.shown.push({ at: this.#clock.now(), push });
    return result;
  }

  capacity(): number {
    return this.capacityLeft;
  }

  async close(): Promise<void> {}

  /** The nudges since the last call, as "time stage title", sorted as text. */
  take(): string[] {
    const lines = this.shown
      .splice(0)
      .map(({ at, push }) => `${at.toISOString().slice(0, 16)} ${push.stage} ${push.task.title}`);
    return lines.toSorted();
  }

  expect(...lines: readonly string[]): void {
    assert.deepEqual(this.take(), lines);
  }
}

/** Registers a device for a user. */
export async function addDevice(app: TestApp, userId: string, platform: Platform = 'ios'): Promise<string> {
  const id = newId();
  const token = id.replaceAll('-', '').repeat(2);
  const now = app.clock.now();
  await app.db
    .insertInto('devices')
    .values({
      id,
      user_id: userId,
      platform,
      token,
      token_hash: createHash('sha256').update(token).digest('hex'),
      push_env: 'production',
      keys: null,
      start_token: null,
      valid: true,
      invalid_reason: null,
      last_seen_at: null,
      registered_at: now,
      created_at: now,
    })
    .execute();
  return id;
}
