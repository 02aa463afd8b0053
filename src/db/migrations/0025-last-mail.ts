import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** When a mail channel has told its owner that no more mail comes until they open the app. */
export const lastMail: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable('channels').addColumn('last_mail_at', 'timestamptz').execute();
  },
};
