/** Whether mail gets out: sign-in codes go by it. */
import { mustTurnToTls, verifySmtp } from '../../lib/mailer.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const smtp: Check = {
  name: 'mail',
  settings: ['SMTP_URL'],
  // Longer than the transport's own limits, which say more precisely what was too slow.
  limitMs: 30_000,
  look: async ({ config: { SMTP_URL } }) => {
    if (SMTP_URL === undefined) {
      return warning(
        'SMTP_URL is not set: sign-in codes are printed to the terminal',
        'Set SMTP_URL where anybody but you signs in by mail.',
      );
    }
    const { host } = new URL(SMTP_URL);
    try {
      await verifySmtp(SMTP_URL);
      return fine(`${host} takes our mail`);
    } catch (error) {
      return mustTurnToTls(SMTP_URL) && offersNoTls(error) ? noTls(host) : describe(host, error);
    }
  },
};

/** The answer to STARTTLS: 500 or 502 where the server does not know it, 454 where it cannot just now. */
function offersNoTls(error: unknown): boolean {
  return error instanceof Error && 'command' in error && error.command === 'STARTTLS' && 'responseCode' in error;
}

const noTls = (host: string) =>
  fault(
    `${host} offers no TLS, and without it the password would be sent in clear text`,
    'Use smtps:// or a server that turns to TLS; or add ?ignoreTLS=true to SMTP_URL if nobody can listen on the way.',
  );

function describe(host: string, error: unknown): Finding {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasonOf(error);
  if (code === 'EAUTH') return fault(`${host} refuses the user or password`, 'Correct them in SMTP_URL.');
  if (code === 'ETLS' || /certificate|self.signed|ssl|tls|wrong version/i.test(reason)) {
    return fault(
      `${host} and this machine do not agree on TLS: ${reason}`,
      'Use smtps:// for a port that begins with TLS (465) and smtp:// for one that turns to it (587); the certificate must be valid for the name.',
    );
  }
  if (/ENOTFOUND|EAI_AGAIN|EDNS/.test(`${code} ${reason}`)) {
    return fault(
      `${host} has no address: ${reason}`,
      'Correct the host in SMTP_URL, or the name server of this machine.',
    );
  }
  return fault(
    `${host} cannot be reached: ${reason}`,
    'Look at host and port in SMTP_URL, and whether a firewall is between.',
  );
}

const sender: Check = {
  name: 'mail sender',
  settings: ['SMTP_URL', 'MAIL_FROM'],
  look: async ({ config: { SMTP_URL, MAIL_FROM } }) =>
    SMTP_URL !== undefined && /@localhost>?$/.test(MAIL_FROM)
      ? warning('MAIL_FROM is at localhost, which most servers refuse', 'Set MAIL_FROM to an address of your domain.')
      : undefined,
};

export const mailChecks: readonly Check[] = [smtp, sender];
