/** Shared by both kinds of rotation. A rotation refuses before it changes anything, and never removes a needed key. */
import type { Db } from '../../db/schema.ts';
import { keySource } from '../../keys/available-keys.ts';
import { type Dependents, type OlderKeyUse, RotationService } from '../../keys/rotation.service.ts';
import { type DatabaseKeys, SealingKeysService } from '../../keys/sealing-keys.service.ts';
import type { SecretKeys } from '../../keys/secret-key-file.ts';
import { Vault } from '../../keys/vault.ts';
import { type Call, CommandError } from '../command.ts';

type Tallies = Awaited<ReturnType<RotationService['reseal']>>;

export interface Rotation {
  readonly keyId: string;
  readonly tallies: Tallies;
  readonly olderKeyUse: OlderKeyUse;
  /** A process without the new key still seals values with an old one. */
  readonly isUnfinished: boolean;
  /** Values sealed with keys that were marked as lost. */
  readonly lost: number;
  /** What the operator should do with the old keys. */
  readonly advice: string;
}

export interface Precheck {
  readonly keys: DatabaseKeys;
  /** Values that still have to be resealed. */
  readonly older: number;
  /** Values sealed with keys that were marked as lost. */
  readonly lost: number;
}

/** Throws if a value needs a key that is neither available nor marked as lost. Nothing is changed yet. */
export async function precheck(call: Call, db: Db, available: SecretKeys): Promise<Precheck> {
  const keys = await new SealingKeysService(db, call.clock).list();
  const { older, missing } = await orInterrupted(call, serviceWith(call, db, available).survey(call.signal));
  const needed = [...missing].filter(([keyId]) => !keys.retired.includes(keyId));
  if (needed.length > 0) throw new CommandError(missingKeysLine(keySource(call.config()), needed));
  return { keys, older, lost: [...missing.values()].reduce((sum, { values }) => sum + values, 0) };
}

function missingKeysLine(source: string, needed: readonly (readonly [string, Dependents])[]): string {
  const needs = needed.map(([keyId, dependents]) => `${describeDependents(dependents)} need key ${keyId}`).join(', ');
  const where = source === 'SECRET_KEY' ? 'neither SECRET_KEY nor in SECRET_KEY_OLD' : `not in ${source}`;
  return (
    `Nothing was changed: ${needs}, which is ${where}. Add it there, or check that DATABASE_URL and the keys ` +
    'belong together. If the key is lost: crescendo keys forget.'
  );
}

export const describeDependents = ({ values, accounts }: Dependents): string =>
  `${values} sealed ${values === 1 ? 'value' : 'values'} and the recovery codes of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`;

/** Reseals everything, then reads it again. A value with an older key was sealed by a process without the new key. */
export async function reseal(call: Call, db: Db, keys: SecretKeys) {
  const service = serviceWith(call, db, keys);
  const tallies = await orInterrupted(call, service.reseal(call.signal));
  const { older } = await orInterrupted(call, service.survey(call.signal));
  return { tallies, isUnfinished: older > 0, olderKeyUse: await service.findOlderKeyUse() };
}

export const countUnreadable = (tallies: Tallies): number =>
  Object.values(tallies).reduce((sum, { unreadable }) => sum + unreadable, 0);

const serviceWith = ({ clock }: Call, db: Db, keys: SecretKeys) => new RotationService(db, clock, new Vault(keys));

async function orInterrupted<T>({ signal }: Call, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new CommandError('Interrupted. Everything can still be read. Run it again to finish.');
  });
}
