/**
 * Keeps one server from delaying what goes to all the others of its provider: the push service of a browser's maker,
 * or the ntfy server at somebody's home. A server that hangs can occupy a part of the places in flight. After a few
 * pushes in a row without an answer its pushes are put off at once, except one now and then that tries it again.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Cooldown } from './cooldown.ts';
import type { PushResult } from './gateway.ts';
import { SendLimiter } from './send-limiter.ts';

const MAX_SILENCES = 5;
const SILENT_MS = 15_000;

interface Origin {
  readonly limiter: SendLimiter;
  readonly cooldown: Cooldown;
  /** Pushes in a row that got no answer. */
  silences: number;
  isProbed: boolean;
  /** Pushes in flight or waiting. */
  pushes: number;
}

interface Bounds {
  /** How many pushes may be in flight, to all servers together and to one of them. */
  readonly maxInFlight: number;
  readonly perOrigin: number;
}

export class Origins {
  readonly #perOrigin: number;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #all: SendLimiter;
  readonly #byOrigin = new Map<string, Origin>();

  constructor({ maxInFlight, perOrigin }: Bounds, clock: Clock, logger: Logger) {
    this.#perOrigin = perOrigin;
    this.#clock = clock;
    this.#logger = logger;
    this.#all = new SendLimiter(maxInFlight, logger);
  }

  get capacity(): number {
    return this.#all.capacity;
  }

  async send(origin: string, signal: AbortSignal, deliver: () => Promise<PushResult>): Promise<PushResult> {
    const service = this.#open(origin);
    service.pushes += 1;
    try {
      return await service.limiter.run(
        signal,
        async () => putOff(service) ?? (await this.#try(service, signal, deliver)),
      );
    } finally {
      service.pushes -= 1;
      if (service.pushes === 0 && service.silences === 0) this.#byOrigin.delete(origin);
    }
  }

  #open(origin: string): Origin {
    const known = this.#byOrigin.get(origin);
    if (known) return known;
    const service: Origin = {
      limiter: new SendLimiter(this.#perOrigin, this.#logger),
      cooldown: new Cooldown(this.#clock),
      silences: 0,
      isProbed: false,
      pushes: 0,
    };
    this.#byOrigin.set(origin, service);
    return service;
  }

  async #try(service: Origin, signal: AbortSignal, deliver: () => Promise<PushResult>): Promise<PushResult> {
    service.isProbed = service.silences >= MAX_SILENCES;
    const result = await this.#all.run(signal, deliver);
    service.isProbed = false;
    service.silences = isSilence(result) ? service.silences + 1 : 0;
    if (service.silences >= MAX_SILENCES) service.cooldown.start(SILENT_MS);
    return result;
  }

  close(): void {
    this.#all.close();
    for (const { limiter } of this.#byOrigin.values()) limiter.close();
  }
}

function putOff({ silences, isProbed, cooldown }: Origin): PushResult | undefined {
  const afterMs = cooldown.remainingMs();
  const isSilent = silences >= MAX_SILENCES && (isProbed || afterMs > 0);
  return isSilent ? { kind: 'retry', reason: 'service_silent', afterMs } : undefined;
}

/** An answer of the server, even a refusal, is no silence. */
const isSilence = (result: PushResult): boolean => result.kind === 'retry' && !/^(http|smtp)_/.test(result.reason);
