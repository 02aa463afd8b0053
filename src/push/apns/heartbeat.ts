import type { ClientHttp2Session } from 'node:http2';

/** Asks the peer now and then whether it is still there: TCP itself notices a silent death only after many minutes. */
export class Heartbeat {
  readonly #session: ClientHttp2Session;
  readonly #pongMs: number;
  readonly #onDeath: () => void;
  #everyTimer: NodeJS.Timeout | undefined;
  #pongTimer: NodeJS.Timeout | undefined;

  constructor(session: ClientHttp2Session, pongMs: number, onDeath: () => void) {
    this.#session = session;
    this.#pongMs = pongMs;
    this.#onDeath = onDeath;
  }

  start(everyMs: number): void {
    this.#everyTimer ??= setInterval(() => this.check(), everyMs);
  }

  /** Asks at once, unless an answer is awaited already. */
  check(): void {
    if (this.#pongTimer || this.#session.destroyed) return;
    this.#pongTimer = setTimeout(this.#onDeath, this.#pongMs);
    this.#session.ping(() => {
      clearTimeout(this.#pongTimer);
      this.#pongTimer = undefined;
    });
  }

  stop(): void {
    clearInterval(this.#everyTimer);
    clearTimeout(this.#pongTimer);
  }
}
