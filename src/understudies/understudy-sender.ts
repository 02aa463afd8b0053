/**
 * Brings wishes to the providers that hold messages. One at a time to each server, so that nudges keep the other places.
 * The reference is stored before the first attempt: if an answer is lost, the next attempt replaces or takes back the
 * same message.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import type { Understudy } from '../db/tables/understudies.ts';
import { type BackOff, backOffMs, withJitter } from '../lib/back-off.ts';
import { type Clock, stopwatch } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { ChannelPush, Gateway, Gateways, PushResult } from '../push/gateway.ts';
import { LOOKED_AT_AGAIN, type UnderstudyContent } from './plan-understudies.ts';
import { understudyText } from './understudy-text.ts';
import {
  findNextWishAt,
  forgetUnderstudy,
  laneOf,
  leaseWishes,
  listKnownRefs,
  recordFailure,
  recordHeld,
  recordReleased,
} from './wishes.store.ts';

interface SenderParts {
  readonly db: Db;
  readonly clock: Clock;
  /** Real time. */
  readonly wallClock: Clock;
  readonly clockSpeed: number;
  readonly gateways: Gateways;
  readonly schema: SchemaWatch;
  readonly logger: Logger;
  /** Names a task in messages that hide its title. */
  readonly codeOf: (taskId: string) => string;
  /** Whether the message may still be held. If not, the person is looked at again. */
  readonly mayHold: (wish: Understudy) => Promise<boolean>;
  readonly onTooFar: (server: string, userId: string, delayMs: number) => void;
  readonly onUnfit: (channelId: string, userId: string) => void;
  readonly counts: UnderstudyCounts;
  /** Called when a server has answered everything: a newer wish may have waited for that. */
  readonly onAnswered: () => void;
  /** Whether nudges are being sent at this moment. */
  readonly isNudging: () => boolean;
}

/** For the metrics. */
export interface UnderstudyCounts {
  placed: number;
  moved: number;
  cancelled: number;
  sounded: number;
  failed: number;
}

const AT_ONCE = 50;
const SEND_WITHIN_MS = 6_000;
const MOST_LANES = 200;
/** The wish of a process that died is free again after this. */
const LEASE_MS = 30_000;
const YIELD_MS = 20;
const LONGEST_YIELD_MS = 5_000;
const BACK_OFF: BackOff = { firstMs: 2_000, longestMs: 60_000 };
/** After a refusal that another attempt would not change. No attempt waits longer. */
const LONGEST_WAIT_MS = 900_000;
/** Reasons for which another channel of the person should hold their messages. */
const UNFIT = new Set(['same_machine', 'server_too_old', 'cannot_hold', 'not_configured']);
/** The look that follows takes it back, or wants it at another moment. */
const NOT_ANY_MORE: PushResult = { kind: 'retry', reason: LOOKED_AT_AGAIN, afterMs: 30_000, isUnsent: true };
/**
 * What could not be taken back is tried until its moment has passed by this, and so often: a clock that was set forward
 * makes the moment pass here and not at the provider.
 */
const FORGOTTEN_AFTER_MS = 3_600_000;
const FORGOTTEN_AFTER_ATTEMPTS = 60;

export class UnderstudySender {
  readonly #parts: SenderParts;
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #waiting = new Map<string, Understudy[]>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  get isIdle(): boolean {
    return this.#lanes.size === 0;
  }

  /** Resolves when everything in flight is answered. */
  async stop(): Promise<void> {
    await Promise.all(this.#lanes.values());
  }

  async runAll(signal: AbortSignal): Promise<Date | null> {
    const { db, wallClock, schema, isNudging } = this.#parts;
    const waitedMs = stopwatch();
    while (!signal.aborted && !schema.isOutdated) {
      // Nudges come first.
      while (isNudging() && waitedMs() < LONGEST_YIELD_MS && !signal.aborted) await delay(YIELD_MS);
      const now = wallClock.now();
      // What waits longer has an attempt from before the clock was set back.
      const latest = new Date(now.getTime() + LONGEST_WAIT_MS);
      const lease = { now, latest, until: new Date(now.getTime() + LEASE_MS) };
      const wishes = await leaseWishes(db, lease, AT_ONCE, [...this.#lanes.keys()]);
      for (const wish of wishes) this.#add(wish, signal);
      if (wishes.length < AT_ONCE) break;
      // Servers that do not answer keep none of the others waiting.
      if (this.#lanes.size >= MOST_LANES) await Promise.race([...this.#lanes.values(), delay(SEND_WITHIN_MS)]);
    }
    return findNextWishAt(db, [...this.#lanes.keys()]);
  }

  #add(wish: Understudy, signal: AbortSignal): void {
    const lane = laneOf(wish);
    const waiting = this.#waiting.get(lane) ?? [];
    this.#waiting.set(lane, [...waiting, wish]);
    if (this.#lanes.has(lane)) return;
    const running = this.#drain(lane, signal).finally(() => {
      this.#lanes.delete(lane);
      this.#parts.onAnswered();
    });
    this.#lanes.set(lane, running);
  }

  async #drain(lane: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const [next, ...rest] = this.#waiting.get(lane) ?? [];
      if (!next || signal.aborted) break;
      this.#waiting.set(lane, rest);
      // Its lease may be over before it is answered: then another attempt brings it.
      if (next.next_attempt_at.getTime() <= this.#parts.wallClock.now().getTime() + SEND_WITHIN_MS) continue;
      await this.#send(next).catch((error) =>
        this.#parts.logger.error({ err: error, understudy_id: next.id }, 'a held message could not be brought'),
      );
    }
    this.#waiting.delete(lane);
  }

  async #send(wish: Understudy): Promise<void> {
    const { gateways, wallClock } = this.#parts;
    const gateway = gateways[wish.provider];
    const delayMs = this.#delayOf(wish, gateway?.holds?.minMs ?? 0);
    const result = await this.#bring(wish, gateway, delayMs);
    if (result.kind === 'accepted') await this.#accepted(wish, result.ref ?? wish.ref, wallClock.now());
    else await this.#failed(wish, result, delayMs);
  }

  async #bring(wish: Understudy, gateway: Gateway | undefined, delayMs: number): Promise<PushResult> {
    if (!gateway) return { kind: 'rejected', reason: 'not_configured' };
    // What is only taken back never waits.
    if (wish.sounds_at !== null && !(await this.#parts.mayHold(wish))) return NOT_ANY_MORE;
    return gateway.send(this.#toPush(wish, delayMs), AbortSignal.timeout(SEND_WITHIN_MS));
  }

  #delayOf({ sounds_at }: Understudy, minMs: number): number {
    const { clock, clockSpeed } = this.#parts;
    const restMs = ((sounds_at?.getTime() ?? 0) - clock.now().getTime()) / clockSpeed;
    return Math.max(restMs, minMs);
  }

  #toPush(wish: Understudy, delayMs: number): ChannelPush {
    const { channel_id: channelId, user_id: userId, address: sealed, stage, sounds_at, attempts } = wish;
    const { db, clock, codeOf } = this.#parts;
    const content = JSON.parse(wish.content) as UnderstudyContent;
    const isPrivate = content.isPrivate ?? true;
    // What a server holds has no links.
    const addressId = '';
    const target = { channelId, userId, sealed, email: null, addressId, isPrivate, isProven: true, lastEntryId: null };
    const held = {
      target,
      ref: wish.ref,
      isRetry: attempts > 1,
      known: (refs: readonly string[]) => listKnownRefs(db, wish, refs),
    };
    if (sounds_at === null) return { kind: 'channel_release', ...held };
    return { kind: 'channel_hold', ...held, ...understudyText(content, clock.now(), codeOf), stage, delayMs };
  }

  async #accepted(wish: Understudy, ref: string, wallNow: Date): Promise<void> {
    const { db, clock, clockSpeed, gateways, counts } = this.#parts;
    if (wish.sounds_at === null) {
      counts.cancelled += 1;
      await recordReleased(db, wish, wallNow);
    } else {
      counts[wish.stored_version === 0 ? 'placed' : 'moved'] += 1;
      // A provider holds nothing for a shorter time.
      const soonestMs = clock.now().getTime() + (gateways[wish.provider]?.holds?.minMs ?? 0) * clockSpeed;
      const heldUntil = new Date(Math.max(wish.sounds_at.getTime(), soonestMs));
      await recordHeld(db, wish, { ref, heldUntil, wallNow });
    }
  }

  async #failed(wish: Understudy, result: Exclude<PushResult, { kind: 'accepted' }>, delayMs: number): Promise<void> {
    const { db, clock, wallClock, counts, onTooFar, onUnfit } = this.#parts;
    if (result !== NOT_ANY_MORE) counts.failed += 1;
    const isOver = (wish.held_until?.getTime() ?? 0) + FORGOTTEN_AFTER_MS < clock.now().getTime();
    const isTried = wish.attempts >= FORGOTTEN_AFTER_ATTEMPTS;
    if (wish.sounds_at === null && isOver && isTried) return forgetUnderstudy(db, wish);
    if (result.reason === 'too_far' && wish.server !== null) onTooFar(wish.server, wish.user_id, delayMs);
    if (UNFIT.has(result.reason)) onUnfit(wish.channel_id, wish.user_id);
    const askedMs = result.kind === 'retry' ? (result.afterMs ?? 0) : 0;
    const isFinal = result.kind === 'rejected' || result.kind === 'gone';
    const waitMs = isFinal
      ? LONGEST_WAIT_MS
      : Math.min(Math.max(askedMs, withJitter(backOffMs(BACK_OFF, wish.attempts), Math.random())), LONGEST_WAIT_MS);
    const wallNow = wallClock.now();
    await recordFailure(db, wish, result.reason, new Date(wallNow.getTime() + waitMs), wallNow);
  }
}
