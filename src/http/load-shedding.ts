/**
 * Refuses requests that the process cannot serve in time, so that those it accepts stay fast and a load balancer
 * uses another process.
 *
 * Two queues can grow: requests that arrive faster than the event loop reads them, and statements that wait for
 * a connection to the database. A single long queue is a pause, such as a garbage collection. Long queues that
 * follow each other for `patienceMs` are an overload. It lasts until a second passes without a long queue. In an
 * overload each turn of the event loop still serves the requests that fit into `maxTurnMs`, and only a few are
 * under way at once, so that those accepted are answered soon. The others are refused at once, which costs a
 * fraction of serving them. A hundred requests at once are no long queue.
 */
import type { RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { stopwatch } from '../lib/clock.ts';
import { errorCatalogue } from '../lib/errors.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { failure } from './envelope.ts';
import { RequestsUnderWay } from './requests-under-way.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly load: LoadShedding;
  }
}

export interface LoadLimits {
  /** The longest turn of the event loop that is no strain. */
  readonly maxTurnMs: number;
  /** Long turns for this long are an overload. */
  readonly patienceMs: number;
}

/** Long turns that are further apart than this are pauses. */
const PAUSE_MS = 200;
const CALM_MS = 1_000;
/** With ten connections, a hundred requests at once are no overload. */
const LONG_DATABASE_QUEUE = 10;
/** So many at once are refused without patience: they would still wait when the overload is noticed. */
const FULL_DATABASE_QUEUE = 40;
/** So many may arrive together, as from a program with a hundred connections: they wait for a tenth of a second. */
const FEW_REQUESTS = 100;
/** In an overload. Enough to share a commit or to use every connection; each further one only waits for these. */
const MOST_UNDER_WAY = 24;

export class LoadShedding {
  readonly #limits: LoadLimits;
  readonly #databaseQueue: () => number;
  /** The time since the first request of this turn arrived. */
  #turnMs: (() => number) | undefined;
  #requests = 0;
  readonly #underWay = new RequestsUnderWay();
  /** The time since the first and since the last of the long turns that follow each other. */
  #strainedMs = () => 0;
  #calmMs = () => Number.POSITIVE_INFINITY;

  /** `databaseQueue`: how many statements wait for each connection. */
  constructor(limits: LoadLimits, databaseQueue: () => number = () => 0) {
    this.#limits = limits;
    this.#databaseQueue = databaseQueue;
  }

  get isOverloaded(): boolean {
    return this.#strainedMs() > this.#limits.patienceMs && this.#calmMs() < CALM_MS;
  }

  /** To be called when a request arrives; says whether to refuse it. */
  refusesNext(): boolean {
    if (!this.#turnMs) {
      this.#turnMs = stopwatch();
      // Runs when the event loop has handled everything that had arrived when the turn began.
      setImmediate(() => this.#endTurn());
    }
    this.#requests += 1;
    if (this.#databaseQueue() >= FULL_DATABASE_QUEUE) return true;
    if (!this.isOverloaded) return false;
    const isFull = this.#underWay.count >= MOST_UNDER_WAY;
    // More arrive than are answered, so the overload goes on.
    if (isFull) this.#calmMs = stopwatch();
    return isFull || this.#isLong();
  }

  /** To be called for a request that is not refused. Returns what is to be called when it is over. */
  accept(): () => void {
    return this.#underWay.begin();
  }

  #isLong(): boolean {
    const isTurnLong = this.#requests > FEW_REQUESTS && (this.#turnMs?.() ?? 0) > this.#limits.maxTurnMs;
    return isTurnLong || this.#databaseQueue() >= LONG_DATABASE_QUEUE;
  }

  #endTurn(): void {
    if (this.#isLong()) {
      if (!this.isOverloaded && this.#calmMs() > PAUSE_MS) this.#strainedMs = stopwatch();
      this.#calmMs = stopwatch();
    }
    this.#turnMs = undefined;
    this.#requests = 0;
  }
}

/** Monitoring must be able to tell an overloaded process from a dead one. */
const NEVER_REFUSED = /^\/(?:health|health\/live|health\/ready|metrics)(?:\?|$)/;

const { status, sentence } = errorCatalogue.overloaded;
const BODY = JSON.stringify(failure('overloaded', sentence));
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(BODY),
  'cache-control': 'no-store',
  'retry-after': '2',
};

/** Decides before anything else looks at the request: a refusal that cost as much as an answer would be no help. */
export function shedLoad(app: FastifyInstance, load: LoadShedding, onRefused: (method: string) => void): void {
  const log = new LogOnChange(app.log as Logger, {
    failing: 'refusing requests: the process cannot keep up',
    working: 'accepting all requests again',
  });
  app.decorate('load', load);
  const handlers = app.server.listeners('request') as RequestListener[];
  app.server.removeAllListeners('request').on('request', (request, response) => {
    const isRefused = load.refusesNext() && !NEVER_REFUSED.test(request.url ?? '');
    if (!load.isOverloaded) log.worked();
    if (!isRefused) {
      response.once('close', load.accept());
      for (const handle of handlers) handle(request, response);
      return;
    }
    log.failed({});
    onRefused(request.method ?? '');
    response.writeHead(status, HEADERS).end(BODY);
  });
}
