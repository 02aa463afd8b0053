/**
 * What this process may send to a provider now, and for whom. A delivery without a place waits in the table, where
 * closing the task can still cancel it.
 *
 * One rule holds for the provider and for each of its servers: an account may have no more in hand than there are places
 * left. So there is a place for another account, however slow the answers are: one alone uses half, two a third each.
 *
 * A server has few places, so accounts also take turns there: one that had a place is left out until a claim has seen
 * that nobody else waits for a free place of this server.
 */
import { type Except, pairOf } from '../deliveries/leases.store.ts';
import type { Place } from '../deliveries/outgoing-push.ts';
import type { Gateway } from '../push/gateway.ts';

const MAX_IN_HAND = 2_000;

/** What accounts have in hand: leased or reserved, and the result not stored yet. */
class Holdings {
  readonly #byOwner = new Map<string, number>();
  total = 0;

  change(recipientId: string, by: 1 | -1): void {
    this.total += by;
    const held = this.of(recipientId) + by;
    if (held === 0) this.#byOwner.delete(recipientId);
    else this.#byOwner.set(recipientId, held);
  }

  of(recipientId: string): number {
    return this.#byOwner.get(recipientId) ?? 0;
  }

  /** The accounts that have as much in hand as is left. */
  crowding(left: number): string[] {
    return [...this.#byOwner].flatMap(([recipientId, held]) => (held >= left ? [recipientId] : []));
  }
}

interface Server {
  readonly held: Holdings;
  /** The accounts that had a place in this round. */
  readonly served: Set<string>;
  /** Those of them that the present claim leaves out; undefined if somebody else waits here and got no place. */
  leftOut: readonly string[] | undefined;
}

export class Places {
  readonly #gateway: Gateway;
  readonly #held = new Holdings();
  /** Where something is in hand, or a round is under way. */
  readonly #servers = new Map<string, Server>();
  /** The gateway does not know of these yet. */
  #reserved = 0;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** How many more the provider takes. */
  get left(): number {
    return Math.min(MAX_IN_HAND - this.#held.total, this.#gateway.capacity() - this.#reserved);
  }

  get isEmpty(): boolean {
    return this.#held.total === 0;
  }

  hold({ recipientId, server }: Place): void {
    this.#held.change(recipientId, 1);
    if (!this.#hasPlaces(server)) return;
    const known = this.#servers.get(server) ?? { held: new Holdings(), served: new Set(), leftOut: [] };
    known.held.change(recipientId, 1);
    this.#servers.set(server, known);
  }

  free({ recipientId, server }: Place): void {
    this.#held.change(recipientId, -1);
    this.#servers.get(server ?? '')?.held.change(recipientId, -1);
  }

  /** For a push that the gateway gets later. False if there is no place for this account. */
  reserve(place: Place): boolean {
    if (!this.#isFree(place)) {
      const known = this.#servers.get(place.server ?? '');
      if (known?.held.of(place.recipientId) === 0) known.leftOut = undefined;
      return false;
    }
    this.#reserved += 1;
    this.hold(place);
    return true;
  }

  cancel(place: Place): void {
    this.#reserved -= 1;
    this.free(place);
  }

  #isFree({ recipientId, server }: Place): boolean {
    if (this.#held.of(recipientId) >= this.left) return false;
    const known = this.#servers.get(server ?? '');
    return known === undefined || known.held.of(recipientId) < this.#leftAt(known);
  }

  #hasPlaces(server: string | null): server is string {
    return server !== null && this.#gateway.placesPerServer !== undefined;
  }

  #leftAt({ held }: Server): number {
    return (this.#gateway.placesPerServer ?? 0) - held.total;
  }

  /** What a claim leaves out, because there is no place for it or it is the turn of others. */
  except(): Except {
    const full: string[] = [];
    const pairs: string[] = [];
    for (const [name, server] of this.#servers) {
      const left = this.#leftAt(server);
      server.leftOut = left > 0 ? [...server.served] : undefined;
      if (!server.leftOut) full.push(name);
      else
        for (const recipientId of [...server.leftOut, ...server.held.crowding(left)])
          pairs.push(pairOf(recipientId, name));
    }
    return { owners: this.#held.crowding(this.left), servers: full, pairs };
  }

  /** Marks that the account had its turn. */
  serve({ recipientId, server }: Place): void {
    this.#servers.get(server ?? '')?.served.add(recipientId);
  }

  /**
   * To be called after a claim that has seen everything it did not leave out: nobody else waits for the free places, so
   * all accounts have a turn again. Returns whether there is a place for one that was left out.
   */
  startRounds(): boolean {
    let isAnyBack = false;
    for (const [name, server] of this.#servers) {
      const left = this.#leftAt(server);
      if (left <= 0 || !server.leftOut) continue;
      if (server.leftOut.some((recipientId) => server.held.of(recipientId) < left)) isAnyBack = true;
      this.#endRound(name, server);
    }
    return isAnyBack;
  }

  /** To be called when nothing is due. */
  endRounds(): void {
    for (const [name, server] of this.#servers) this.#endRound(name, server);
  }

  #endRound(name: string, { served, held }: Server): void {
    served.clear();
    if (held.total === 0) this.#servers.delete(name);
  }
}
