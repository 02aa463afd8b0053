/**
 * Stops pushes that would fail like the ones before them. Each key has its own breaker: a server, a recipient there, a
 * person's credentials, a provider.
 *
 * ```
 *           failures in a row              after the pause, one push
 *   closed ──────────────────▶ open ──────────────────────────────▶ probing
 *     ▲                         ▲  every other push gets a result      │
 *     │                         └──────────────────────── it failed ───┤
 *     └────────────────────────────────────────────────── it worked ───┘
 * ```
 * If a probe says nothing about the key, for example because a provider that refused us does not answer, the next push
 * is a probe at once.
 */
import { withJitter } from '../lib/back-off.ts';
import type { Clock } from '../lib/clock.ts';
import { Cooldown } from './cooldown.ts';
import type { PushResult } from './gateway.ts';

interface Policy {
  /** How many failures in a row open it. */
  readonly failures: number;
  readonly pauseMs: number;
  /** Whether a push that was in flight when it opened can close it. Otherwise only a probe does. */
  readonly closesEarly: boolean;
  /** What a result says about the key; undefined if nothing. */
  judge(result: PushResult): 'works' | 'fails' | undefined;
  /** The result of a push that is not sent. `last` is the failure that opened the breaker. */
  resultOf(last: PushResult, waitMs: number): PushResult;
}

/** Any answer shows that the server is up, even a refusal. */
const SILENCE = {
  failures: 5,
  pauseMs: 15_000,
  closesEarly: true,
  judge: (result) => (result.kind === 'retry' && !result.isAnswered ? 'fails' : 'works'),
  resultOf: (_last, afterMs) => ({ kind: 'retry', reason: 'service_silent', afterMs, isUnsent: true }),
} as const satisfies Policy;

export const POLICIES = {
  /** Five people in a row got no answer: the server is down. */
  server: SILENCE,
  /** One person got no answer five times in a row. Others on the same server are not concerned. */
  recipient: SILENCE,
  /**
   * A person's token has expired, and every nudge would show it to the server again. A shared server may then lock out
   * the whole service: ntfy does after thirty wrong tokens.
   */
  credentials: {
    failures: 3,
    pauseMs: 600_000,
    closesEarly: true,
    judge: (result) => {
      if (result.kind === 'accepted') return 'works';
      return result.kind === 'rejected' && result.isCredentials ? 'fails' : undefined;
    },
    resultOf: (last) => last,
  },
  /**
   * The provider refuses our credentials or settings. Repeating such pushes fills the log, and Apple closes the
   * connection of a sender that collects errors.
   */
  provider: {
    failures: 1,
    pauseMs: 60_000,
    closesEarly: false,
    judge: (result) => {
      if (result.kind === 'misconfigured' || (result.kind === 'retry' && result.isRefusal)) return 'fails';
      return result.kind === 'retry' ? undefined : 'works';
    },
    resultOf: (last) => last,
  },
} as const satisfies Readonly<Record<string, Policy>>;

const FORGET_MS = 3_600_000;
const MOST_KEPT = 10_000;
const LONGEST_WAIT_MS = 300_000;

interface State {
  /** The recipients of the failures so far, until there are enough to open the breaker. */
  readonly failures: Set<unknown>;
  readonly pause: Cooldown;
  last: PushResult;
  lastAt: Date;
  openSince: Date | undefined;
  isProbed: boolean;
}

export class Breaker {
  readonly #policy: Policy;
  readonly #clock: Clock;
  /** Keys with a failed last push, in the order of their first failures. */
  readonly #states = new Map<string, State>();

  constructor(policy: Policy, clock: Clock) {
    this.#policy = policy;
    this.#clock = clock;
  }

  isOpen(key = ''): boolean {
    return this.#states.get(key)?.openSince !== undefined;
  }

  /** The result of a push that must not be sent now. */
  find(key = ''): PushResult | undefined {
    const state = this.#states.get(key);
    if (!state?.openSince || this.#isForgotten(state)) return undefined;
    const remainingMs = state.pause.remainingMs();
    if (remainingMs === 0 && !state.isProbed) return undefined;
    return this.#policy.resultOf(state.last, Math.max(remainingMs, this.#waitAfter(state.openSince)));
  }

  /** Call this when a push is sent. Call the returned function when that push has ended. */
  probe(key = ''): () => void {
    const state = this.#states.get(key);
    if (!state?.openSince || state.isProbed) return () => undefined;
    state.isProbed = true;
    return () => {
      state.isProbed = false;
    };
  }

  /** Calls `send` if the breaker lets a push through. `send` notes the result. */
  guard(send: () => Promise<PushResult>, key = ''): Promise<PushResult> {
    const result = this.find(key);
    if (result) return Promise.resolve(result);
    const endProbe = this.probe(key);
    return send().finally(endProbe);
  }

  /** `failedFor`: several failures for the same recipient count once. Returns what the result changed. */
  note(result: PushResult, key = '', failedFor?: string): 'opened' | 'closed' | undefined {
    switch (this.#policy.judge(result)) {
      case 'works':
        return this.#works(key);
      case 'fails':
        return this.#fails(key, result, failedFor);
      default:
        return undefined;
    }
  }

  #works(key: string): 'closed' | undefined {
    const wasOpen = this.isOpen(key);
    if (wasOpen && !this.#policy.closesEarly && !this.#states.get(key)?.isProbed) return undefined;
    this.#states.delete(key);
    return wasOpen ? 'closed' : undefined;
  }

  #fails(key: string, last: PushResult, failedFor: string | undefined): 'opened' | undefined {
    const state = this.#states.get(key) ?? this.#add(key, last);
    if (state.pause.remainingMs() > 0) return undefined;
    const { failures } = this.#policy;
    state.lastAt = this.#clock.now();
    if (state.failures.size < failures) state.failures.add(failedFor ?? Symbol());
    if (state.failures.size < failures) return undefined;
    state.last = last;
    state.openSince ??= state.lastAt;
    state.pause.start(this.#policy.pauseMs);
    return 'opened';
  }

  #add(key: string, last: PushResult): State {
    for (const [other, state] of this.#states) {
      if (this.#isForgotten(state) || this.#states.size >= MOST_KEPT) this.#states.delete(other);
    }
    const state = {
      failures: new Set(),
      pause: new Cooldown(this.#clock),
      last,
      lastAt: this.#clock.now(),
      openSince: undefined,
      isProbed: false,
    };
    this.#states.set(key, state);
    return state;
  }

  /**
   * At most a quarter of the time that the failure has lasted, so that a push comes at most that much later than it
   * could. The longer it lasts, the fewer checks there are: each check reads and writes the database.
   */
  #waitAfter(since: Date): number {
    return Math.round(withJitter(Math.min(this.#lastedMs(since) / 4, LONGEST_WAIT_MS), Math.random()));
  }

  /** A failure of an hour ago says nothing about now. */
  #isForgotten({ lastAt }: State): boolean {
    return this.#lastedMs(lastAt) > FORGET_MS;
  }

  #lastedMs(since: Date): number {
    return Math.max(0, this.#clock.now().getTime() - since.getTime());
  }
}
