import { escapeHtml, mailHtml } from '../lib/mail-html.ts';
import type { Mail } from '../lib/mailer.ts';
import { plainName } from '../lib/plain-name.ts';
import { words } from '../lib/words.ts';

/** The sender writes only the name of the space, and it is only in the text: the subject is the same for everybody. */
export function inviteMail(to: string, space: string, link: string): Mail {
  const { subject, lead, unnamed, named, quoted, join, once } = words.inviteMail;
  const name = plainName(space);
  const [plain, html] =
    name === '' ? [unnamed, unnamed] : [named(quoted(name)), named(`<strong>${escapeHtml(name)}</strong>`)];
  return {
    to,
    subject,
    text: `${lead(plain)}\n\n${join}: ${link}\n\n${once}\n`,
    html: mailHtml(`<p>${lead(html)}</p>`, `<p><a href="${escapeHtml(link)}">${join}</a></p>`, `<p>${once}</p>`),
  };
}
