/**
 * Sends mail, or prints it where no mail server is set up. A mail that could not be handed over
 * after a few tries is an error for the caller, never a silent success.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';
import { AppError } from './errors.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Throws `mail_unavailable`. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export function printingMailer(print: (text: string) => void): Mailer {
  const send = async ({ to, subject, text }: Mail) =>
    print(`\n──── Mail to ${to} ────\n${shown(subject)}\n\n${shown(text)}\n${'─'.repeat(60)}\n\n`);
  return { send, close: () => undefined };
}

/** A name somebody chose must not steer the terminal it is printed on. */
const shown = (text: string) => text.replaceAll(/[^\P{Cc}\n]/gu, '');

const PAUSES_MS = [250, 1_000];
const TIMEOUTS = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 8_000, dnsTimeout: 5_000 };

/**
 * A server that does not offer TLS, or somebody in between who hides the offer, would be told the
 * password in clear text. Whoever wants that says so in the URL. On this machine nobody listens.
 */
export function mustTurnToTls(url: string): boolean {
  const { protocol, password, hostname, searchParams } = new URL(url);
  if (protocol !== 'smtp:' || password === '' || LOOPBACK.test(hostname)) return false;
  return searchParams.get('ignoreTLS') !== 'true' && searchParams.get('requireTLS') !== 'false';
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;

export async function smtpMailer(url: string, from: string): Promise<Mailer> {
  // Loaded only where mail is really sent: most of its size is of no use to anyone else.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url, pool: true, ...requiringTls(url), ...TIMEOUTS });
  return {
    send: (mail) => sendPatiently(transport, { ...mail, from }),
    close: () => transport.close(),
  };
}

/** Left out where the URL decides: nodemailer lets `requireTLS` from here win over `ignoreTLS` from there. */
const requiringTls = (url: string) => (mustTurnToTls(url) ? { requireTLS: true } : {});

/** Connects and signs in, and sends nothing. Rejects with what nodemailer says is wrong. */
export async function verifySmtp(url: string): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({ url, ...requiringTls(url), ...TIMEOUTS });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

async function sendPatiently(transport: Transporter, mail: Mail & { from: string }): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await transport.sendMail(mail);
      return;
    } catch (error) {
      const pauseMs = PAUSES_MS[attempt];
      if (pauseMs === undefined || isRefusedForGood(error)) {
        throw new AppError('mail_unavailable', { cause: error, retryAfterSeconds: 10 });
      }
      await delay(pauseMs);
    }
  }
}

/** A 5xx reply is the server's last word on this mail. */
function isRefusedForGood(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && Number(error.responseCode) >= 500;
}
