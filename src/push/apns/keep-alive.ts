import type { ClientHttp2Session } from 'node:http2';

/** Pings the server regularly: TCP notices a connection that died silently only after many minutes. */
export class KeepAlive {
  readonly #session: ClientHttp2Session;
  readonly #pongTimeoutMs: number;
  readonly #onDead: () => void;
  #pingTimer: NodeJS.Timeout | undefined;
  #pongTimer: NodeJS.Timeout | undefined;

  constructor(session: ClientHttp2Session, pongTimeoutMs: number, onDead: () => void) {
    this.#session = session;
    this.#pongTimeoutMs = pongTimeoutMs;
    this.#onDead = onDead;
  }

  start(pingEveryMs: number): void {
    this.#pingTimer ??= setInterval(() => this.ping(), pingEveryMs);
  }

  /** Pings at once, unless a ping is still unanswered. */
  ping(): void {
    if (this.#pongTimer || this.#session.destroyed) return;
    this.#pongTimer = setTimeout(this.#onDead, this.#pongTimeoutMs);
    this.#session.ping(() => {
      clearTimeout(this.#pongTimer);
      this.#pongTimer = undefined;
    });
  }

  stop(): void {
    clearInterval(this.#pingTimer);
    clearTimeout(this.#pongTimer);
  }
}
