import type { Mail } from '../../lib/mailer.ts';
import { words } from '../../lib/words.ts';
import { formatMoment, ownerMail } from '../owner-mail.ts';
import { codeMail } from '../sign-in-mail.ts';
import type { AddressChange } from './address-changes.store.ts';

const { addressMail: mails } = words;

/** Whoever is signed in to any account can have it sent, so it contains nothing that they wrote. */
export const addressCodeMail = (to: string, digits: string): Mail => codeMail(to, digits, mails.code);

/** For an address that another account has, had until lately, or that may have no account here. */
export const addressRefusedMail = (to: string): Mail =>
  ownerMail({ to, subject: mails.refused.subject, paragraphs: mails.refused.lines });

interface UndoFacts {
  readonly change: AddressChange;
  readonly timezone: string;
  readonly url: string;
}

/** To the old address, right after the change. */
export function addressChangedMail({ change, timezone, url }: UndoFacts): Mail {
  const { subject, what, undo, label } = mails.changed;
  const { old_email, new_email, changed_at, expires_at } = change;
  const paragraphs = [
    what(shorten(new_email)),
    words.accountMail.when(`${formatMoment(changed_at, timezone)} (${timezone})`),
    undo(formatMoment(expires_at, timezone)),
  ];
  return ownerMail({ to: old_email, subject, paragraphs, link: { label, url } });
}

/** Instead of a sign-in code, while the old address can undo the change. Strangers can have it sent. */
export function addressKeptMail(change: AddressChange, url: string): Mail {
  const { subject, what, undo } = mails.kept;
  const paragraphs = [what(formatMoment(change.changed_at, 'UTC')), undo(formatMoment(change.expires_at, 'UTC'))];
  return ownerMail({ to: change.old_email, subject, paragraphs, link: { label: mails.changed.label, url } });
}

/** To the old address and the present one, if the account is deleted while a link could take it back. */
export function accountDeletedMail(to: string, at: Date, timezone: string): Mail {
  const { subject, what, ask } = mails.deleted;
  const when = words.accountMail.when(`${formatMoment(at, timezone)} (${timezone})`);
  return ownerMail({ to, subject, paragraphs: [what, when, ask] });
}

export const operatorMail = (to: string, which: 'old' | 'new'): Mail =>
  ownerMail({ to, subject: mails.byOperator.subject, paragraphs: [mails.byOperator[which]] });

/** The old mailbox may have another reader by now, who need not learn the whole new address. */
const shorten = (email: string): string => `${[...email][0]}…${email.slice(email.lastIndexOf('@'))}`;
