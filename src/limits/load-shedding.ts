/**
 * Begins requests as fast as the process can serve them, and refuses requests that it cannot serve in time, so that the
 * others stay fast and a load balancer uses another process.
 *
 * In each event-loop turn, requests begin for `maxTurnMs`, or for a quarter of it in an overload, and none begin while
 * statements wait for every connection to the database. All other requests wait in one queue per caller, and callers
 * take turns. A waiting request has cost next to nothing and can still be refused.
 *
 * If `maxWaiting` requests arrive at once, all of them are served. If more wait, that is an overload: each new arrival
 * makes the caller with the most waiting requests lose one, and among equals the caller that has waited longest. If a
 * crowd of a third of `maxWaiting` waits, and more requests arrive than a burst has, only a few may wait, so that
 * accepted requests are answered soon. An overload ends a second after the last refusal was answered.
 */
import { stopwatch } from '../lib/clock.ts';
import { WaitingRequests } from './waiting-requests.ts';

export interface LoadLimits {
  /** For this long an event-loop turn begins requests. */
  readonly maxTurnMs: number;
  /** More waiting requests than this are an overload. */
  readonly maxWaiting: number;
  /** A request that waited longer is refused. */
  readonly maxWaitMs: number;
}

/** For tests and benchmarks: no request is refused because the machine is busy. */
export const NO_LOAD_LIMITS: LoadLimits = {
  maxTurnMs: Number.POSITIVE_INFINITY,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitMs: Number.POSITIVE_INFINITY,
};

/** After this long, even a burst of more than `maxWaiting` requests has arrived. */
const PATIENCE_MS = 20;
/** This part of `maxWaiting` is a crowd. It is more than one program with 50 connections can have waiting. */
const CROWD_SHARE = 1 / 3;
/**
 * How many may wait in an overload that lasts. Enough for several callers beside a loud one; more would only wait
 * longer.
 */
const FEW_WAITING = 12;
/** The part of `maxTurnMs` in an overload: requests begun before need time in every event-loop turn too. */
const OVERLOADED_SHARE = 1 / 4;
/**
 * A refusal is answered late, because a caller that is answered at once asks again at once: reading and refusing its
 * requests would take more time than serving the accepted ones.
 */
const REFUSE_AFTER_MS = 500;
/** A client that sends request after request without waiting for an answer would otherwise fill the memory. */
const MOST_WAITING_REFUSALS = 2_000;
/** A second after the last refusal was answered. */
const CALM_MS = REFUSE_AFTER_MS + 1_000;
/** Statements wait for the database in the order they came, but requests wait here, where callers take turns. */
const BUSY_DATABASE_QUEUE = 2;
/** In an overload: enough to keep the connections busy. */
const SHORT_DATABASE_QUEUE = 0.3;
const DATABASE_RETRY_MS = 2;

/** The connections to the database. SQLite has none to wait for. */
export interface DatabasePool {
  /** How many statements wait for each connection. */
  readonly waitingPerConnection: number;
}

interface ArrivedRequest {
  readonly begin: () => void;
  readonly refuse: () => void;
}

interface WaitingRequest extends ArrivedRequest {
  readonly waitedMs: () => number;
}

export class LoadShedding {
  readonly #limits: LoadLimits;
  readonly #pool: DatabasePool | undefined;
  readonly #waiting = new WaitingRequests<WaitingRequest>();
  /** How many calls of `#serveNext` are to come: one for each waiting request. */
  #scheduled = 0;
  /** The time since the first request of this event-loop turn began. */
  #turnMs: (() => number) | undefined;
  /** The time since the last refusal. */
  #calmMs = () => Number.POSITIVE_INFINITY;
  /** The time since a crowd waits, and how many requests have arrived since. */
  #crowd: { readonly sinceMs: () => number; arrived: number } | undefined;
  #isLasting = false;

  constructor(limits: LoadLimits, pool?: DatabasePool) {
    this.#limits = limits;
    this.#pool = pool;
  }

  get isOverloaded(): boolean {
    return this.#calmMs() < CALM_MS;
  }

  /** Begins or refuses the request, now or later. Who the caller is matters only if it has to wait. */
  admit(callerOf: () => string, request: ArrivedRequest): void {
    if (this.#waiting.size === 0 && !this.#isDatabaseBusy() && !this.#isTurnOver()) {
      this.#begin(request);
      return;
    }
    this.#waiting.add(callerOf(), { ...request, waitedMs: stopwatch() });
    if (!this.isOverloaded) this.#isLasting = false;
    this.#isLasting ||= this.#isCrowdLasting();
    const most = this.#isLasting ? FEW_WAITING : this.#limits.maxWaiting;
    while (this.#waiting.size > most) this.#refuse(this.#waiting.takeFromLongest());
    this.#schedule(setImmediate);
  }

  /** Begins one request at most: its work is done in microtasks, so its cost is known only at the next call. */
  #serveNext(): void {
    this.#scheduled -= 1;
    const { next } = this.#waiting;
    if (next && next.waitedMs() > this.#limits.maxWaitMs) this.#refuse(this.#waiting.take());
    else if (this.#isDatabaseBusy()) this.#schedule((serve) => setTimeout(serve, DATABASE_RETRY_MS));
    else if (this.#isTurnOver()) this.#schedule(setImmediate);
    else this.#begin(this.#waiting.take());
  }

  #schedule(later: (serve: () => void) => unknown): void {
    if (this.#scheduled >= this.#waiting.size) return;
    this.#scheduled += 1;
    later(() => this.#serveNext());
  }

  #begin(request: ArrivedRequest | undefined): void {
    if (!this.#turnMs) {
      this.#turnMs = stopwatch();
      // Runs when the event loop has handled everything that had arrived by then.
      setImmediate(() => {
        this.#turnMs = undefined;
      });
    }
    request?.begin();
  }

  /** A burst of up to `maxWaiting` requests is no crowd: after `PATIENCE_MS` too few of them are left. */
  #isCrowdLasting(): boolean {
    const { maxWaiting } = this.#limits;
    const crowd = maxWaiting * CROWD_SHARE;
    if (this.#waiting.size <= crowd) this.#crowd = undefined;
    else this.#crowd ??= { sinceMs: stopwatch(), arrived: 0 };
    if (!this.#crowd) return false;
    this.#crowd.arrived += 1;
    return this.#crowd.arrived > maxWaiting - crowd && this.#crowd.sinceMs() > PATIENCE_MS;
  }

  #refuse(request: ArrivedRequest | undefined): void {
    this.#calmMs = stopwatch();
    request?.refuse();
  }

  #isTurnOver(): boolean {
    const { maxTurnMs } = this.#limits;
    return this.#turnMs !== undefined && this.#turnMs() > maxTurnMs * (this.isOverloaded ? OVERLOADED_SHARE : 1);
  }

  #isDatabaseBusy(): boolean {
    const busy = this.isOverloaded ? SHORT_DATABASE_QUEUE : BUSY_DATABASE_QUEUE;
    return this.#pool !== undefined && this.#pool.waitingPerConnection >= busy;
  }
}

/** Answers later, and at once if too many answers wait already. */
export function delayRefusals(): (answer: () => void) => void {
  let waiting = 0;
  return (answer) => {
    if (waiting === MOST_WAITING_REFUSALS) return answer();
    waiting += 1;
    setTimeout(() => {
      waiting -= 1;
      answer();
    }, REFUSE_AFTER_MS);
  };
}
