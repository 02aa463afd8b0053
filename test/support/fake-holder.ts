import type { Clock } from '../../src/lib/clock.ts';
import type { AnyPush, ChannelHold, DayBudget, Gateway, PushResult } from '../../src/push/gateway.ts';

const BUDGET = 'there.test';

/** A message that waits at the provider. */
export interface HeldThere extends Pick<ChannelHold, 'title' | 'body' | 'stage'> {
  readonly at: Date;
  readonly userId: string;
}

/** A provider that holds messages and sounds them by itself, as ntfy does from 2.16 on. */
export class FakeHolder implements Gateway {
  readonly #clock: Clock;
  readonly waiting = new Map<string, HeldThere>();
  /** What it has sounded by itself. */
  readonly sounded: HeldThere[] = [];
  /** The stages of the nudges that it was sent. */
  readonly nudges: number[] = [];
  /** How many requests it had about held messages. */
  requests = 0;
  isAway = false;
  mostPerDay: number | null = null;
  /** It refuses to hold a message longer than this. */
  longestMs = Number.POSITIVE_INFINITY;
  /** Channels whose server cannot hold messages. */
  readonly unfit = new Set<string>();
  /** How long it was asked to hold messages. */
  readonly delays: number[] = [];
  /** Counts a message of the day. */
  countOfDay: (key: string) => Promise<unknown> = async () => undefined;
  readonly holds = {
    minMs: 30_000,
    maxMs: 3 * 86_400_000,
    isElsewhere: (server: string | null) => server !== 'https://here.test',
  };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(push: AnyPush): Promise<PushResult> {
    this.tick();
    if (this.isAway) return { kind: 'retry', reason: 'away' };
    if (this.mostPerDay !== null) await this.countOfDay(BUDGET);
    if (push.kind === 'channel_hold' || push.kind === 'channel_release') this.requests += 1;
    if (push.kind === 'channel_hold') {
      const { ref, title, body, stage, delayMs, target } = push;
      if (this.unfit.has(target.channelId)) return { kind: 'rejected', reason: 'cannot_hold' };
      if (delayMs > this.longestMs) return { kind: 'rejected', reason: 'too_far' };
      this.delays.push(delayMs);
      const at = new Date(this.#clock.now().getTime() + delayMs);
      this.waiting.set(ref, { at, title, body, stage, userId: target.userId });
      return { kind: 'accepted', ref };
    }
    if (push.kind === 'channel_release') this.waiting.delete(push.ref);
    if (push.kind === 'channel_nudge') this.nudges.push(push.stage);
    return { kind: 'accepted' };
  }

  /** Sounds what is due by now. */
  tick(): void {
    for (const [ref, message] of this.waiting) {
      if (message.at > this.#clock.now()) continue;
      this.waiting.delete(ref);
      this.sounded.push(message);
    }
  }

  /** When each waiting message would be sounded and how strongly, the soonest first. */
  get plan(): string[] {
    const inOrder = [...this.waiting.values()].toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.stage - b.stage);
    return inOrder.map(({ at, stage }) => `${at.toISOString().slice(0, 16)} ${stage}`);
  }

  findDayBudget(): DayBudget | null {
    return this.mostPerDay === null ? null : { key: BUDGET, most: this.mostPerDay };
  }

  capacity(): number {
    return 100;
  }

  async close(): Promise<void> {}
}
