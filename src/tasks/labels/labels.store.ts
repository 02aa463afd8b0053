import type { Selectable } from 'kysely';
import type { Database, Db } from '../../db/schema.ts';

type Row = Selectable<Database['label_colours']>;

export async function listLabelColours(db: Db, userId: string): Promise<Omit<Row, 'user_id'>[]> {
  return db
    .selectFrom('label_colours')
    .select(['label', 'colour'])
    .where('user_id', '=', userId)
    .orderBy('label')
    .execute();
}

export async function storeLabelColours(trx: Db, rows: readonly Row[]): Promise<void> {
  await trx
    .insertInto('label_colours')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'label']).doUpdateSet((eb) => ({ colour: eb.ref('excluded.colour') })),
    )
    .execute();
}

export async function deleteLabelColour(trx: Db, userId: string, label: string): Promise<void> {
  await trx.deleteFrom('label_colours').where('user_id', '=', userId).where('label', '=', label).execute();
}
