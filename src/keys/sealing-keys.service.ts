/** Which keys a database uses: as recorded, or as found in its sealed values if nothing is recorded yet. */
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { listRecoveryCodeKeys, sealedColumns } from './sealed-values.store.ts';
import { listSealingKeys, recordSealingKeys, retireSealingKeys } from './sealing-keys.store.ts';
import { sealedWith } from './vault.ts';

/** At most this many rows of each table are read, so that the start stays fast. */
const SAMPLE = 500;

export interface DatabaseKeys {
  /** Values or codes may need these keys. */
  readonly used: readonly string[];
  /** Nothing needs these keys any more, or they were marked as lost. */
  readonly retired: readonly string[];
}

export class SealingKeysService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async list(): Promise<DatabaseKeys> {
    const recorded = await listSealingKeys(this.#db);
    if (recorded.length === 0) return { used: await this.#findInValues(), retired: [] };
    const idsOf = (isRetired: boolean) =>
      recorded.filter(({ retired_at }) => (retired_at !== null) === isRetired).map(({ key_id }) => key_id);
    return { used: idsOf(false), retired: idsOf(true) };
  }

  /** For a database of a release that recorded no keys. */
  async #findInValues(): Promise<string[]> {
    const found = new Set(await listRecoveryCodeKeys(this.#db, SAMPLE));
    for (const column of sealedColumns) {
      for (const { sealed } of await column.list(this.#db, undefined, SAMPLE)) {
        const id = sealed === null ? undefined : sealedWith(sealed);
        if (id !== undefined) found.add(id);
      }
    }
    return [...found];
  }

  async record(keyIds: readonly string[]): Promise<void> {
    await recordSealingKeys(this.#db, [...new Set(keyIds)], this.#clock.now());
  }

  async retire(keyIds: readonly string[]): Promise<void> {
    await retireSealingKeys(this.#db, keyIds, this.#clock.now());
  }
}
