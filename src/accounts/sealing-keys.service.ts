/** Knows which keys guard a database: what the service has noted, or what can be seen where it has noted nothing yet. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { sealedWith } from '../lib/secrets.ts';
import { listRecoveryCodeKeys, sealedPlaces } from './sealed.store.ts';
import { listSealingKeys, noteSealingKeys, retireSealingKeys } from './sealing-keys.store.ts';

/** A start must not wait for more than this many rows of each place. */
const LOOK_AT = 500;

export interface NamedKeys {
  /** Something may need them. */
  readonly named: readonly string[];
  /** Nothing needs them, or they were declared lost. */
  readonly retired: readonly string[];
}

export class SealingKeysService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;

  constructor(db: Kysely<Database>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async list(): Promise<NamedKeys> {
    const noted = await listSealingKeys(this.#db);
    if (noted.length === 0) return { named: await this.#seeKeys(), retired: [] };
    const idsOf = (isRetired: boolean) =>
      noted.filter(({ retired_at }) => (retired_at !== null) === isRetired).map(({ key_id }) => key_id);
    return { named: idsOf(false), retired: idsOf(true) };
  }

  /** A database of an earlier release says it only in the texts themselves. */
  async #seeKeys(): Promise<string[]> {
    const seen = new Set(await listRecoveryCodeKeys(this.#db, LOOK_AT));
    for (const place of sealedPlaces) {
      for (const { sealed } of await place.list(this.#db, undefined, LOOK_AT)) {
        const id = sealed === null ? undefined : sealedWith(sealed);
        if (id !== undefined) seen.add(id);
      }
    }
    return [...seen];
  }

  async note(keyIds: readonly string[]): Promise<void> {
    await noteSealingKeys(this.#db, [...new Set(keyIds)], this.#clock.now());
  }

  async retire(keyIds: readonly string[]): Promise<void> {
    await retireSealingKeys(this.#db, keyIds, this.#clock.now());
  }
}
