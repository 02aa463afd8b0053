/** Sends mail that no request waits for. A mail that the server does not accept is logged and given up. */
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from './errors.ts';
import type { Logger } from './logger.ts';
import type { Mail, Mailer } from './mailer.ts';

/** A stop waits this long for mails that are being sent. */
const GRACE_MS = 5_000;

export class BackgroundMail {
  readonly #mailer: Mailer;
  readonly #logger: Logger;
  readonly #pending = new Set<Promise<void>>();

  constructor(mailer: Mailer, logger: Logger) {
    this.#mailer = mailer;
    this.#logger = logger;
  }

  /** `prepare` resolves with the mail, or with undefined if there is none to send. */
  send(prepare: () => Promise<Mail | undefined>, onFailure: () => Promise<unknown> = async () => undefined): void {
    const sending = this.#send(prepare).catch(async (error: unknown) => {
      // An operator who sends no mail was told at the start.
      const isMailOff = error instanceof AppError && error.code === 'mail_not_configured';
      if (!isMailOff) this.#logger.warn({ err: error }, 'a mail could not be sent');
      await onFailure().catch((failure: unknown) =>
        this.#logger.warn({ err: failure }, 'the clean-up after a failed mail failed'),
      );
    });
    const tracked: Promise<void> = sending.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  async #send(prepare: () => Promise<Mail | undefined>): Promise<void> {
    const mail = await prepare();
    if (mail) await this.#mailer.send(mail);
  }

  /** Called before the mailer and the database are closed. */
  async settled(): Promise<void> {
    await Promise.race([Promise.all(this.#pending), delay(GRACE_MS, undefined, { ref: false })]);
  }
}
