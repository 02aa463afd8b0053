/** The two ways to rotate: the key in a file of ours, or in settings that are not ours to write. */
import { type Dependence, KeyRotationService } from '../accounts/key-rotation.service.ts';
import { openAlone } from '../db/open-beside.ts';
import { UnusableFileError } from '../db/sqlite-files.ts';
import { newSecretKey, replaceSecretKeys, type SecretKeys } from '../lib/secret-key.ts';
import { keyIdOf, Vault } from '../lib/secrets.ts';
import { type Call, CommandError } from './command.ts';
import { keysOf, withDatabase } from './desk.ts';

export interface Rotation {
  readonly keyId: string;
  readonly tallies: Awaited<ReturnType<KeyRotationService['reseal']>>;
  readonly dependence: Dependence;
  /** A process that does not know the new key goes on sealing with an old one. */
  readonly isUnfinished: boolean;
  /** What is to be done with the former keys, for people. */
  readonly advice: string;
}

/**
 * The lock keeps the service out: it reads the file once, when it starts. The new key is on disk before
 * anything is sealed with it, and an old one leaves the file only after nothing needs it any more.
 */
export async function rotateKeyFile(call: Call): Promise<Rotation> {
  const config = call.config();
  const db = await openAlone(config.DATABASE_URL, call).catch(explainLock);
  try {
    const found = keysOf(config);
    const before = new KeyRotationService(db, call.clock, new Vault(found));
    const isResumed = await orInterrupted(call, before.isUnfinished(call.signal));
    if (isResumed) call.tell('An earlier rotation was interrupted: finishing it.');
    const keys: SecretKeys = isResumed ? found : [newSecretKey(), ...found];
    if (!isResumed) replaceSecretKeys(config.DATA_DIR, keys);
    const rotation = await reseal(call, new KeyRotationService(db, call.clock, new Vault(keys)));
    const kept = neededOf(keys, rotation.dependence.keyIds);
    if (kept.length < keys.length) replaceSecretKeys(config.DATA_DIR, kept);
    return { ...rotation, keyId: keyIdOf(keys[0]), advice: adviceForFile(kept.length - 1) };
  } finally {
    await db.destroy();
  }
}

function explainLock(error: unknown): never {
  if (error instanceof UnusableFileError && /already has/.test(error.message))
    throw new CommandError(`${error.message} Stop the service first: it reads its key when it starts.`);
  throw error;
}

const neededOf = ([newest, ...older]: SecretKeys, needed: readonly string[]): SecretKeys => [
  newest,
  ...older.filter((key) => needed.includes(keyIdOf(key))),
];

const adviceForFile = (older: number) =>
  older === 0
    ? 'The old keys are gone from secret.key. Make a backup now: one from before has the old key with it.'
    : `secret.key still holds ${older === 1 ? 'one older key' : `${older} older keys`}. Make a backup now.`;

export async function rotateConfiguredKeys(call: Call): Promise<Rotation> {
  const config = call.config();
  const { SECRET_KEY_OLD: old = [] } = config;
  if (old.length === 0) {
    throw new CommandError(
      'SECRET_KEY_OLD is not set. To rotate, set SECRET_KEY to a new key and SECRET_KEY_OLD to the former one, ' +
        'restart every process, and run this again.',
    );
  }
  const vault = new Vault(keysOf(config));
  return withDatabase(call, async (db) => {
    const rotation = await reseal(call, new KeyRotationService(db, call.clock, vault));
    const isNeeded = rotation.isUnfinished || rotation.dependence.keyIds.length > 0;
    return { ...rotation, keyId: vault.keyId, advice: adviceForSettings(isNeeded, rotation.dependence.accounts) };
  });
}

function adviceForSettings(isNeeded: boolean, accounts: number): string {
  if (!isNeeded) return 'Nothing needs SECRET_KEY_OLD any more: remove it and restart every process.';
  if (accounts === 0) return 'Keep SECRET_KEY_OLD for now, and run this again in ten minutes: a code may be in a mail.';
  return 'Keep SECRET_KEY_OLD until those codes are renewed, or remove it and accept that they stop working.';
}

async function reseal(call: Call, service: KeyRotationService) {
  const tallies = await orInterrupted(call, service.reseal(call.signal));
  const isUnfinished = await orInterrupted(call, service.isUnfinished(call.signal));
  return { tallies, isUnfinished, dependence: await service.findDependence() };
}

async function orInterrupted<T>({ signal }: Call, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new CommandError('Interrupted. Everything can still be read; run it again to finish.');
  });
}
