/** The mail server: it takes mails to accounts, and keeps them. */
import type { Mail } from '../../src/lib/mailer.ts';
import type { Runtime } from './runtime.ts';

interface Received extends Pick<Mail, 'to' | 'subject' | 'text'> {
  readonly ms: number;
}

const CODE = /^(\d{6}) is your Crescendo sign-in code$/;

export class Mailbox {
  readonly #runtime: Runtime;
  readonly mails: Received[] = [];

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The code in the last mail to an address since then; undefined if there was none. */
  codeFor(address: string, sinceMs: number): string | undefined {
    const mail = this.mails.findLast(({ to, subject, ms }) => to === address && ms >= sinceMs && CODE.test(subject));
    return CODE.exec(mail?.subject ?? '')?.[1];
  }

  readonly send = async ({ to, subject, text }: Mail): Promise<void> => {
    this.mails.push({ to, subject, text, ms: this.#runtime.elapsedMs });
  };
}
