/** The mail server: it takes mails to accounts, and keeps them. */
import type { Mail } from '../../src/lib/mailer.ts';

const CODE = /^(\d{6}) is your Crescendo sign-in code$/;

export class Mailbox {
  readonly #mails: Pick<Mail, 'to' | 'subject'>[] = [];

  /** How many mails there were so far. */
  get count(): number {
    return this.#mails.length;
  }

  /** The code in the last mail to an address behind the first so many; undefined if there was none. */
  codeFor(address: string, behind: number): string | undefined {
    const mails = this.#mails.slice(behind);
    const mail = mails.findLast(({ to, subject }) => to === address && CODE.test(subject));
    return CODE.exec(mail?.subject ?? '')?.[1];
  }

  readonly send = async ({ to, subject }: Mail): Promise<void> => {
    this.#mails.push({ to, subject });
  };
}
