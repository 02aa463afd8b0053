/**
 * Somebody's token has expired, and all their nudges of the morning would show it to the server. One that strangers
 * share may then lock the whole service out: ntfy does after thirty wrong tokens. So the server sees a few, and after
 * that its refusal is repeated here for a while. Whatever it accepts ends that, such as a test.
 */
import type { Clock } from '../lib/clock.ts';

const MOST_ASKED = 3;
const REPEATED_FOR_MS = 600_000;
const MOST_KEPT = 10_000;

export class RefusedCredentials {
  readonly #clock: Clock;
  readonly #refusals = new Map<string, { readonly since: number; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  isRefused(credentials: string): boolean {
    return (this.#find(credentials)?.count ?? 0) >= MOST_ASKED;
  }

  refused(credentials: string): void {
    const known = this.#find(credentials);
    if (known) known.count += 1;
    else this.#refusals.set(credentials, { since: this.#clock.now().getTime(), count: 1 });
    const [oldest] = this.#refusals.keys();
    if (oldest !== undefined && this.#refusals.size > MOST_KEPT) this.#refusals.delete(oldest);
  }

  accepted(credentials: string): void {
    this.#refusals.delete(credentials);
  }

  #find(credentials: string) {
    const known = this.#refusals.get(credentials);
    const elapsedMs = this.#clock.now().getTime() - (known?.since ?? 0);
    if (known && elapsedMs >= 0 && elapsedMs < REPEATED_FOR_MS) return known;
    this.#refusals.delete(credentials);
    return undefined;
  }
}
