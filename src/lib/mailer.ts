/**
 * Sends mail, or prints it if no mail server is configured. A mail that the server does not accept after a few
 * attempts is an error for the caller, never a silent success.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import { AppError } from './errors.ts';
import { isOwnMachine } from './public-address.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId?: string;
  readonly references?: string;
  readonly priority?: 'high' | 'normal';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Mailer {
  /** Throws `mail_unavailable`, or `mail_not_configured` if the service sends no mail. */
  send(mail: Mail): Promise<void>;
  /** One attempt, for a caller that retries by itself. Throws nodemailer's error. */
  sendOnce(mail: Mail): Promise<void>;
  close(): void;
}

export function printingMailer(print: (text: string) => void): Mailer {
  const send = async ({ to, subject, text }: Mail) =>
    print(`\n──── Mail to ${to} ────\n${printable(subject)}\n\n${printable(text)}\n${'─'.repeat(60)}\n\n`);
  return { send, sendOnce: send, close: () => undefined };
}

/** For a service that has no mail server and must not print sign-in codes. */
export function disabledMailer(): Mailer {
  const send = async () => {
    throw new AppError('mail_not_configured');
  };
  return { send, sendOnce: send, close: () => undefined };
}

/** A mail may contain a name that a user chose, and control characters in it must not reach the terminal. */
const printable = (text: string) => text.replaceAll(/[^\P{Cc}\n]/gu, '');

const RETRY_DELAYS_MS = [250, 1_000];
export const MAIL_TIMEOUTS = {
  connectionTimeout: 5_000,
  greetingTimeout: 5_000,
  socketTimeout: 8_000,
  dnsTimeout: 5_000,
};
/** Nobody waits in front of a screen for a nudge. */
const PATIENT_TIMEOUTS = { ...MAIL_TIMEOUTS, socketTimeout: 25_000 };

/**
 * Without STARTTLS the password would cross the network in clear text, also if an attacker in between hides
 * the server's offer of TLS. An operator can allow that in the URL. A loopback connection needs no TLS.
 */
export function requiresStartTls(url: string): boolean {
  const { protocol, password, hostname, searchParams } = new URL(url);
  if (protocol !== 'smtp:' || password === '' || isOwnMachine(hostname)) return false;
  return searchParams.get('ignoreTLS') !== 'true' && searchParams.get('requireTLS') !== 'false';
}

export async function smtpMailer(url: string, from: string): Promise<Mailer> {
  // Loaded only if mail is sent, because the library is large.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url, pool: true, ...mailTlsOptions(url), ...MAIL_TIMEOUTS });
  // With connections of its own, so that many nudges do not delay a sign-in code.
  const patient = createTransport({ url, pool: true, ...mailTlsOptions(url), ...PATIENT_TIMEOUTS });
  return {
    send: (mail) => sendWithRetries(transport, { ...mail, from }),
    sendOnce: async (mail) => void (await patient.sendMail({ ...mail, from })),
    close: () => {
      transport.close();
      patient.close();
    },
  };
}

/** Empty if the URL decides: for nodemailer, `requireTLS` in the options overrides `ignoreTLS` in the URL. */
export const mailTlsOptions = (url: string) => (requiresStartTls(url) ? { requireTLS: true } : {});

async function sendWithRetries(transport: Transporter, mail: Mail & { from: string }): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await transport.sendMail(mail);
      return;
    } catch (error) {
      const delayMs = RETRY_DELAYS_MS[attempt];
      if (delayMs === undefined || isPermanentRefusal(error)) {
        throw new AppError('mail_unavailable', { cause: error, retryAfterSeconds: 10 });
      }
      await delay(delayMs);
    }
  }
}

/** A 5xx reply: the server will not accept this mail later either. */
function isPermanentRefusal(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && Number(error.responseCode) >= 500;
}
