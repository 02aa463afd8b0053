/**
 * Sends the deliveries of one provider. Providers are independent, so a slow one delays only its own
 * pushes. It leases no more deliveries than its gateway can put on the wire at once: the rest waits in
 * the table, where closing the task can still cancel it.
 *
 * Accounts take turns at the outbox. And an account may have no more in hand than there is capacity left, so that a
 * slow provider always has capacity for another account: one alone uses half, two a third each.
 */
import { setMaxListeners } from 'node:events';
import type { Db } from '../db/schema.ts';
import { attemptsUsed, type DeliveryResult, toDeliveryResult } from '../deliveries/delivery-result.ts';
import { recordRefs } from '../deliveries/messages.store.ts';
import {
  type DeadToken,
  findAttempts,
  findNextAttemptAt,
  hastenDeliveries,
  hastenRetries,
} from '../deliveries/outbox.store.ts';
import { leaseFromOutbox } from '../deliveries/outbox.ts';
import type { DeliveryKey, OutgoingPush } from '../deliveries/outgoing-push.ts';
import type { ResultWriter } from '../deliveries/result-writer.ts';
import { LONGEST_ASKED_MS } from '../deliveries/retry-policy.ts';
import { UnstoredSends } from '../deliveries/unstored-sends.ts';
import type { BatchSize } from '../lib/batch-size.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { Turns } from '../limits/turns.ts';
import {
  type AnyPush,
  type Gateway,
  isDeviceProvider,
  type MessageLimits,
  type Provider,
  type PushResult,
} from '../push/gateway.ts';
import { Outage } from './outage.ts';

export interface ProviderDispatchParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly results: ResultWriter;
  readonly batchSize: BatchSize;
  readonly leaseMs: number;
  /** A send that takes longer is abandoned, well before its lease runs out; a gateway may take longer for both. */
  readonly sendWithinMs: number;
  readonly checkEveryMs: number;
  readonly logger: Logger;
}

const MAX_IN_HAND = 2_000;
/** Deliveries that an account may lease in a round. */
const SHARE = 200;
const HASTENED_AT_ONCE = 200;
const LOG_REFUSALS_EVERY_MS = 600_000;
const CONTENTION_DELAY_MS = 100;
/**
 * How far a lease or a retry may lie beyond the longest legitimate wait before the clock must have been set back. The
 * clocks of two machines may differ by less.
 */
const CLOCK_TOLERANCE_MS = 60_000;

export class ProviderDispatch {
  readonly #provider: Provider;
  readonly #gateway: Gateway;
  readonly #isOfChannels: boolean;
  readonly #parts: ProviderDispatchParts;
  readonly #loop: Loop;
  readonly #sending = new Set<Promise<void>>();
  readonly #unstored = new UnstoredSends();
  /** Leased, and the result not stored yet. */
  #inHand = 0;
  /** Capacity reserved for a sweep whose transaction is under way. */
  #reserved = 0;
  /** Both of these, by account. */
  readonly #heldBy = new Map<string, number>();
  readonly #turns = new Turns(() => SHARE);
  /** The outbox may hold more than there was capacity for, in total or for one account. */
  #isOutOfCapacity = false;
  #refusalLoggedAt = Number.NEGATIVE_INFINITY;
  readonly #outage = new Outage();

  constructor(provider: Provider, gateway: Gateway, parts: ProviderDispatchParts) {
    this.#provider = provider;
    this.#gateway = gateway;
    this.#isOfChannels = !isDeviceProvider(provider);
    const { sendWithinMs = parts.sendWithinMs } = gateway;
    this.#parts = { ...parts, sendWithinMs, leaseMs: parts.leaseMs + sendWithinMs - parts.sendWithinMs };
    this.#loop = new Loop({
      name: `dispatch ${provider}`,
      clock: parts.wallClock,
      logger: parts.logger,
      checkEveryMs: parts.checkEveryMs,
      work: (signal) => this.#sendDue(signal),
    });
  }

  get limits(): MessageLimits | undefined {
    return this.#gateway.limits;
  }

  start(): void {
    this.#loop.start();
  }

  /** Leases nothing more, and resolves when everything in flight has been answered. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#sending);
  }

  /** Reserves capacity for one push, if there is any for this account. */
  reserve(ownerId: string): boolean {
    if (this.#heldByOwner(ownerId) >= this.#capacity()) return false;
    this.#reserved += 1;
    this.#hold(ownerId, 1);
    return true;
  }

  release(ownerId: string): void {
    this.#reserved -= 1;
    this.#hold(ownerId, -1);
  }

  #hold(ownerId: string, change: 1 | -1): void {
    const held = this.#heldByOwner(ownerId) + change;
    if (held === 0) this.#heldBy.delete(ownerId);
    else this.#heldBy.set(ownerId, held);
  }

  #heldByOwner(ownerId: string): number {
    return this.#heldBy.get(ownerId) ?? 0;
  }

  #capacity(): number {
    return Math.min(MAX_IN_HAND - this.#inHand, this.#gateway.capacity()) - this.#reserved;
  }

  checkOutbox(): void {
    this.#loop.wake();
  }

  isIdle(): boolean {
    return this.#inHand === 0 && this.#loop.isIdle();
  }

  sendReserved(pushes: readonly OutgoingPush[]): void {
    for (const { ownerId } of pushes) this.release(ownerId);
    this.#sendAll(pushes);
  }

  #sendAll(pushes: readonly OutgoingPush[]): void {
    if (pushes.length === 0) return;
    const signal = AbortSignal.timeout(this.#parts.sendWithinMs);
    setMaxListeners(0, signal);
    this.#inHand += pushes.length;
    for (const push of pushes) {
      this.#hold(push.ownerId, 1);
      this.#unstored.add(idOf(push.key));
      const sending = this.#send(push, signal).finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    }
  }

  async #sendDue(signal: AbortSignal): Promise<Date | null> {
    const { batchSize } = this.#parts;
    const due = await this.#findDue();
    if (due !== 'now') return due;
    while (!signal.aborted) {
      const crowding = this.#crowding();
      // Half, because all of it may belong to one account.
      const most = Math.min(Math.ceil(this.#capacity() / 2), batchSize.size);
      this.#isOutOfCapacity = most <= 0 || crowding.length > 0;
      if (most <= 0) return null;
      const except = [...this.#turns.spent, ...crowding];
      const count = await this.#unstored.whileLeasing(() => this.#sendSome(most, except));
      if (count < most && !this.#turns.claimed(count, most)) {
        if (!(await this.#hastenRetries())) return this.#nextCheckAt(crowding);
      }
    }
    return null;
  }

  /** When the first delivery is due. A clock that was set back has left some too far in the future: these are due now. */
  async #findDue(): Promise<Date | null | 'now'> {
    const { db, wallClock } = this.#parts;
    const now = wallClock.now();
    const latest = new Date(now.getTime() + LONGEST_ASKED_MS + CLOCK_TOLERANCE_MS);
    const { first, last } = await findAttempts(db, this.#provider);
    if (last && last > latest) await hastenDeliveries(db, this.#provider, now, latest);
    else if (!this.#outage.hastenedUpTo && (!first || first > now)) return first;
    return 'now';
  }

  /**
   * After an outage the waiting deliveries do not wait out their back-off: each is sent once, a few at a time.
   * Returns whether there were any.
   */
  async #hastenRetries(): Promise<boolean> {
    const { hastenedUpTo } = this.#outage;
    if (!hastenedUpTo) return false;
    const { db, wallClock, leaseMs } = this.#parts;
    const now = wallClock.now();
    // One that is due within the time of a lease may be in flight.
    const after = new Date(Math.max(hastenedUpTo.getTime(), now.getTime() + leaseMs));
    const upTo = await hastenRetries(db, this.#provider, { now, after, limit: HASTENED_AT_ONCE });
    this.#outage.hastened(upTo);
    return upTo !== null;
  }

  /** Returns how many deliveries were leased. */
  async #sendSome(most: number, exceptOwners: readonly string[]): Promise<number> {
    const { count, pushes, unsent } = await leaseFromOutbox(
      { ...this.#parts, limits: this.#gateway.limits },
      this.#provider,
      most,
      exceptOwners,
    );
    await recordRefs(
      this.#parts.db,
      pushes.map(({ key, push }) => ({ ...key, ref: this.#gateway.refOf?.(push) ?? null })),
    );
    for (const { ownerId } of [...pushes, ...unsent]) this.#turns.use(ownerId, 1);
    for (const { key, ownerId, attempts, result } of unsent) {
      this.#inHand += 1;
      this.#hold(ownerId, 1);
      this.#store({ key, ownerId }, attempts, result, null, false);
    }
    // A delivery whose result could not be stored in time comes back when its lease is over.
    this.#sendAll(pushes.filter(({ key }) => !this.#unstored.has(idOf(key))));
    return count;
  }

  /** The accounts that have as much in hand as there is capacity left. */
  #crowding(): string[] {
    const capacity = this.#capacity();
    return [...this.#heldBy].flatMap(([ownerId, held]) => (held >= capacity ? [ownerId] : []));
  }

  /** What belongs to an account without capacity is checked when one of its results is stored. */
  async #nextCheckAt(crowding: readonly string[]): Promise<Date | null> {
    const next = await findNextAttemptAt(this.#parts.db, this.#provider, crowding);
    const soonest = new Date(this.#parts.wallClock.now().getTime() + CONTENTION_DELAY_MS);
    // A delivery that is due but was not leased is locked by another engine.
    return next && next < soonest ? soonest : next;
  }

  async #send({ key, ownerId, attempt, createdAt, push }: OutgoingPush, signal: AbortSignal): Promise<void> {
    const startedAt = this.#parts.wallClock.now();
    const result = await this.#gateway.send(push, signal).catch((error: unknown): PushResult => {
      this.#parts.logger.error({ err: error, ...this.#logContext(key, push) }, 'a push gateway failed');
      return { kind: 'retry', reason: 'gateway_failed' };
    });
    if (result.kind === 'misconfigured') this.#logRefusal(result.reason, key, push);
    if (this.#outage.ends(result, this.#parts.wallClock.now())) this.#loop.wake();
    const deadToken = result.kind === 'gone' ? toDeadToken(key, push, result, startedAt) : null;
    const attempts = attemptsUsed(result, attempt, this.#parts.clock.now().getTime() - createdAt.getTime());
    this.#store({ key, ownerId }, attempts, toDeliveryResult(result, attempts, Math.random()), deadToken);
  }

  #store(
    { key: { entry_id, target_id, kind }, ownerId }: Pick<OutgoingPush, 'key' | 'ownerId'>,
    attempts: number,
    { status, waitsFor, reason, retryInMs, ref = null }: DeliveryResult,
    deadToken: DeadToken | null,
    /** Whether the gateway was asked: otherwise the result says nothing about the channel. */
    isSent = true,
  ): void {
    const { wallClock, results } = this.#parts;
    const next_attempt_at = new Date(wallClock.now().getTime() + (retryInMs ?? 0));
    const printed = reason && printable(reason);
    const waits_for = waitsFor ?? null;
    const row = { entry_id, target_id, kind, status, waits_for, reason: printed, attempts, next_attempt_at, ref };
    const onStored = () => {
      this.#inHand -= 1;
      this.#hold(ownerId, -1);
      this.#unstored.stored(idOf(row));
      if (this.#isOutOfCapacity && this.#capacity() > 0) this.#loop.wake();
      else if (retryInMs !== undefined) this.#loop.wake(next_attempt_at);
    };
    const channel = this.#isOfChannels && isSent ? { id: target_id, error: printed } : null;
    results.write({ row, deadToken, channel, onStored });
  }

  /** At most one line in ten minutes: the cause may be one browser bound to another key, or all devices. */
  #logRefusal(reason: string, key: DeliveryKey, push: AnyPush): void {
    const now = this.#parts.wallClock.now().getTime();
    if (now - this.#refusalLoggedAt < LOG_REFUSALS_EVERY_MS) return;
    this.#refusalLoggedAt = now;
    const context = { ...this.#logContext(key, push), reason: printable(reason) };
    this.#parts.logger.error(context, 'a push provider refuses our credentials');
  }

  /** Identifies the push target in logs: the channel, the device, or the Live Activity for activity updates. */
  #logContext({ target_id, kind }: DeliveryKey, push: AnyPush) {
    const name = this.#isOfChannels ? 'channel_id' : /nudge|activity_start/.test(kind) ? 'device_id' : 'activity_id';
    return { provider: this.#provider, kind, ...('task' in push && { task_id: push.task.id }), [name]: target_id };
  }
}

const idOf = ({ entry_id, target_id, kind }: DeliveryKey) => `${entry_id} ${target_id} ${kind}`;

const LONGEST_REASON = 200;

/** The text comes from a provider and is stored together with a whole batch: PostgreSQL must not refuse it. */
const printable = (reason: string) => reason.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_REASON);

function toDeadToken(
  { kind, target_id }: DeliveryKey,
  { target }: AnyPush,
  gone: Extract<PushResult, { kind: 'gone' }>,
  sentAt: Date,
): DeadToken {
  const since = gone.since && !Number.isNaN(gone.since.getTime()) ? gone.since : sentAt;
  const isChannel = 'channelId' in target;
  return { kind, target_id, isChannel, token: isChannel ? '' : target.token, reason: printable(gone.reason), since };
}
