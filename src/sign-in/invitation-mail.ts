import { escapeHtml, mailHtml } from '../lib/mail-html.ts';
import type { Mail } from '../lib/mailer.ts';

/** The same for everybody: an administrator cannot write anything into it, and it holds no secret. */
export function invitationMail(to: string, baseUrl: string): Mail {
  const link = `${baseUrl}/app`;
  const what = 'It reminds you of what you must not forget, until you have done it.';
  const how = 'Sign in with this email address, within two weeks. If you do not know who runs it, ignore this mail.';
  return {
    to,
    subject: 'You are invited to Crescendo',
    text: `You are invited to Crescendo. ${what}\n\nStart: ${link}\n\n${how}\n`,
    html: mailHtml(
      `<p>You are invited to Crescendo. ${what}</p>`,
      `<p><a href="${escapeHtml(link)}">Start</a></p>`,
      `<p>${how}</p>`,
    ),
  };
}
