/** The mail server: it takes mails to accounts, and keeps them. */
import type { Mail } from '../../src/lib/mailer.ts';
import type { Runtime } from './runtime.ts';

interface Received extends Pick<Mail, 'to' | 'subject' | 'text'> {
  readonly ms: number;
}

export class Mailbox {
  readonly #runtime: Runtime;
  readonly mails: Received[] = [];

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  readonly send = async ({ to, subject, text }: Mail): Promise<void> => {
    this.mails.push({ to, subject, text, ms: this.#runtime.elapsedMs });
  };
}
