/**
 * Sends the deliveries of one provider. Providers are independent, so a slow one delays only its own pushes. A dispatch
 * leases no more deliveries than its gateway can send at once, in all and to each server (`places.ts`). Accounts take
 * turns at the outbox.
 */
import { setMaxListeners } from 'node:events';
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { attemptsUsed, type DeliveryResult, toDeliveryResult } from '../deliveries/delivery-result.ts';
import {
  type DueDelivery,
  type Except,
  findNextAttemptAt,
  isNothing,
  leaseChosen,
  leaseDeliveries,
  listDue,
} from '../deliveries/leases.store.ts';
import { recordRefs } from '../deliveries/messages.store.ts';
import {
  type DeadToken,
  type Delivery,
  findAttempts,
  hastenDeliveries,
  hastenRetries,
} from '../deliveries/outbox.store.ts';
import { preparePushes } from '../deliveries/outbox.ts';
import { type DeliveryKey, type OutgoingPush, type Place, placeOf } from '../deliveries/outgoing-push.ts';
import type { Prepared } from '../deliveries/prepared-pushes.ts';
import type { ResultWriter } from '../deliveries/result-writer.ts';
import { LONGEST_ASKED_MS } from '../deliveries/retry-policy.ts';
import { UnstoredSends } from '../deliveries/unstored-sends.ts';
import type { BatchSize } from '../lib/batch-size.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { Turns } from '../limits/turns.ts';
import { type Gateway, isDeviceProvider, type MessageLimits, type Provider, type PushResult } from '../push/gateway.ts';
import { Outage } from './outage.ts';
import { Places } from './places.ts';
import { ProviderLog } from './provider-log.ts';
import { printable, toDeadToken } from './push-answers.ts';

export interface ProviderDispatchParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly wallClock: Clock;
  /** How much faster than real time the service's clock runs. */
  readonly clockSpeed?: number | undefined;
  readonly results: ResultWriter;
  readonly batchSize: BatchSize;
  readonly leaseMs: number;
  /** A send that takes longer is abandoned, well before its lease runs out. A gateway may need more time for both. */
  readonly sendWithinMs: number;
  readonly checkEveryMs: number;
  readonly schema: SchemaWatch;
  readonly logger: Logger;
}

/** For a provider with servers: a claim reads this many due deliveries and leases the ones that have a place. */
const CHOSEN_AMONG = 500;
/** How many deliveries of one account may be leased in a round. */
const SHARE = 200;
const HASTENED_AT_ONCE = 200;
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
  readonly #places: Places;
  readonly #turns = new Turns(() => SHARE);
  /** True if the outbox may contain due deliveries that got no place. */
  #isOutOfPlaces = false;
  readonly #log: ProviderLog;
  readonly #outage = new Outage();

  constructor(provider: Provider, gateway: Gateway, parts: ProviderDispatchParts) {
    this.#provider = provider;
    this.#gateway = gateway;
    this.#isOfChannels = !isDeviceProvider(provider);
    this.#places = new Places(gateway);
    const { sendWithinMs = parts.sendWithinMs } = gateway;
    this.#parts = { ...parts, sendWithinMs, leaseMs: parts.leaseMs + sendWithinMs - parts.sendWithinMs };
    this.#log = new ProviderLog(provider, parts.wallClock, parts.logger);
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

  get isForNudgesOnly(): boolean {
    return this.#gateway.isForNudgesOnly ?? false;
  }

  start(): void {
    this.#loop.start();
  }

  /** Leases nothing more. Resolves when every push in flight is answered. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#sending);
  }

  /** Used by a sweep before its transaction commits. */
  reserve(place: Place): boolean {
    return this.#places.reserve(place);
  }

  release(place: Place): void {
    this.#places.cancel(place);
  }

  checkOutbox(): void {
    this.#loop.wake();
  }

  isIdle(): boolean {
    return this.#places.isEmpty && this.#loop.isIdle();
  }

  sendReserved(pushes: readonly OutgoingPush[]): void {
    for (const push of pushes) this.release(push);
    this.#sendAll(pushes);
  }

  #sendAll(pushes: readonly OutgoingPush[]): void {
    if (pushes.length === 0) return;
    const signal = AbortSignal.timeout(this.#parts.sendWithinMs);
    setMaxListeners(0, signal);
    for (const push of pushes) {
      this.#places.occupy(push);
      this.#unstored.add(idOf(push.key));
      const sending = this.#send(push, signal).finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    }
  }

  async #sendDue(signal: AbortSignal): Promise<Date | null> {
    const { batchSize, db, schema } = this.#parts;
    if (schema.isOutdated) return null;
    const due = await this.#findDue();
    if (due !== 'now') {
      this.#places.endRounds();
      return due;
    }
    while (!signal.aborted) {
      // Half of the places, because all leased deliveries may belong to one account.
      const most = Math.min(Math.ceil(this.#places.left / 2), batchSize.size);
      const crowding = this.#places.except();
      this.#isOutOfPlaces = most <= 0 || !isNothing(crowding);
      if (most <= 0) return null;
      const except = { ...crowding, owners: [...this.#turns.spent, ...crowding.owners] };
      const isShort = await this.#unstored.whileLeasing(() => this.#sendSome(most, except));
      if (!isShort) continue;
      await schema.check(db);
      if (schema.isOutdated) return null;
      const rounds = [this.#turns.startRound(), this.#places.startRounds()];
      if (!rounds.includes(true) && !(await this.#hastenRetries())) return this.#nextCheckAt();
    }
    return null;
  }

  /** When the first delivery is due. Deliveries too far in the future, after the clock was set back, become due now. */
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
   * After an outage, each delivery that waits for a retry is sent once before its back-off ends, a few at a time.
   * Returns whether there were any.
   */
  async #hastenRetries(): Promise<boolean> {
    const { hastenedUpTo } = this.#outage;
    if (!hastenedUpTo) return false;
    const { db, wallClock } = this.#parts;
    const now = wallClock.now();
    const upTo = await hastenRetries(db, this.#provider, { now, after: hastenedUpTo, limit: HASTENED_AT_ONCE });
    this.#outage.hastened(upTo);
    return upTo !== null;
  }

  /** Returns whether nothing more can be leased, except for the deliveries that were left out. */
  async #sendSome(most: number, except: Except): Promise<boolean> {
    const { db, wallClock, leaseMs, schema } = this.#parts;
    const now = wallClock.now();
    const lease = { now, until: new Date(now.getTime() + leaseMs), newestMigration: schema.newest };
    if (this.#gateway.placesPerServer === undefined) {
      const deliveries = await leaseDeliveries(db, this.#provider, { ...lease, limit: most, except });
      return this.#sendLeased(await this.#prepare(deliveries)) < most;
    }
    const due = await listDue(db, this.#provider, { now, limit: CHOSEN_AMONG, except });
    const chosen = this.#reserveSome(due, most);
    let prepared: Prepared;
    try {
      prepared = await this.#prepare(await leaseChosen(db, chosen, lease));
    } finally {
      for (const delivery of chosen) this.#places.cancel(placeOf(delivery));
    }
    const count = this.#sendLeased(prepared);
    // If none were leased, another engine has leased them.
    return count === 0 || (due.length < CHOSEN_AMONG && chosen.length < most);
  }

  #reserveSome(due: readonly DueDelivery[], most: number): DueDelivery[] {
    const chosen: DueDelivery[] = [];
    for (const delivery of due) {
      if (chosen.length < most && this.#places.reserve(placeOf(delivery))) chosen.push(delivery);
    }
    return chosen;
  }

  async #prepare(deliveries: readonly Delivery[]): Promise<Prepared> {
    const prepared = await preparePushes({ ...this.#parts, limits: this.#gateway.limits }, this.#provider, deliveries);
    await recordRefs(
      this.#parts.db,
      prepared.pushes.map(({ key, push }) => ({ ...key, ref: this.#gateway.refOf?.(push) ?? null })),
    );
    return prepared;
  }

  /** Returns how many deliveries were leased. */
  #sendLeased({ pushes, unsent }: Prepared): number {
    for (const { recipientId } of [...pushes, ...unsent]) this.#turns.use(recipientId, 1);
    for (const delivery of unsent) {
      this.#places.occupy(delivery);
      this.#store(delivery, delivery.attempts, delivery.result);
    }
    // If a result could not be stored before its lease ended, the same delivery is leased again: it was sent already.
    this.#sendAll(pushes.filter(({ key }) => !this.#unstored.has(idOf(key))));
    for (const push of pushes) this.#places.serve(push);
    return pushes.length + unsent.length;
  }

  /** Ignores accounts and servers without a place: their deliveries are checked again when a result is stored. */
  async #nextCheckAt(): Promise<Date | null> {
    const except = this.#places.except();
    this.#isOutOfPlaces = !isNothing(except);
    const next = await findNextAttemptAt(this.#parts.db, this.#provider, except);
    const soonest = new Date(this.#parts.wallClock.now().getTime() + CONTENTION_DELAY_MS);
    // Another engine has locked a delivery that is due but was not leased.
    return next && next < soonest ? soonest : next;
  }

  async #send(outgoing: OutgoingPush, signal: AbortSignal): Promise<void> {
    const { key, attempt, createdAt, push } = outgoing;
    const startedAt = this.#parts.wallClock.now();
    const result = await this.#gateway.send(push, signal).catch((error: unknown): PushResult => {
      this.#log.failed(error, key, push);
      return { kind: 'retry', reason: 'gateway_failed' };
    });
    if (result.kind === 'misconfigured') this.#log.refused(result.reason, key, push);
    if (this.#outage.ends(result, this.#parts.wallClock.now())) this.#loop.wake();
    const deadToken = result.kind === 'gone' ? toDeadToken(key, push, result, startedAt) : null;
    const attempts = attemptsUsed(result, attempt, this.#parts.clock.now().getTime() - createdAt.getTime());
    const isRefused = result.kind === 'rejected' && result.isCredentials === true;
    this.#store(outgoing, attempts, toDeliveryResult(result, attempts, Math.random()), { deadToken, isRefused });
  }

  /** Without an `answer` the gateway was not asked, and the result says nothing about the channel. */
  #store(
    { key: { entry_id, target_id, kind }, recipientId, server }: Place & Pick<OutgoingPush, 'key'>,
    attempts: number,
    { status, waitsFor, reason, retryInMs, ref = null }: DeliveryResult,
    answer?: { readonly deadToken: DeadToken | null; readonly isRefused: boolean },
  ): void {
    const { wallClock, results } = this.#parts;
    const next_attempt_at = new Date(wallClock.now().getTime() + (retryInMs ?? 0));
    const printed = reason && printable(reason);
    const waits_for = waitsFor ?? null;
    const row = { entry_id, target_id, kind, status, waits_for, reason: printed, attempts, next_attempt_at, ref };
    const onStored = () => {
      this.#places.free({ recipientId, server });
      this.#unstored.stored(idOf(row));
      if (this.#isOutOfPlaces && this.#places.left > 0) this.#loop.wake();
      else if (retryInMs !== undefined) this.#loop.wake(next_attempt_at);
    };
    const { deadToken = null, isRefused = false } = answer ?? {};
    const channel = this.#isOfChannels && answer ? { id: target_id, error: printed, isRefused } : null;
    results.write({ row, deadToken, channel, onStored });
  }
}

const idOf = ({ entry_id, target_id, kind }: DeliveryKey) => `${entry_id} ${target_id} ${kind}`;
