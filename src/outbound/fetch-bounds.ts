/**
 * Bounds what this process fetches from addresses that strangers chose: how often, and how many at once. Asked before
 * anything is looked up or opened. Each process counts for itself, as its memory of documents is its own.
 *
 * Nobody can use up what others need:
 * - One account, and one client, reaches its own bound long before that of a host or of the process.
 * - A host that hangs keeps a quarter of the places, whatever ports and spellings of its name are used.
 * - What was read before, or belongs to a client that is connected here (`isKnown`), has counters of its own. Requests
 *   with invented addresses at a well-known host are counted elsewhere, so they never refuse its real clients.
 */
import { canonicalHost } from './endpoint.ts';

export interface Fetch {
  readonly url: URL;
  /** The account for which it is fetched. */
  readonly userId: string;
  readonly clientId: string;
  readonly isKnown: boolean;
}

interface Bounds {
  readonly perAccount: number;
  readonly perClient: number;
  readonly perHost: number;
  readonly inAll: number;
}

const WINDOW_MS = 60_000;

/** A client needs two a minute at most, since answers are kept for a minute: its document and its keys. */
const PER_MINUTE: Readonly<Record<'known' | 'new', Bounds>> = {
  new: { perAccount: 20, perClient: 10, perHost: 120, inAll: 600 },
  // Some hosts have a document for each of their people's clients.
  known: { perAccount: 60, perClient: 10, perHost: 600, inAll: 1_200 },
};

/** Enough for a burst after a restart: a fetch takes a tenth of a second, and one that hangs ends after five. */
const AT_ONCE: Bounds = { perAccount: 8, perClient: 2, perHost: 16, inAll: 64 };

export class FetchBounds {
  readonly #recent = new Map<string, number>();
  readonly #inFlight = new Map<string, number>();
  #window = Number.NaN;

  /** Undefined if it may not be fetched now. Otherwise call the returned function when it has ended. */
  enter(fetch: Fetch, now: Date): (() => void) | undefined {
    const window = Math.floor(now.getTime() / WINDOW_MS);
    // Another window, also after the clock was set back.
    if (window !== this.#window) this.#recent.clear();
    this.#window = window;
    const group = fetch.isKnown ? 'known' : 'new';
    const recent = countersOf(fetch, group, PER_MINUTE[group]);
    const inFlight = countersOf(fetch, group, AT_ONCE);
    if (isAnyFull(this.#recent, recent) || isAnyFull(this.#inFlight, inFlight)) return undefined;
    for (const [key] of recent) add(this.#recent, key, 1);
    for (const [key] of inFlight) add(this.#inFlight, key, 1);
    return () => {
      for (const [key] of inFlight) add(this.#inFlight, key, -1);
    };
  }
}

type Counter = readonly [key: string, most: number];

const countersOf = ({ url, userId, clientId }: Fetch, group: string, bounds: Bounds): readonly Counter[] => [
  [`${group} account ${userId}`, bounds.perAccount],
  [`${group} client ${clientId}`, bounds.perClient],
  [`${group} host ${canonicalHost(url)}`, bounds.perHost],
  [group, bounds.inAll],
];

const isAnyFull = (counts: ReadonlyMap<string, number>, counters: readonly Counter[]): boolean =>
  counters.some(([key, most]) => (counts.get(key) ?? 0) >= most);

function add(counts: Map<string, number>, key: string, amount: number): void {
  const count = (counts.get(key) ?? 0) + amount;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
