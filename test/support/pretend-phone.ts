/** Phones that are nothing but a list of what they were shown, behind a gateway that does as it is told. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { newId } from '../../src/lib/ids.ts';
import type { Gateway, NudgePush, Platform, Push, PushResult } from '../../src/push/gateway.ts';
import type { Bed } from './bed.ts';
import type { FakeClock } from './fake-clock.ts';

export interface Shown {
  readonly at: Date;
  readonly push: NudgePush;
}

const ACCEPTED: PushResult = { kind: 'accepted' };

export class PretendPhones implements Gateway {
  readonly #clock: FakeClock;
  /** Every push that was taken. */
  readonly shown: Shown[] = [];
  /** Every push that was tried, taken or not. */
  tries = 0;
  /** What the provider answers; a promise is waited for. */
  answer: (push: Push, signal: AbortSignal) => PushResult | Promise<PushResult> = () => ACCEPTED;
  roomLeft = 1_000;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async send(push: Push, signal: AbortSignal): Promise<PushResult> {
    this.tries += 1;
    const result = await this.answer(push, signal);
    if (result.kind === 'accepted' && push.kind === 'nudge') this.shown.push({ at: this.#clock.now(), push });
    return result;
  }

  room(): number {
    return this.roomLeft;
  }

  async close(): Promise<void> {}

  /** What was shown since the last time this was asked, as "time stage title"; of one moment, in the order of the alphabet. */
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

/** Puts a device into a person's pocket. */
export async function addDevice(bed: Bed, userId: string, platform: Platform = 'ios'): Promise<string> {
  const id = newId();
  const token = id.replaceAll('-', '').repeat(2);
  const now = bed.clock.now();
  await bed.db
    .insertInto('devices')
    .values({
      ...{ id, user_id: userId, platform, token, token_hash: createHash('sha256').update(token).digest('hex') },
      ...{ push_env: 'production', keys: null, start_token: null, valid: true, invalid_reason: null },
      ...{ last_seen_at: null, registered_at: now, created_at: now },
    })
    .execute();
  return id;
}
