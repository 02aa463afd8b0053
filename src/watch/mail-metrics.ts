/** Counts the mails that the service itself writes. A nudge by mail is counted as a push of the provider `email`. */
import { Counter, type Registry } from 'prom-client';
import { AppError } from '../lib/errors.ts';
import type { Mailer } from '../lib/mailer.ts';

const RESULTS = ['accepted', 'failed'] as const;

export class MailMetrics {
  readonly #mails: Counter<'result'>;

  constructor(registry: Registry) {
    this.#mails = new Counter({
      name: 'crescendo_mails_total',
      help: 'Mails with sign-in codes, invitations and notices, by what the mail server said after all attempts.',
      labelNames: ['result'],
      registers: [registry],
    });
    // A series that begins with the first failure would hide that failure from `increase()`.
    for (const result of RESULTS) this.#mails.inc({ result }, 0);
  }

  counted(mailer: Mailer): Mailer {
    const count = (result: (typeof RESULTS)[number]) => this.#mails.inc({ result });
    return {
      send: async (mail) => {
        await mailer.send(mail).catch((error: unknown) => {
          // An operator who sends no mail was told at the start.
          const isMailOff = error instanceof AppError && error.code === 'mail_not_configured';
          if (!isMailOff) count('failed');
          throw error;
        });
        count('accepted');
      },
      sendOnce: (mail) => mailer.sendOnce(mail),
      close: () => mailer.close(),
    };
  }
}
