/** The colours that a person chose for labels. The label itself is the kind of a task. */
import type { Static } from 'typebox';
import type { Db } from '../../db/schema.ts';
import { announce, lockUntilCommit, transact } from '../../db/transact.ts';
import type { SessionCaller } from '../../lib/caller.ts';
import { AppError } from '../../lib/errors.ts';
import { type LabelColour, MAX_LABELS } from './labels.schemas.ts';
import { deleteLabelColour, listLabelColours, storeLabelColours } from './labels.store.ts';

type Colour = Static<typeof LabelColour>;

export class LabelsService {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** In the order of the labels. */
  async list({ userId }: Pick<SessionCaller, 'userId'>): Promise<Colour[]> {
    return (await listLabelColours(this.#db, userId)) as Colour[];
  }

  /** If a label is listed twice, the last colour counts. Stores all of them or none. */
  async set(caller: SessionCaller, colours: readonly Colour[], keepExisting: boolean): Promise<Colour[]> {
    const { userId } = caller;
    await this.#store(userId, colours, keepExisting, () => {
      throw new AppError('too_many_labels');
    });
    return this.list(caller);
  }

  /** Changes no colour that the account has, and leaves out what it cannot have. */
  async restore(userId: string, colours: readonly Colour[]): Promise<void> {
    await this.#store(userId, colours, true, (added, space) => added.slice(0, space));
  }

  async remove({ userId }: SessionCaller, label: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      await deleteLabelColour(trx, userId, label);
      announce(trx, [userId]);
    });
  }

  async #store(
    userId: string,
    colours: readonly Colour[],
    keepExisting: boolean,
    fit: (added: readonly Colour[], space: number) => readonly Colour[],
  ): Promise<void> {
    // Nothing else that a newer client sends is stored.
    const wanted = [...new Map(colours.map(({ label, colour }) => [label, { label, colour }])).values()];
    await transact(this.#db, async (trx) => {
      await lockUntilCommit(trx, `tasks of ${userId}`);
      const known = new Map((await listLabelColours(trx, userId)).map(({ label, colour }) => [label, colour]));
      const changed = keepExisting
        ? []
        : wanted.filter(({ label, colour }) => known.has(label) && known.get(label) !== colour);
      const added = wanted.filter(({ label }) => !known.has(label));
      const space = MAX_LABELS - known.size;
      const rows = [...changed, ...(added.length > space ? fit(added, space) : added)];
      if (rows.length === 0) return;
      await storeLabelColours(
        trx,
        rows.map((row) => ({ ...row, user_id: userId })),
      );
      announce(trx, [userId]);
    });
  }
}
