/**
 * One provider's share of the outbox. Lanes do not know of each other, so a slow provider keeps
 * only its own pushes waiting. A lane takes no more deliveries than its gateway can put on the wire
 * at once: what waits, waits in the table, where dealing with the task still calls it back.
 */
import { setMaxListeners } from 'node:events';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Gateway, Provider, Push, PushResult } from '../push/gateway.ts';
import { findNextAttemptAt, hastenDeliveries, type Loss } from './dispatch.store.ts';
import { type Judgement, judge } from './judgement.ts';
import type { Ledger } from './ledger.ts';
import { Loop } from './loop.ts';
import { takeFromOutbox } from './outbox.ts';
import type { Pace } from './pace.ts';
import { LONGEST_ASKED_MS } from './retry-policy.ts';
import type { DeliveryKey, Shipment } from './shipment.ts';

export interface LaneParts {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly ledger: Ledger;
  readonly pace: Pace;
  readonly leaseMs: number;
  /** A send that takes longer is given up, well before its lease runs out. */
  readonly sendWithinMs: number;
  readonly lookEveryMs: number;
  readonly logger: Logger;
}

const MOST_AT_ONCE = 2_000;
const COMPLAIN_EVERY_MS = 600_000;
const CROWDED_PAUSE_MS = 100;
const LEAP_MS = 1_000;

export class Lane {
  readonly #provider: Provider;
  readonly #gateway: Gateway;
  readonly #parts: LaneParts;
  readonly #loop: Loop;
  readonly #sending = new Set<Promise<void>>();
  /** Sent and not yet stored as settled, by name; such a delivery is not sent again by this process. */
  readonly #held = new Set<string>();
  readonly #settled: string[] = [];
  /** Taken and not yet stored as settled. */
  #inHand = 0;
  /** Promised to a sweep whose transaction is under way. */
  #reserved = 0;
  /** There was more to take than there was room for. */
  #starved = false;
  #complainedAt = Number.NEGATIVE_INFINITY;

  constructor(provider: Provider, gateway: Gateway, parts: LaneParts) {
    this.#provider = provider;
    this.#gateway = gateway;
    this.#parts = parts;
    this.#loop = new Loop({
      name: `dispatch ${provider}`,
      clock: parts.wallClock,
      logger: parts.logger,
      lookEveryMs: parts.lookEveryMs,
      work: (signal) => this.#takeAll(signal),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Takes no more work, and resolves when what is in flight has been answered. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#sending);
  }

  /** Takes room for one, if there is any. */
  reserve(): boolean {
    if (this.#room() <= 0) return false;
    this.#reserved += 1;
    return true;
  }

  release(): void {
    this.#reserved -= 1;
  }

  #room(): number {
    return Math.min(MOST_AT_ONCE - this.#inHand, this.#gateway.room()) - this.#reserved;
  }

  /** Something was put into the outbox. */
  look(): void {
    this.#loop.ring();
  }

  isIdle(): boolean {
    return this.#inHand === 0 && this.#loop.isIdle();
  }

  /** Sends what room was reserved for. */
  ship(shipments: readonly Shipment[]): void {
    this.#reserved -= shipments.length;
    this.#sendAll(shipments);
  }

  #sendAll(shipments: readonly Shipment[]): void {
    if (shipments.length === 0) return;
    const signal = AbortSignal.timeout(this.#parts.sendWithinMs);
    setMaxListeners(0, signal);
    this.#inHand += shipments.length;
    for (const shipment of shipments) {
      this.#held.add(nameOf(shipment.key));
      const sending = this.#send(shipment, signal).finally(() => this.#sending.delete(sending));
      this.#sending.add(sending);
    }
  }

  async #takeAll(signal: AbortSignal): Promise<Date | null> {
    const { db, wallClock, pace } = this.#parts;
    const now = wallClock.now();
    await hastenDeliveries(db, this.#provider, now, new Date(now.getTime() + LONGEST_ASKED_MS + LEAP_MS));
    while (!signal.aborted) {
      this.#letGo();
      const most = Math.max(0, Math.min(this.#room(), pace.size));
      this.#starved = most === 0;
      if (this.#starved) return null;
      const { count, shipments, settled } = await takeFromOutbox(this.#parts, this.#provider, most);
      this.#inHand += settled.length;
      for (const { key, attempts, judgement } of settled) this.#settle(key, attempts, judgement, null);
      // What was answered and could not be stored yet may come back when its lease is over.
      this.#sendAll(shipments.filter(({ key }) => !this.#held.has(nameOf(key))));
      if (count < most) return this.#nextLook();
    }
    return null;
  }

  /** Between two takes: what was stored while one was under way may still be among what it took. */
  #letGo(): void {
    for (const name of this.#settled.splice(0)) this.#held.delete(name);
  }

  async #nextLook(): Promise<Date | null> {
    const next = await findNextAttemptAt(this.#parts.db, this.#provider);
    const soonest = new Date(this.#parts.wallClock.now().getTime() + CROWDED_PAUSE_MS);
    // What is due and not to be had, another engine has in hand.
    return next && next < soonest ? soonest : next;
  }

  async #send({ key, attempt, push }: Shipment, signal: AbortSignal): Promise<void> {
    const startedAt = this.#parts.wallClock.now();
    const result = await this.#gateway.send(push, signal).catch((error: unknown): PushResult => {
      this.#parts.logger.error({ err: error, ...this.#about(key, push) }, 'a push gateway failed');
      return { kind: 'retry', reason: 'gateway_failed' };
    });
    this.#noticeConfiguration(result, key, push);
    const judgement = judge(result, attempt, Math.random());
    this.#settle(key, attempt, judgement, result.kind === 'gone' ? lossOf(key, push, result, startedAt) : null);
  }

  #settle(key: DeliveryKey, attempts: number, { status, reason, retryInMs }: Judgement, loss: Loss | null): void {
    const { wallClock, ledger } = this.#parts;
    const next_attempt_at = new Date(wallClock.now().getTime() + (retryInMs ?? 0));
    const { entry_id, target_id, kind } = key;
    const outcome = { entry_id, target_id, kind, status, reason: reason && plain(reason), attempts, next_attempt_at };
    const stored = () => {
      this.#inHand -= 1;
      this.#settled.push(nameOf(key));
      if (retryInMs !== undefined) this.#loop.ring(next_attempt_at);
      else if (this.#starved && this.#room() > 0) this.#loop.ring();
    };
    ledger.record({ outcome, loss, stored });
  }

  /** Told now and then and not for each push: one browser may be bound to another key than ours, or all of them may. */
  #noticeConfiguration(result: PushResult, key: DeliveryKey, push: Push): void {
    if (result.kind !== 'misconfigured') return;
    const now = this.#parts.wallClock.now().getTime();
    if (now - this.#complainedAt < COMPLAIN_EVERY_MS) return;
    this.#complainedAt = now;
    const about = { ...this.#about(key, push), reason: plain(result.reason) };
    this.#parts.logger.error(about, 'a push provider refuses our credentials');
  }

  /** The device is named; where a card is spoken to, the card is. */
  #about({ target_id, kind }: DeliveryKey, push: Push) {
    const target =
      kind === 'nudge' || kind === 'activity_start' ? { device_id: target_id } : { activity_id: target_id };
    return { provider: this.#provider, kind, ...(push.kind !== 'test' && { task_id: push.task.id }), ...target };
  }
}

const nameOf = ({ entry_id, target_id, kind }: DeliveryKey) => `${entry_id} ${target_id} ${kind}`;

const LONGEST_REASON = 200;

/** A provider's word goes into the database: nothing in it may keep the rest of its batch out. */
const plain = (reason: string) => reason.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_REASON);

function lossOf(key: DeliveryKey, { target }: Push, gone: Extract<PushResult, { kind: 'gone' }>, sentAt: Date): Loss {
  const since = gone.since && !Number.isNaN(gone.since.getTime()) ? gone.since : sentAt;
  return { kind: key.kind, target_id: key.target_id, token: target.token, reason: plain(gone.reason), since };
}
