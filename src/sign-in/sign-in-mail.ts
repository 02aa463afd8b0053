import { mailHtml } from '../lib/mail-html.ts';
import type { Mail } from '../lib/mailer.ts';

/** For an address that has no account and gets none. It goes to strangers too, so it contains nothing that a caller wrote. */
export function signUpClosedMail(to: string): Mail {
  const lines = [
    'Someone, perhaps you, asked for a Crescendo sign-in code for this address.',
    'This address has no account there, and new accounts are not open to everyone. If you have an invitation, open ' +
      'its link and sign in from there. Otherwise ask the person who runs the service.',
    'If it was not you, ignore this mail. Nothing was created.',
  ];
  return {
    to,
    subject: 'No Crescendo account for this address',
    text: `${lines.join('\n\n')}\n`,
    html: mailHtml(...lines.map((line) => `<p>${line}</p>`)),
  };
}

/** The code is in the subject, where a phone shows it without the mail being opened. */
export function signInMail(to: string, digits: string): Mail {
  const isLong = digits.length > 6;
  const code = isLong ? digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ') : digits;
  const sentences = [
    'It works once, for 10 minutes. If you did not ask for it, ignore this mail: nobody can sign in without it.',
  ];
  if (isLong) {
    sentences.push(
      'It is longer than usual because many codes were requested for your address. If you ask again within ' +
        'five minutes, use this code: no further mail is sent.',
    );
  }
  return {
    to,
    subject: `${code} is your Crescendo sign-in code`,
    text: `Your sign-in code is ${code}.\n\n${sentences.join('\n\n')}\n`,
    html: mailHtml(
      '<p>Your sign-in code is</p>',
      `<p style="font-size:2em;letter-spacing:.15em;font-weight:600">${code}</p>`,
      ...sentences.map((sentence) => `<p>${sentence}</p>`),
    ),
  };
}
