/**
 * What this process may send to a provider now, and for whom. A delivery without a place waits in the table, where
 * closing the task can still cancel it.
 *
 * A delivery occupies a place from its lease or reservation until its result is stored. One rule applies to the
 * provider and to each of its servers: an account may occupy no more places than are left. So there is a place for
 * another account, however slow the answers are: one account alone uses half of the places, two use a third each.
 *
 * A server has few places, so accounts also take turns there: an account that had a place is left out until a claim has
 * seen that nobody else waits for a free place of this server.
 */
import { type Except, pairOf } from '../deliveries/leases.store.ts';
import type { Place } from '../deliveries/outgoing-push.ts';
import type { Gateway } from '../push/gateway.ts';

const MAX_OCCUPIED = 2_000;

/** Counts the places that each account occupies. */
class OccupiedPlaces {
  readonly #byOwner = new Map<string, number>();
  total = 0;

  change(recipientId: string, by: 1 | -1): void {
    this.total += by;
    const count = this.of(recipientId) + by;
    if (count === 0) this.#byOwner.delete(recipientId);
    else this.#byOwner.set(recipientId, count);
  }

  of(recipientId: string): number {
    return this.#byOwner.get(recipientId) ?? 0;
  }

  /** The accounts that occupy at least as many places as are left. */
  crowding(left: number): string[] {
    return [...this.#byOwner].flatMap(([recipientId, count]) => (count >= left ? [recipientId] : []));
  }
}

interface Server {
  readonly occupied: OccupiedPlaces;
  /** The accounts that had a place in this round. */
  readonly served: Set<string>;
  /** The served accounts that the present claim leaves out; undefined if another account waits here without a place. */
  leftOut: readonly string[] | undefined;
}

export class Places {
  readonly #gateway: Gateway;
  readonly #occupied = new OccupiedPlaces();
  /** Only servers with an occupied place or an unfinished round. */
  readonly #servers = new Map<string, Server>();
  /** How many reserved places the gateway does not know of yet. */
  #reserved = 0;

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  /** How many more pushes the provider can take. */
  get left(): number {
    return Math.min(MAX_OCCUPIED - this.#occupied.total, this.#gateway.capacity() - this.#reserved);
  }

  get isEmpty(): boolean {
    return this.#occupied.total === 0;
  }

  occupy({ recipientId, server }: Place): void {
    this.#occupied.change(recipientId, 1);
    if (!this.#hasPlaces(server)) return;
    const known = this.#servers.get(server) ?? { occupied: new OccupiedPlaces(), served: new Set(), leftOut: [] };
    known.occupied.change(recipientId, 1);
    this.#servers.set(server, known);
  }

  free({ recipientId, server }: Place): void {
    this.#occupied.change(recipientId, -1);
    this.#servers.get(server ?? '')?.occupied.change(recipientId, -1);
  }

  /** Reserves a place for a push that the gateway gets later. False if there is no place for this account. */
  reserve(place: Place): boolean {
    if (!this.#isFree(place)) {
      const known = this.#servers.get(place.server ?? '');
      if (known?.occupied.of(place.recipientId) === 0) known.leftOut = undefined;
      return false;
    }
    this.#reserved += 1;
    this.occupy(place);
    return true;
  }

  cancel(place: Place): void {
    this.#reserved -= 1;
    this.free(place);
  }

  #isFree({ recipientId, server }: Place): boolean {
    if (this.#occupied.of(recipientId) >= this.left) return false;
    const known = this.#servers.get(server ?? '');
    return known === undefined || known.occupied.of(recipientId) < this.#leftAt(known);
  }

  #hasPlaces(server: string | null): server is string {
    return server !== null && this.#gateway.placesPerServer !== undefined;
  }

  #leftAt({ occupied }: Server): number {
    return (this.#gateway.placesPerServer ?? 0) - occupied.total;
  }

  /** What a claim leaves out, because it has no place or others have their turn first. */
  except(): Except {
    const full: string[] = [];
    const pairs: string[] = [];
    for (const [name, server] of this.#servers) {
      const left = this.#leftAt(server);
      server.leftOut = left > 0 ? [...server.served] : undefined;
      if (!server.leftOut) full.push(name);
      else
        for (const recipientId of [...server.leftOut, ...server.occupied.crowding(left)])
          pairs.push(pairOf(recipientId, name));
    }
    return { owners: this.#occupied.crowding(this.left), servers: full, pairs };
  }

  /** Marks that the account had its turn. */
  serve({ recipientId, server }: Place): void {
    this.#servers.get(server ?? '')?.served.add(recipientId);
  }

  /**
   * Call this after a claim that has seen everything it did not leave out. Nobody else waits for the free places, so
   * all accounts have a turn again. Returns whether there is a place for an account that was left out.
   */
  startRounds(): boolean {
    let isAnyBack = false;
    for (const [name, server] of this.#servers) {
      const left = this.#leftAt(server);
      if (left <= 0 || !server.leftOut) continue;
      if (server.leftOut.some((recipientId) => server.occupied.of(recipientId) < left)) isAnyBack = true;
      this.#endRound(name, server);
    }
    return isAnyBack;
  }

  /** Call this when nothing is due. */
  endRounds(): void {
    for (const [name, server] of this.#servers) this.#endRound(name, server);
  }

  #endRound(name: string, { served, occupied }: Server): void {
    served.clear();
    if (occupied.total === 0) this.#servers.delete(name);
  }
}
