/**
 * Seals every stored value again with the newest key, so that older keys can be removed.
 *
 * A rotation can be interrupted at any point and run again: each value opens with an available key before
 * and after, and values sealed with the newest key are skipped. Each value is replaced on its own, and only
 * if it is still the one that was read, so a running service neither waits nor loses a change. Recovery
 * codes are hashes, which cannot be resealed, so `findOlderKeyUse` reports the accounts that need an older key.
 */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import {
  countRecoveryCodeKeys,
  hasLiveEmailCode,
  type SealedColumn,
  type SealedValue,
  sealedColumns,
} from './sealed-values.store.ts';
import { sealedWith, type Vault } from './vault.ts';

const PAGE_SIZE = 500;
/** Values replaced concurrently. On SQLite these share one commit, which must stay short while the service runs. */
const CONCURRENCY = 50;

interface Tally {
  /** Sealed with the newest key by this run. */
  resealed: number;
  /** No key opens them: they are damaged, or were copied from another row. */
  unreadable: number;
}

/** What depends on a missing key. */
export interface Dependents {
  values: number;
  /** Accounts with recovery codes hashed under that key. */
  accounts: number;
}

export interface Survey {
  /** Values sealed with an older available key. */
  readonly older: number;
  /** By the id of the missing key. */
  readonly missing: ReadonlyMap<string, Dependents>;
}

export interface OlderKeyUse {
  /** Accounts whose recovery codes work only while an older key is available. */
  readonly accounts: number;
  /** The older keys that are still needed. */
  readonly keyIds: readonly string[];
}

export class RotationService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #vault: Vault;

  constructor(db: Db, clock: Clock, vault: Vault) {
    this.#db = db;
    this.#clock = clock;
    this.#vault = vault;
  }

  /** Reads every sealed value and changes nothing. */
  async survey(signal: AbortSignal): Promise<Survey> {
    let older = 0;
    const missing = new Map<string, Dependents>();
    const add = (keyId: string, more: Dependents) => {
      const { values, accounts } = missing.get(keyId) ?? { values: 0, accounts: 0 };
      missing.set(keyId, { values: values + more.values, accounts: accounts + more.accounts });
    };
    for (const column of sealedColumns) {
      for await (const page of this.#pagesOf(column, signal)) {
        older += page.filter((value) => this.#isOlder(value) && this.#findPlaintext(value) !== undefined).length;
        for (const keyId of this.#missingKeysIn(page)) add(keyId, { values: 1, accounts: 0 });
      }
    }
    for (const { key_id, accounts } of await countRecoveryCodeKeys(this.#db))
      if (key_id !== null && !this.#vault.keyIds.includes(key_id)) add(key_id, { values: 0, accounts });
    return { older, missing };
  }

  /** Rejects when the signal fires; what was resealed by then stays resealed. */
  async reseal(signal: AbortSignal): Promise<Readonly<Record<string, Tally>>> {
    const tallies: Record<string, Tally> = {};
    for (const column of sealedColumns) tallies[column.name] = await this.#resealColumn(column, signal);
    return tallies;
  }

  async #resealColumn(column: SealedColumn, signal: AbortSignal): Promise<Tally> {
    const tally = { resealed: 0, unreadable: 0 };
    for await (const page of this.#pagesOf(column, signal)) {
      tally.unreadable += page.filter(({ sealed }) => sealedWith(sealed) === undefined).length;
      const older = page.filter((value) => this.#isOlder(value));
      for (let start = 0; start < older.length; start += CONCURRENCY) {
        signal.throwIfAborted();
        const results = await Promise.all(
          older.slice(start, start + CONCURRENCY).map((value) => this.#replace(column, value)),
        );
        for (const result of results) if (result) tally[result] += 1;
      }
    }
    return tally;
  }

  async #replace(column: SealedColumn, value: Sealed): Promise<keyof Tally | undefined> {
    const plaintext = this.#findPlaintext(value);
    if (plaintext === undefined) return 'unreadable';
    const isReplaced = await column.replace(this.#db, value, this.#vault.seal(value.context, plaintext));
    return isReplaced ? 'resealed' : undefined;
  }

  /** Undefined for a value that its key does not open: it was damaged, or copied from another row. */
  #findPlaintext({ context, sealed }: Sealed): string | undefined {
    try {
      return this.#vault.open(context, sealed);
    } catch {
      return undefined;
    }
  }

  #isOlder({ sealed }: Sealed): boolean {
    return this.#vault.keyStatusOf(sealed) === 'older';
  }

  #missingKeysIn(page: readonly Sealed[]): string[] {
    return page
      .filter(({ sealed }) => this.#vault.keyStatusOf(sealed) === 'missing')
      .flatMap(({ sealed }) => sealedWith(sealed) ?? []);
  }

  async *#pagesOf(column: SealedColumn, signal: AbortSignal): AsyncGenerator<readonly Sealed[]> {
    let after: SealedValue['key'] | undefined;
    for (;;) {
      signal.throwIfAborted();
      const page = await column.list(this.#db, after, PAGE_SIZE);
      yield page.filter(isSealed);
      after = page.at(-1)?.key;
      if (page.length < PAGE_SIZE || after === undefined) return;
    }
  }

  /** Which codes still need an older key. Sealed values are not counted: reseal them first. */
  async findOlderKeyUse(): Promise<OlderKeyUse> {
    const [current, ...older] = this.#vault.keyIds;
    const counts = (await countRecoveryCodeKeys(this.#db)).filter(({ key_id }) => key_id !== current);
    // Recovery codes without a key id, and emailed codes that are still valid, may need any key.
    const mayBeAny =
      counts.some(({ key_id }) => key_id === null) || (await hasLiveEmailCode(this.#db, this.#clock.now()));
    const needed = new Set(counts.map(({ key_id }) => key_id));
    return {
      accounts: counts.reduce((sum, { accounts }) => sum + accounts, 0),
      keyIds: older.filter((id) => mayBeAny || needed.has(id)),
    };
  }
}

type Sealed = SealedValue & { readonly sealed: string };

const isSealed = (value: SealedValue): value is Sealed => value.sealed !== null;
