import { escapeHtml, mailHtml } from '../lib/mail-html.ts';
import type { Mail } from '../lib/mailer.ts';
import { words } from '../lib/words.ts';

/** The same for everybody: an administrator cannot write anything into it, and it contains no secret. */
export function invitationMail(to: string, baseUrl: string): Mail {
  const link = `${baseUrl}/app`;
  const { subject, lead, start, how } = words.invitationMail;
  return {
    to,
    subject,
    text: `${lead}\n\n${start}: ${link}\n\n${how}\n`,
    html: mailHtml(`<p>${lead}</p>`, `<p><a href="${escapeHtml(link)}">${start}</a></p>`, `<p>${how}</p>`),
  };
}
