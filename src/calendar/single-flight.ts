/**
 * Runs at most one job per key at a time. Callers that ask for the same version share its result, and the
 * job stops when the last of them hangs up. A calendar that repeats its request therefore adds no work.
 */
interface Flight {
  readonly version: string;
  readonly result: Promise<string>;
  readonly stop: AbortController;
  callers: number;
}

type Job = (signal: AbortSignal) => Promise<string>;

export class SingleFlight {
  readonly #flights = new Map<string, Flight>();

  /** Returns the result for this version, from a job already running for it or from a new one. */
  async run(key: string, version: string, job: Job, callerLeft: AbortSignal): Promise<string> {
    for (;;) {
      callerLeft.throwIfAborted();
      const current = this.#flights.get(key);
      if (!current || current.stop.signal.aborted)
        return this.#join(this.#start(key, version, job, current), callerLeft);
      if (current.version === version) return this.#join(current, callerLeft);
      await this.#join(current, callerLeft).catch(() => undefined);
    }
  }

  #start(key: string, version: string, job: Job, previous: Flight | undefined): Flight {
    const stop = new AbortController();
    // A stopped job still finishes its current step; the next job starts after that.
    const result = Promise.resolve(previous?.result)
      .catch(() => undefined)
      .then(() => job(stop.signal))
      .finally(() => {
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
      });
    const flight = { version, result, stop, callers: 0 };
    this.#flights.set(key, flight);
    return flight;
  }

  async #join(flight: Flight, callerLeft: AbortSignal): Promise<string> {
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(callerLeft.reason);
    callerLeft.addEventListener('abort', leave, { once: true });
    flight.callers += 1;
    try {
      return await Promise.race([flight.result, left.promise]);
    } finally {
      callerLeft.removeEventListener('abort', leave);
      flight.callers -= 1;
      if (flight.callers === 0) flight.stop.abort();
    }
  }
}
