/** Marks missing keys as lost. Nothing is deleted: if a key is found later, SECRET_KEY_OLD makes it available again. */
import { openExclusive } from '../../db/open-for-command.ts';
import { listKeysInUse } from '../../db/postgres/postgres-sessions.ts';
import type { Db } from '../../db/schema.ts';
import { findKeys } from '../../keys/available-keys.ts';
import { type Dependents, RotationService } from '../../keys/rotation.service.ts';
import { SealingKeysService } from '../../keys/sealing-keys.service.ts';
import { newSecretKey } from '../../keys/secret-key-file.ts';
import { Vault } from '../../keys/vault.ts';
import { type Call, type Command, CommandError } from '../command.ts';
import { describeDependents } from './rotation.ts';

export const keysForget: Command = {
  parameters: [],
  summary: 'Mark missing encryption keys as lost so the service can start without them',
  explanation:
    'The service does not start if none of its keys is used by the database. After this it starts with the key it\n' +
    'has, or makes a new one. Values sealed with a lost key stay unreadable: people with a second factor cannot\n' +
    'sign in until "crescendo user mfa-off" turns it off. Stop the service first.',
  options: { yes: { type: 'boolean', about: 'Do it; without this the command only says what would be lost' } },
  async run(call) {
    const db = await openExclusive(call.config().DATABASE_URL, call);
    try {
      return await markAsLost(call, db);
    } finally {
      await db.destroy();
    }
  },
};

async function markAsLost(call: Call, db: Db) {
  const sealingKeys = new SealingKeysService(db, call.clock);
  const { used, retired } = await sealingKeys.list();
  // If no key is available, a random key is used, which opens nothing.
  const vault = new Vault(findKeys(call.config()) ?? [newSecretKey()]);
  const { missing } = await new RotationService(db, call.clock, vault).survey(call.signal);
  const lost = [...new Set([...used, ...missing.keys()])].filter(
    (id) => !vault.keyIds.includes(id) && !retired.includes(id),
  );
  if (lost.length === 0) throw new CommandError('No key is missing: every key that the database uses is available.');
  await refuseInUse(call, db, lost);
  const dependents = sumOf(lost.flatMap((id) => missing.get(id) ?? []));
  const cost = `${describeDependents(dependents)} of ${lost.length === 1 ? 'key' : 'keys'} ${lost.join(', ')}`;
  if (!call.options.yes) throw new CommandError(`This loses ${cost}. Nothing was changed: add --yes to do it.`);
  await sealingKeys.retire(lost);
  const text = `Lost: ${cost}. If you find a key later, put it into SECRET_KEY_OLD or at the end of secret.key.`;
  return { data: { forgotten_key_ids: lost, sealed_texts: dependents.values, accounts: dependents.accounts }, text };
}

async function refuseInUse(call: Call, db: Db, lost: readonly string[]): Promise<void> {
  if (call.config().DATABASE_URL.engine === 'sqlite') return;
  const inUse = (await listKeysInUse(db)).find((id) => lost.includes(id));
  if (inUse !== undefined)
    throw new CommandError(`Nothing was changed: a running process uses key ${inUse}, so it is not lost.`);
}

const sumOf = (all: readonly Dependents[]): Dependents => ({
  values: all.reduce((sum, { values }) => sum + values, 0),
  accounts: all.reduce((sum, { accounts }) => sum + accounts, 0),
});
