/** Lets a command change accounts with the services that requests use, whether the service runs or not. */
import { composeDomain } from '../compose/service.ts';
import { openShared } from '../db/open-for-command.ts';
import type { Db } from '../db/schema.ts';
import { SchemaWatch } from '../db/schema-watch.ts';
import { findKeys, type KeySettings } from '../keys/available-keys.ts';
import type { SecretKeys } from '../keys/secret-key-file.ts';
import { Vault } from '../keys/vault.ts';
import { type Mailer, printingMailer, smtpMailer } from '../lib/mailer.ts';
import { ThrottleService } from '../limits/throttle.service.ts';
import { type Call, CommandError } from './command.ts';

/** The address in audit lines of commands. */
export const COMMAND_LINE = 'command line';

export async function withDatabase<T>(call: Call, work: (db: Db) => Promise<T>): Promise<T> {
  const db = await openShared(call.config().DATABASE_URL, call);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}

const noMailer = printingMailer(() => undefined);

/** For a change about which the owner gets a mail. Without a mail server there is no mail. */
export async function withMailer<T>({ config }: Call, work: (mailer: Mailer) => Promise<T>): Promise<T> {
  const { SMTP_URL, MAIL_FROM } = config();
  const mailer = SMTP_URL ? await smtpMailer(SMTP_URL, MAIL_FROM) : noMailer;
  try {
    return await work(mailer);
  } finally {
    mailer.close();
  }
}

/** The account services, composed as for requests, so that every consequence of a change happens here too. */
export function composeAccounts(call: Call, db: Db, mailer: Mailer = noMailer) {
  const { clock, version } = call;
  const config = call.config();
  // A command logs warnings and errors only, but a change of an account must leave its audit line.
  const logger = call.logger.child({}, { level: 'info' });
  const parts = { config, version, clock, wallClock: clock, logger, print: () => undefined };
  const shared = {
    db,
    schema: new SchemaWatch(logger),
    vault: new Vault(getKeys(config)),
    mailer,
    throttle: new ThrottleService(db, clock),
  };
  // Nothing is started: the service sends stored revocations to the identity provider at its next check.
  const { accounts, admin, claim, moveIn } = composeDomain(parts, shared, () => undefined);
  return { ...accounts, admin, claim, moveIn };
}

/** For a change about which the owner gets a mail: waits for the mail. */
export async function changeAccount<T>(
  call: Call,
  db: Db,
  change: (accounts: ReturnType<typeof composeAccounts>) => Promise<T>,
): Promise<T> {
  return withMailer(call, async (mailer) => {
    const accounts = composeAccounts(call, db, mailer);
    const changed = await change(accounts);
    await accounts.backgroundMail.settled();
    return changed;
  });
}

/** Never creates a key: stored values are sealed with the key that the service has. */
export function getKeys(settings: KeySettings): SecretKeys {
  const keys = findKeys(settings);
  if (keys) return keys;
  throw new CommandError(
    `DATA_DIR: there is no secret.key in ${settings.DATA_DIR}. Set DATA_DIR to the folder that the service uses.`,
  );
}
