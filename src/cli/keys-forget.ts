/** The way out for whoever has lost a key for good. Nothing is erased: should it turn up, SECRET_KEY_OLD brings it back. */
import type { Kysely } from 'kysely';
import { KeyRotationService, type Orphans } from '../accounts/key-rotation.service.ts';
import { SealingKeysService } from '../accounts/sealing-keys.service.ts';
import { configuredKeys } from '../config.ts';
import { openAlone } from '../db/open-beside.ts';
import { listKeysInUse } from '../db/postgres-sessions.ts';
import type { Database } from '../db/schema.ts';
import { hasSecretKeys, newSecretKey, readSecretKeys, type SecretKeys } from '../lib/secret-key.ts';
import { Vault } from '../lib/secrets.ts';
import { type Call, type Command, CommandError } from './command.ts';
import { describeOrphans } from './key-rotation.ts';

export const keysForget: Command = {
  parameters: [],
  summary: 'Declare the keys lost that this database names and nobody has any more',
  explanation:
    'A service refuses to start while none of its keys is one that the database names. This lets it start with\n' +
    'the key it has, or make a new one. What the lost keys sealed stays, and stays useless: whoever had a second\n' +
    'factor cannot sign in until "crescendo user mfa-off" turns it off. Stop the service first.',
  options: { yes: { type: 'boolean', about: 'Do it; without this it only says what would be lost' } },
  async run(call) {
    const db = await openAlone(call.config().DATABASE_URL, call);
    try {
      return await forget(call, db);
    } finally {
      await db.destroy();
    }
  },
};

async function forget(call: Call, db: Kysely<Database>) {
  const sealingKeys = new SealingKeysService(db, call.clock);
  const { named, retired } = await sealingKeys.list();
  const vault = new Vault(keysAtHand(call));
  const { orphans } = await new KeyRotationService(db, call.clock, vault).survey(call.signal);
  const lost = [...new Set([...named, ...orphans.keys()])].filter(
    (id) => !vault.keyIds.includes(id) && !retired.includes(id),
  );
  if (lost.length === 0) throw new CommandError('There is nothing to forget: every key that is needed is at hand.');
  await refuseInUse(call, db, lost);
  const hanging = sumOf(lost.flatMap((id) => orphans.get(id) ?? []));
  const cost = `${describeOrphans(hanging)} of ${lost.length === 1 ? 'key' : 'keys'} ${lost.join(', ')}`;
  if (!call.options.yes) throw new CommandError(`This gives up ${cost}. Nothing was changed: add --yes to do it.`);
  await sealingKeys.retire(lost);
  const text = `Given up: ${cost}. Should a key turn up, put it into SECRET_KEY_OLD or at the end of secret.key.`;
  return { data: { forgotten_key_ids: lost, sealed_texts: hanging.texts, accounts: hanging.accounts }, text };
}

/** Where the file itself is lost, a key that opens nothing stands for it. */
function keysAtHand(call: Call): SecretKeys {
  const config = call.config();
  const configured = configuredKeys(config);
  if (configured) return configured;
  return hasSecretKeys(config.DATA_DIR) ? readSecretKeys(config.DATA_DIR) : [newSecretKey()];
}

async function refuseInUse(call: Call, db: Kysely<Database>, lost: readonly string[]): Promise<void> {
  if (call.config().DATABASE_URL.engine === 'sqlite') return;
  const inUse = (await listKeysInUse(db)).find((id) => lost.includes(id));
  if (inUse !== undefined)
    throw new CommandError(`Nothing was changed: a process seals with key ${inUse}, so it is not lost.`);
}

const sumOf = (all: readonly Orphans[]): Orphans => ({
  texts: all.reduce((sum, { texts }) => sum + texts, 0),
  accounts: all.reduce((sum, { accounts }) => sum + accounts, 0),
});
