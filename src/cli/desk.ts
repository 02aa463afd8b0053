/** What a command about accounts works with: the database beside the service, and the service's own rules. */
import type { Kysely } from 'kysely';
import { ThrottleService } from '../accounts/throttle.service.ts';
import { composeNouns } from '../compose.ts';
import { type Config, configuredKeys } from '../config.ts';
import { openBeside } from '../db/open-beside.ts';
import type { Database } from '../db/schema.ts';
import { AppError } from '../lib/errors.ts';
import { printingMailer } from '../lib/mailer.ts';
import { hasSecretKeys, readSecretKeys, type SecretKeys } from '../lib/secret-key.ts';
import { Vault } from '../lib/secrets.ts';
import { type Call, CommandError } from './command.ts';

/** Where an audit line says that somebody came from. */
export const COMMAND_LINE = 'command line';

export async function withDatabase<T>(call: Call, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const db = await openBeside(call.config().DATABASE_URL, call);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

/** The services of accounts, wired as for requests, so that nothing that follows a change is forgotten. */
export async function accountsAt(call: Call, db: Kysely<Database>) {
  const { clock, version } = call;
  const config = call.config();
  // Commands otherwise speak of trouble alone; whoever changes an account leaves an audit line.
  const logger = call.logger.child({}, { level: 'info' });
  const parts = { config, version, clock, wallClock: clock, logger, print: () => undefined };
  const shared = {
    ...{ db, vault: new Vault(keysOf(config)), mailer: printingMailer(() => undefined) },
    throttle: new ThrottleService(db, clock),
  };
  const { accounts } = composeNouns(parts, shared, () => undefined);
  // The service tells the provider, whenever it looks next: no command waits for one.
  await accounts.revocations.stop();
  return accounts;
}

/** Somebody else, or the owner, may delete the account between the look and the deed. */
export async function unlessGone<T>(name: string, deed: Promise<T>): Promise<T> {
  return deed.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error;
    throw new CommandError(`${name} was deleted meanwhile.`);
  });
}

/** A key is never made here: what is stored was sealed with the one that the service has. */
export function keysOf(config: Config): SecretKeys {
  const configured = configuredKeys(config);
  if (configured) return configured;
  if (hasSecretKeys(config.DATA_DIR)) return readSecretKeys(config.DATA_DIR);
  throw new CommandError(`DATA_DIR: there is no secret.key in ${config.DATA_DIR}. Is that where the service keeps it?`);
}
