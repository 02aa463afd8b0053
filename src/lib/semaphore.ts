/**
 * Lets a bounded number of callers in at once. The others wait in the order they came, and leave the
 * queue as soon as their signal fires.
 */
interface SemaphoreOptions {
  readonly capacity: number;
  /** How many callers may wait; one more is refused with `QueueFull`. Unlimited by default. */
  readonly maxWaiting?: number;
}

export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

/** Gives the place back. Calling it twice does no harm. */
type Release = () => void;

interface Waiter {
  readonly admit: () => void;
  readonly refuse: (reason: unknown) => void;
}

export class Semaphore {
  readonly #maxWaiting: number;
  readonly #waiting = new Set<Waiter>();
  #available: number;
  #closedWith: Error | undefined;

  constructor({ capacity, maxWaiting = Number.POSITIVE_INFINITY }: SemaphoreOptions) {
    this.#available = capacity;
    this.#maxWaiting = maxWaiting;
  }

  get available(): number {
    return this.#available;
  }

  /**
   * Resolves once there is a place, which the caller keeps until it calls the returned function.
   * Rejects with the signal's reason, `QueueFull`, or the error that the semaphore was closed with. A signal
   * that fires after the place was given changes nothing here: the caller has to check it.
   */
  async acquire(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted();
    if (this.#closedWith) throw this.#closedWith;
    if (this.#available > 0) this.#available -= 1;
    else await this.#wait(signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#passOn();
      isHeld = false;
    };
  }

  /** Refuses all waiting and all later callers. Callers that have a place are not affected. */
  close(error: Error): void {
    this.#closedWith = error;
    for (const waiter of this.#waiting) waiter.refuse(error);
    this.#waiting.clear();
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#maxWaiting) throw new QueueFull('Too many callers are waiting.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { admit: resolve, refuse: reject };
    this.#waiting.add(waiter);
    const leave = () => {
      if (this.#waiting.delete(waiter)) reject(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    await promise.finally(() => signal?.removeEventListener('abort', leave));
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#available += 1;
      return;
    }
    this.#waiting.delete(next);
    next.admit();
  }
}

/** A semaphore of the same size for each key, for example for each account. */
export class KeyedSemaphore {
  readonly #options: SemaphoreOptions;
  readonly #inUse = new Map<string, { readonly semaphore: Semaphore; users: number }>();

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  async acquire(key: string, signal?: AbortSignal): Promise<Release> {
    const entry = this.#inUse.get(key) ?? { semaphore: new Semaphore(this.#options), users: 0 };
    this.#inUse.set(key, entry);
    entry.users += 1;
    const leave = () => {
      entry.users -= 1;
      if (entry.users === 0) this.#inUse.delete(key);
    };
    try {
      const release = await entry.semaphore.acquire(signal);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        release();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
