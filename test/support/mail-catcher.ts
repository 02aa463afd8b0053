/** A real SMTP server that keeps the mails it receives, and refuses them on demand. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

interface CaughtMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The whole message as received. */
  readonly raw: string;
  /** The port of the client. */
  readonly port: number;
}

export type SmtpCommand = 'MAIL FROM' | 'RCPT TO' | 'DATA';

export interface MailCatcher extends AsyncDisposable {
  readonly url: string;
  readonly mails: readonly CaughtMail[];
  /** Mails with a text that was set aside. They are among no others. */
  readonly aside: readonly CaughtMail[];
  /** The oldest mail that was not returned yet, or else the next one to arrive. */
  next(): Promise<CaughtMail>;
  /** Refuses the next mails with this SMTP code (4xx is temporary, 5xx permanent), as an answer to that command. */
  refuseWith(code: number, times?: number, command?: SmtpCommand, text?: string): void;
  /** The refusals of `refuseWith` that are left are forgotten. */
  refuseNoMore(): void;
  /** Does not answer mails with such a text until they are released. */
  holdWhile(pattern: RegExp): { readonly count: number; release(): void };
}

/** Accepts mails with such a text like all others, and sets them aside. */
export async function startMailCatcher(setAside?: RegExp): Promise<MailCatcher> {
  const aside: CaughtMail[] = [];
  const mails: CaughtMail[] = [];
  const unread: CaughtMail[] = [];
  const readers: ((mail: CaughtMail) => void)[] = [];
  const refusals: { readonly code: number; readonly command: SmtpCommand; readonly text: string }[] = [];
  const refusalOf = (command: SmtpCommand): Error | undefined => {
    if (refusals[0]?.command !== command) return undefined;
    const { code: responseCode = 0, text: message = '' } = refusals.shift() ?? {};
    return Object.assign(new Error(message), { responseCode });
  };

  let held: { readonly pattern: RegExp; readonly released: Promise<void>; count: number } | undefined;

  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onMailFrom: (_address, _session, done) => done(refusalOf('MAIL FROM')),
    onRcptTo: (_address, _session, done) => done(refusalOf('RCPT TO')),
    async onData(stream, session, done) {
      // A client that was killed in the middle of its mail.
      const raw = await text(stream).catch(() => undefined);
      if (raw === undefined) return;
      if (held?.pattern.test(raw)) {
        held.count += 1;
        await held.released;
      }
      const refusal = refusalOf('DATA');
      if (refusal) return done(refusal);
      const { mailFrom, rcptTo } = session.envelope;
      const mail = {
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
        raw,
        port: session.remotePort,
      };
      if (setAside?.test(raw)) {
        aside.push(mail);
        return done();
      }
      mails.push(mail);
      const reader = readers.shift();
      if (reader) reader(mail);
      else unread.push(mail);
      done();
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  // A client that is killed resets its connection, and without a listener the error would end this process.
  server.on('error', () => undefined);
  const { port } = server.server.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    aside,
    next: () => {
      const mail = unread.shift();
      return mail ? Promise.resolve(mail) : new Promise((resolve) => readers.push(resolve));
    },
    refuseWith: (code, times = 1, command = 'DATA', text = 'refused') =>
      void refusals.push(...Array(times).fill({ code, command, text })),
    refuseNoMore: () => void refusals.splice(0),
    holdWhile: (pattern) => {
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const holding = { pattern, released, count: 0 };
      held = holding;
      return Object.assign(holding, { release });
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
