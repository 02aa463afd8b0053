/**
 * Sends the mails that must reach an owner, and turns off second factors once their delay is over. A mail that the server
 * does not take is tried again, because a thief counts on it. Each mail and each reset is claimed in the database, so
 * several processes need no other coordination. One row that fails does not keep the others waiting.
 */
import { findUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { type SchemaWatch, whileTablesAreKnown } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import type { Mail, Mailer } from '../lib/mailer.ts';
import { words } from '../lib/words.ts';
import {
  type AddressChange,
  claimChangeMail,
  findNextChangeMailAt,
  listUnsentChanges,
  setChangeMailed,
} from './address/address-changes.store.ts';
import { addressChangedMail } from './address/address-mails.ts';
import { formatMoment, ownerMail } from './owner-mail.ts';
import { RESET_DELAY_MS, type SecondFactorResets } from './second-factor-resets.service.ts';
import {
  claimResetMail,
  deleteUntoldResets,
  findNextResetAt,
  listDueResets,
  listResetsToMail,
  type SecondFactorReset,
  setResetMailed,
} from './second-factor-resets.store.ts';
import type { TakeBackLinks } from './take-back-links.ts';

const BATCH_SIZE = 50;
const CHECK_EVERY_MS = 60_000;
const FIRST_RETRY_MS = 5 * 60_000;
const LONGEST_RETRY_MS = 6 * 3_600_000;
const DAY_MS = 86_400_000;
/** A mailbox that takes nothing for so long will not take it later either. */
const UNTOLD_KEPT_MS = 7 * DAY_MS;

interface Parts {
  readonly db: Db;
  readonly schema: SchemaWatch;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mailer: Mailer;
  readonly links: TakeBackLinks;
  readonly resets: SecondFactorResets;
}

export class PendingChanges {
  readonly #parts: Parts;
  readonly #loop: Loop;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { clock, logger, schema } = parts;
    const work = whileTablesAreKnown(schema, (signal) => this.#runOnce(signal));
    this.#loop = new Loop({ name: 'pending changes of accounts', clock, logger, checkEveryMs: CHECK_EVERY_MS, work });
  }

  wake(): void {
    this.#loop.wake();
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
  }

  async #runOnce(signal: AbortSignal): Promise<Date | null> {
    const { db, clock, resets } = this.#parts;
    const now = clock.now();
    const failures: unknown[] = [];
    const forEach = async <T>(rows: readonly T[], work: (row: T) => Promise<void>) => {
      for (const row of rows) if (!signal.aborted) await work(row).catch((error: unknown) => failures.push(error));
    };
    await this.#giveUpUntold(now);
    await forEach(await listUnsentChanges(db, now, BATCH_SIZE), (change) => this.#mailChange(change));
    await forEach(await listDueResets(db, now, BATCH_SIZE), (reset) => resets.apply(reset));
    await forEach(await listResetsToMail(db, now, BATCH_SIZE), (reset) => this.#mailReset(reset));
    // The loop logs the failure, and waits before it tries again.
    if (failures.length > 0) throw failures[0];
    const moments = [await findNextChangeMailAt(db, now), await findNextResetAt(db)].flatMap((at) => at ?? []);
    return moments.length === 0 ? null : new Date(Math.min(...moments.map((at) => at.getTime())));
  }

  async #giveUpUntold(now: Date): Promise<void> {
    const { db, logger } = this.#parts;
    for (const user_id of await deleteUntoldResets(db, inMs(now, -UNTOLD_KEPT_MS)))
      logger.warn({ user_id }, 'a second factor stays on: the mail server took no mail to its owner for seven days');
  }

  async #mailChange(change: AddressChange): Promise<void> {
    const { db, clock, links } = this.#parts;
    // The mail before this one may have taken minutes, and a claim in the past would hold back no other process.
    const now = clock.now();
    const nextTryAt = retryAt(change.changed_at, now);
    if (!(await this.#claim((trx) => claimChangeMail(trx, change.id, now, nextTryAt)))) return;
    const user = await findUser(db, change.user_id);
    if (!user) return;
    const url = links.urlOf('address', change.id);
    if (await this.#send(addressChangedMail({ change, timezone: user.timezone, url })))
      await setChangeMailed(db, change.id);
  }

  async #mailReset(reset: SecondFactorReset): Promise<void> {
    const { db, clock, links } = this.#parts;
    const now = clock.now();
    const nextTryAt = retryAt(reset.told_at ?? reset.requested_at, now);
    if (!(await this.#claim((trx) => claimResetMail(trx, reset.id, now, nextTryAt)))) return;
    const user = await findUser(db, reset.user_id);
    if (!user?.email) return;
    const due_at = reset.told_at === null ? inMs(now, RESET_DELAY_MS) : reset.due_at;
    const { subject, what, lost, stop, label } = words.resetMail;
    const paragraphs = [what(`${formatMoment(due_at, user.timezone)} (${user.timezone})`), lost, stop];
    const link = { label, url: links.urlOf('reset', reset.id) };
    if (!(await this.#send(ownerMail({ to: user.email, subject, paragraphs, link })))) return;
    const nextAt = inMs(now, DAY_MS);
    const mail_due_at = nextAt < due_at ? nextAt : null;
    await setResetMailed(db, reset.id, { told_at: reset.told_at ?? now, due_at, mail_due_at });
  }

  #claim(claim: (trx: Db) => Promise<boolean>): Promise<boolean> {
    const { db, schema } = this.#parts;
    return transact(db, async (trx) => {
      await schema.hold(trx);
      return claim(trx);
    });
  }

  async #send(mail: Mail): Promise<boolean> {
    try {
      await this.#parts.mailer.send(mail);
      return true;
    } catch (error) {
      this.#parts.logger.warn(
        { err: error },
        'a mail to the owner of an account could not be sent; it will be retried',
      );
      return false;
    }
  }
}

/** Waits as long again as has passed since the first try, so the waits double. */
function retryAt(firstTry: Date, now: Date): Date {
  const passedMs = now.getTime() - firstTry.getTime();
  return inMs(now, Math.min(LONGEST_RETRY_MS, Math.max(FIRST_RETRY_MS, passedMs)));
}

const inMs = (now: Date, ms: number): Date => new Date(now.getTime() + ms);
