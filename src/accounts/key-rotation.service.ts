/**
 * Seals everything anew with the newest key, so that older ones can be given up.
 *
 * It may be interrupted at any point and run again: each text opens before and after with a key that
 * is still known, and one that is sealed with the newest key already is left alone. Each is replaced
 * by itself and only while it is what was read, so that a service beside it neither waits nor loses
 * anything. Hashes cannot be made anew, so it tells who depends on an older key through them.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { sealedWith, type Vault } from '../lib/secrets.ts';
import {
  countRecoveryCodeKeys,
  hasLiveEmailCode,
  type SealedPlace,
  type SealedText,
  sealedPlaces,
} from './sealed.store.ts';

const PAGE = 500;
/** So many are replaced at once: on SQLite they share a commit, which must stay short beside a service. */
const AT_ONCE = 50;

interface Tally {
  /** Sealed with the newest key now, by this run. */
  resealed: number;
  /** Damaged, or moved from another row: no key opens it. */
  unreadable: number;
}

/** What hangs on a key that is not at hand. */
export interface Orphans {
  texts: number;
  /** Accounts with recovery codes of that key. */
  accounts: number;
}

export interface Survey {
  /** Sealed with an older key, and readable. */
  readonly older: number;
  /** By the name of the key that is not at hand. */
  readonly orphans: ReadonlyMap<string, Orphans>;
}

export interface Dependence {
  /** Accounts whose recovery codes work only as long as an older key is known. */
  readonly accounts: number;
  /** The older keys that something still needs. */
  readonly keyIds: readonly string[];
}

export class KeyRotationService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #vault: Vault;

  constructor(db: Kysely<Database>, clock: Clock, vault: Vault) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
  }

  /** Looks through everything and changes nothing. */
  async survey(signal: AbortSignal): Promise<Survey> {
    let older = 0;
    const orphans = new Map<string, Orphans>();
    const add = (keyId: string, more: Orphans) => {
      const { texts, accounts } = orphans.get(keyId) ?? { texts: 0, accounts: 0 };
      orphans.set(keyId, { texts: texts + more.texts, accounts: accounts + more.accounts });
    };
    for (const place of sealedPlaces) {
      for await (const page of this.#pagesOf(place, signal)) {
        older += page.filter((text) => this.#isOlder(text) && this.#find(text) !== undefined).length;
        for (const keyId of this.#strangersIn(page)) add(keyId, { texts: 1, accounts: 0 });
      }
    }
    for (const { key_id, accounts } of await countRecoveryCodeKeys(this.#db))
      if (key_id !== null && !this.#vault.keyIds.includes(key_id)) add(key_id, { texts: 0, accounts });
    return { older, orphans };
  }

  /** Rejects when the signal fires; what was done by then stays done. */
  async reseal(signal: AbortSignal): Promise<Readonly<Record<string, Tally>>> {
    const tallies: Record<string, Tally> = {};
    for (const place of sealedPlaces) tallies[place.name] = await this.#resealPlace(place, signal);
    return tallies;
  }

  async #resealPlace(place: SealedPlace, signal: AbortSignal): Promise<Tally> {
    const tally = { resealed: 0, unreadable: 0 };
    for await (const page of this.#pagesOf(place, signal)) {
      tally.unreadable += page.filter(({ sealed }) => sealedWith(sealed) === undefined).length;
      const older = page.filter((text) => this.#isOlder(text));
      for (let start = 0; start < older.length; start += AT_ONCE) {
        signal.throwIfAborted();
        const results = await Promise.all(
          older.slice(start, start + AT_ONCE).map((text) => this.#replace(place, text)),
        );
        for (const result of results) if (result) tally[result] += 1;
      }
    }
    return tally;
  }

  async #replace(place: SealedPlace, text: Sealed): Promise<keyof Tally | undefined> {
    const plain = this.#find(text);
    if (plain === undefined) return 'unreadable';
    const isReplaced = await place.replace(this.#db, text, this.#vault.seal(text.context, plain));
    return isReplaced ? 'resealed' : undefined;
  }

  /** Undefined for a text that a known key did not seal, although it says so: it was damaged or moved. */
  #find({ context, sealed }: Sealed): string | undefined {
    try {
      return this.#vault.open(context, sealed);
    } catch {
      return undefined;
    }
  }

  #isOlder({ sealed }: Sealed): boolean {
    return this.#vault.ageOf(sealed) === 'older';
  }

  #strangersIn(page: readonly Sealed[]): string[] {
    return page
      .filter(({ sealed }) => this.#vault.ageOf(sealed) === 'unknown')
      .flatMap(({ sealed }) => sealedWith(sealed) ?? []);
  }

  async *#pagesOf(place: SealedPlace, signal: AbortSignal): AsyncGenerator<readonly Sealed[]> {
    let after: SealedText['key'] | undefined;
    for (;;) {
      signal.throwIfAborted();
      const page = await place.list(this.#db, after, PAGE);
      yield page.filter(isSealed);
      after = page.at(-1)?.key;
      if (page.length < PAGE || after === undefined) return;
    }
  }

  /** What could no longer be checked without the older keys. Sealed texts are not counted: reseal them first. */
  async findDependence(): Promise<Dependence> {
    const [current, ...older] = this.#vault.keyIds;
    const counts = (await countRecoveryCodeKeys(this.#db)).filter(({ key_id }) => key_id !== current);
    // Codes without a name, and those in a mail just now, may be of any key.
    const mayBeAny =
      counts.some(({ key_id }) => key_id === null) || (await hasLiveEmailCode(this.#db, this.#clock.now()));
    const named = new Set(counts.map(({ key_id }) => key_id));
    return {
      accounts: counts.reduce((sum, { accounts }) => sum + accounts, 0),
      keyIds: older.filter((id) => mayBeAny || named.has(id)),
    };
  }
}

type Sealed = SealedText & { readonly sealed: string };

const isSealed = (text: SealedText): text is Sealed => text.sealed !== null;
