/** Email, through the operator's mail server. It cannot be taken back, and nobody reports that it was read. */

import { findNormalEmail } from '../../lib/email.ts';
import type { Mailer } from '../../lib/mailer.ts';
import { words } from '../../lib/words.ts';
import { type Address, AddressProblem, type ChannelMessage, type ChannelProvider } from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';
import { buildMail } from './payload.ts';

/** As many connections as nodemailer opens: a mail that waits for a connection could exceed its time limit. */
const CONNECTIONS = 5;
/** Mail servers check for spam before they accept a mail. A mail that we abandon too early arrives twice. */
const SEND_WITHIN_MS = 30_000;

/**
 * A mailbox cannot be muted like a phone, so it gets few mails about one task, and none after idle weeks.
 *
 * Eight mails that nobody answers are the due moment, the next hour's four and the three hours after it: early, and not
 * one an hour all day. Who answers, by Done or Snooze, begins a new run, and its first nudge is what they asked for: it
 * is mailed up to as often as an hourly rule asks for.
 */
export const MAIL_LIMITS = { mostPerDay: 24, repeatsUpToPerDay: 8, stopsAfterIdleMs: 14 * 86_400_000 };

export class EmailProvider implements ChannelProvider {
  readonly kind = {
    provider: 'email',
    title: words.channels.email.title,
    summary: words.channels.email.summary,
    fields: [
      {
        name: 'email',
        ...words.channels.email.email,
        type: 'email',
        required: true,
        secret: false,
      },
    ],
    confirmation: 'code',
    abilities: { replaces: false, retracts: false, buttons: false, receipts: false },
    strengths: words.channels.email.strengths,
    tier: 0,
  } as const;
  readonly maxInFlight = CONNECTIONS;
  readonly sendWithinMs = SEND_WITHIN_MS;
  readonly limits = MAIL_LIMITS;
  readonly #mailer: Mailer;
  readonly #host: string;

  /** `host` is the domain of message ids. */
  constructor(mailer: Mailer, host: string) {
    this.#mailer = mailer;
    this.#host = host;
  }

  readAddress({ email: written = '' }: Address, before?: Address): Address | AddressProblem {
    const email = findNormalEmail(written || (before?.email ?? ''));
    return email === undefined ? new AddressProblem('email', 'be a valid email') : { email };
  }

  identify({ email = '' }: Address): string {
    return email;
  }

  label({ email = '' }: Address): string {
    return email;
  }

  originOf(): string {
    return 'smtp';
  }

  async send(message: ChannelMessage, { email = '' }: Address): Promise<PushResult> {
    try {
      await this.#mailer.sendOnce(buildMail(message, email, this.#host));
      return { kind: 'accepted' };
    } catch (error) {
      return classify(error);
    }
  }
}
