/** What the answer of the mail server means. Pure. Reasons are `smtp_` and the reply code: replies quote addresses. */
import type { PushResult } from '../gateway.ts';

/** Enhanced codes for a mailbox that does not exist or never accepts mail: RFC 3463, RFC 7505. */
const NO_MAILBOX = /\b5\.(1\.(1|6|10)|2\.1)\b/;

interface SmtpError {
  readonly code?: unknown;
  readonly responseCode?: unknown;
  readonly response?: unknown;
  readonly command?: unknown;
}

export function classify(error: unknown): PushResult {
  const { code, responseCode, response, command } = (error ?? {}) as SmtpError;
  const reply = Number(responseCode) || 0;
  const reason = reply ? `smtp_${reply}` : typeof code === 'string' ? code.toLowerCase() : 'no_answer';
  if (code === 'mail_not_configured' || code === 'EAUTH' || code === 'ETLS' || (reply >= 530 && reply < 540)) {
    return { kind: 'misconfigured', reason };
  }
  if (reply < 500) return { kind: 'retry', reason, ...(reply > 0 && { isAnswered: true }) };
  if (command === 'MAIL FROM') return { kind: 'misconfigured', reason };
  // Only a refused recipient says something about the mailbox.
  const isRecipient = command === 'RCPT TO';
  return isRecipient && NO_MAILBOX.test(String(response)) ? { kind: 'gone', reason } : { kind: 'rejected', reason };
}
