/** The shape of every mail to the owner of an account: some paragraphs, then one link. */
import { escapeHtml, mailHtml } from '../lib/mail-html.ts';
import { LOCALE } from '../lib/mail-words.ts';
import type { Mail } from '../lib/mailer.ts';

interface OwnerMail {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly label: string; readonly url: string } | undefined;
}

export function ownerMail({ to, subject, paragraphs, link }: OwnerMail): Mail {
  return {
    to,
    subject,
    text: `${[...paragraphs, ...(link ? [`${link.label}: ${link.url}`] : [])].join('\n\n')}\n`,
    html: mailHtml(
      ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
      ...(link ? [`<p><a href="${escapeHtml(link.url)}">${link.label}</a></p>`] : []),
    ),
  };
}

export const formatMoment = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat(LOCALE, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(at);
