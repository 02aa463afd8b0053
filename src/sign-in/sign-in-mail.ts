import { mailHtml } from '../lib/mail-html.ts';
import type { Mail } from '../lib/mailer.ts';
import { words } from '../lib/words.ts';

/**
 * For an address that has no account and gets none. Strangers can have it sent, so it contains nothing that they wrote.
 */
export function signUpClosedMail(to: string): Mail {
  const { subject, lines } = words.signUpClosedMail;
  return {
    to,
    subject,
    text: `${lines.join('\n\n')}\n`,
    html: mailHtml(...lines.map((line) => `<p>${line}</p>`)),
  };
}

export const signInMail = (to: string, digits: string): Mail => codeMail(to, digits, words.signInMail);

type CodeWords = Pick<typeof words.signInMail, 'subject' | 'code' | 'codeAbove' | 'once'>;

/** The code is in the subject, where a phone shows it without the mail being opened. */
export function codeMail(to: string, digits: string, mail: CodeWords): Mail {
  const isLong = digits.length > 6;
  const code = isLong ? digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ') : digits;
  const sentences = isLong ? [mail.once, words.signInMail.long] : [mail.once];
  return {
    to,
    subject: mail.subject(code),
    text: `${mail.code(code)}\n\n${sentences.join('\n\n')}\n`,
    html: mailHtml(
      `<p>${mail.codeAbove}</p>`,
      `<p style="font-size:2em;letter-spacing:.15em;font-weight:600">${code}</p>`,
      ...sentences.map((sentence) => `<p>${sentence}</p>`),
    ),
  };
}
