import type { Mail } from '../lib/mailer.ts';

/** The code is in the subject, where a phone shows it without the mail being opened. */
export function signInMail(to: string, code: string): Mail {
  const sentence =
    'It works once, for 10 minutes. If you did not ask for it, ignore this mail: nobody can sign in without it.';
  return {
    to,
    subject: `${code} is your Crescendo sign-in code`,
    text: `Your sign-in code is ${code}.\n\n${sentence}\n`,
    html:
      '<!doctype html><html lang="en"><body style="font:16px/1.5 system-ui,sans-serif;max-width:30em;margin:2em auto">' +
      `<p>Your sign-in code is</p><p style="font-size:2em;letter-spacing:.15em;font-weight:600">${code}</p>` +
      `<p>${sentence}</p></body></html>`,
  };
}
