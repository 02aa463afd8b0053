/** What both ways to rotate have in common: nothing is begun that could not be finished, and nothing is given up that is needed. */
import type { Kysely } from 'kysely';
import { type Dependence, KeyRotationService, type Orphans } from '../accounts/key-rotation.service.ts';
import { type NamedKeys, SealingKeysService } from '../accounts/sealing-keys.service.ts';
import { placeOfKeys } from '../compose-keys.ts';
import type { Database } from '../db/schema.ts';
import type { SecretKeys } from '../lib/secret-key.ts';
import { Vault } from '../lib/secrets.ts';
import { type Call, CommandError } from './command.ts';

type Tallies = Awaited<ReturnType<KeyRotationService['reseal']>>;

export interface Rotation {
  readonly keyId: string;
  readonly tallies: Tallies;
  readonly dependence: Dependence;
  /** A process that does not know the new key goes on sealing with an old one. */
  readonly isUnfinished: boolean;
  /** Texts of keys that were declared lost. */
  readonly forgotten: number;
  /** What is to be done with the former keys, for people. */
  readonly advice: string;
}

export interface Findings {
  readonly keys: NamedKeys;
  /** Texts still to be sealed anew. */
  readonly older: number;
  readonly forgotten: number;
}

/** Throws, before anything is changed, where something hangs on a key that is neither at hand nor declared lost. */
export async function lookBeforehand(call: Call, db: Kysely<Database>, known: SecretKeys): Promise<Findings> {
  const keys = await new SealingKeysService(db, call.clock).list();
  const { older, orphans } = await orInterrupted(call, serviceWith(call, db, known).survey(call.signal));
  const strange = [...orphans].filter(([keyId]) => !keys.retired.includes(keyId));
  if (strange.length > 0) throw new CommandError(orphanLine(placeOfKeys(call.config()), strange));
  return { keys, older, forgotten: [...orphans.values()].reduce((sum, { texts }) => sum + texts, 0) };
}

function orphanLine(place: string, strange: readonly (readonly [string, Orphans])[]): string {
  const needs = strange.map(([keyId, hanging]) => `${describeOrphans(hanging)} need key ${keyId}`).join(', ');
  const where = place === 'SECRET_KEY' ? 'neither SECRET_KEY nor in SECRET_KEY_OLD' : `not in ${place}`;
  return (
    `Nothing was changed: ${needs}, which is ${where}. Bring it back there, or see whether DATABASE_URL and the keys ` +
    'belong together. Only if it is lost for good: crescendo keys forget.'
  );
}

export const describeOrphans = ({ texts, accounts }: Orphans): string =>
  `${texts} sealed ${texts === 1 ? 'text' : 'texts'} and the recovery codes of ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`;

/** Sealed anew, and looked through once more: what is of an older key then was sealed meanwhile. */
export async function reseal(call: Call, db: Kysely<Database>, keys: SecretKeys) {
  const service = serviceWith(call, db, keys);
  const tallies = await orInterrupted(call, service.reseal(call.signal));
  const { older } = await orInterrupted(call, service.survey(call.signal));
  return { tallies, isUnfinished: older > 0, dependence: await service.findDependence() };
}

export const countUnreadable = (tallies: Tallies): number =>
  Object.values(tallies).reduce((sum, { unreadable }) => sum + unreadable, 0);

const serviceWith = ({ clock }: Call, db: Kysely<Database>, keys: SecretKeys) =>
  new KeyRotationService(db, clock, new Vault(keys));

async function orInterrupted<T>({ signal }: Call, work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw new CommandError('Interrupted. Everything can still be read; run it again to finish.');
  });
}
