import { escapeHtml, mailHtml } from '../lib/mail-html.ts';
import type { Mail } from '../lib/mailer.ts';
import { plainName } from '../lib/plain-name.ts';

/** The name of the space is all that the sender writes, and only in the text: the subject is the same for everybody. */
export function inviteMail(to: string, space: string, link: string): Mail {
  const sentence = 'The link works once, for two weeks. If you do not know who sent it, ignore this mail.';
  const name = plainName(space);
  const [plain, html] =
    name === '' ? ['a space', 'a space'] : [`the space “${name}”`, `the space <strong>${escapeHtml(name)}</strong>`];
  return {
    to,
    subject: 'You are invited to a space on Crescendo',
    text: `You are invited to ${plain} on Crescendo.\n\nJoin: ${link}\n\n${sentence}\n`,
    html: mailHtml(
      `<p>You are invited to ${html} on Crescendo.</p>`,
      `<p><a href="${escapeHtml(link)}">Join</a></p>`,
      `<p>${sentence}</p>`,
    ),
  };
}
