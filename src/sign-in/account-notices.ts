/**
 * Mails to the owner when something about the safety of the account has changed: what happened, when, and what to do
 * if it was somebody else. Sent after the change is stored. A mail that fails never fails the change.
 */
import { findUser, type User } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import type { BackgroundMail } from '../lib/background-mail.ts';
import type { Clock } from '../lib/clock.ts';
import { escapeHtml, mailHtml } from '../lib/mail-html.ts';
import type { Mail } from '../lib/mailer.ts';
import { plainName } from '../lib/plain-name.ts';
import type { ThrottleService } from './throttle.service.ts';

export type Notice =
  | { readonly kind: 'second_factor_on' | 'second_factor_off' }
  | { readonly kind: 'second_factor_guessed'; readonly wrongCodes: number }
  | { readonly kind: 'recovery_code_used'; readonly left: number }
  | { readonly kind: 'token_minted'; readonly name: string | null }
  | { readonly kind: 'passkey_added' | 'passkey_removed' | 'passkey_copied'; readonly name: string }
  | { readonly kind: 'connection_made'; readonly name: string; readonly host: string | null }
  | { readonly kind: 'provider_linked' | 'new_sign_in'; readonly issuer: string };

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly throttle: ThrottleService;
  readonly backgroundMail: BackgroundMail;
  /** The address of the web app. */
  readonly baseUrl: string;
}

export class AccountNotices {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  send(userId: string, notice: Notice): void {
    const { db, clock, throttle, backgroundMail, baseUrl } = this.#parts;
    const happenedAt = clock.now();
    backgroundMail.send(async () => {
      const user = await findUser(db, userId);
      if (!user?.email || !(await throttle.allowsNotice(userId, notice.kind))) return undefined;
      return noticeMail(user.email, user, notice, happenedAt, baseUrl);
    });
  }
}

const FEW_RECOVERY_CODES = 3;

interface Words {
  readonly subject: string;
  readonly what: string;
  readonly ifNotYou: string;
}

const END_SESSIONS = 'sign in, end the other sessions under Settings';

function wordsOf(notice: Notice): Words {
  switch (notice.kind) {
    case 'second_factor_on':
      return {
        subject: 'The second factor of your Crescendo account is on',
        what: 'Signing in to your account now also asks for a code from an authenticator app.',
        ifNotYou:
          'If this was not you, somebody else is signed in to your account. Ask the operator of the service to turn the ' +
          'second factor off, which also ends every session.',
      };
    case 'second_factor_off':
      return {
        subject: 'The second factor of your Crescendo account is off',
        what: 'Signing in to your account no longer asks for a code from an authenticator app.',
        ifNotYou: `If this was not you, ${END_SESSIONS}, and turn the second factor on again.`,
      };
    case 'second_factor_guessed':
      return {
        subject: 'Wrong codes for your Crescendo account',
        what:
          `${notice.wrongCodes} wrong codes for the second factor were entered today, each after a sign-in with your email or ` +
          'your identity provider. None of them opened your account.',
        ifNotYou:
          'If this was not you, somebody can read your email or use your identity provider. Change those passwords now.',
      };
    case 'recovery_code_used': {
      const { left } = notice;
      const few = left <= FEW_RECOVERY_CODES ? ' For new ones, turn the second factor off and on again.' : '';
      return {
        subject: 'A recovery code of your Crescendo account was used',
        what:
          'A recovery code was used in place of a code from your authenticator app. ' +
          `Recovery codes left: ${left}.${few}`,
        ifNotYou:
          `If this was not you, ${END_SESSIONS}, and turn the second factor off and on again, which replaces the ` +
          'recovery codes.',
      };
    }
    case 'token_minted': {
      const name = notice.name === null ? '' : plainName(notice.name);
      return {
        subject: 'New access token for your Crescendo account',
        what:
          `An access token ${name === '' ? 'without a name' : `named “${name}”`} was created. A program that has it can ` +
          'act on your tasks.',
        ifNotYou: `If this was not you, ${END_SESSIONS}, and revoke the token there.`,
      };
    }
    case 'passkey_added':
      return {
        subject: 'New passkey for your Crescendo account',
        what: `A passkey named “${plainName(notice.name)}” was added. The device that has it can sign in to your account.`,
        ifNotYou: `If this was not you, ${END_SESSIONS}, and remove the passkey there.`,
      };
    case 'passkey_removed':
      return {
        subject: 'A passkey of your Crescendo account was removed',
        what: `The passkey named “${plainName(notice.name)}” can no longer sign in to your account.`,
        ifNotYou: `If this was not you, ${END_SESSIONS}, and add a new passkey.`,
      };
    case 'passkey_copied':
      return {
        subject: 'A passkey of your Crescendo account may have been copied',
        what:
          `A sign-in with the passkey named “${plainName(notice.name)}” was refused, because its counter was lower than ` +
          'at an earlier sign-in. If you have reset the device, remove the passkey under Settings and add it again.',
        ifNotYou: 'If this was not you, somebody may have a copy: sign in another way and remove the passkey now.',
      };
    case 'connection_made': {
      const { name, host } = notice;
      const who = `${name === '' ? 'An assistant without a name' : `An assistant that calls itself “${name}”`}`;
      return {
        subject: 'An assistant was connected to your Crescendo account',
        what: `${who}${host === null ? '' : `, of ${host},`} was connected. It can act on your tasks as you allowed.`,
        ifNotYou: `If this was not you, ${END_SESSIONS}, and revoke the connection there.`,
      };
    }
    case 'provider_linked':
      return {
        subject: 'New way to sign in to your Crescendo account',
        what:
          `Your account can now be opened with the identity provider ${hostOf(notice.issuer)}, which confirmed your ` +
          'email address.',
        ifNotYou: `If this was not you, secure your account there, then ${END_SESSIONS}.`,
      };
    case 'new_sign_in':
      return {
        subject: 'New sign-in to your Crescendo account',
        what:
          `Your account was opened with the identity provider ${hostOf(notice.issuer)}, from a network that was not ` +
          'used for it in the last 90 days.',
        ifNotYou: `If this was not you, secure your account there, then ${END_SESSIONS}.`,
      };
  }
}

function noticeMail(to: string, user: User, notice: Notice, happenedAt: Date, baseUrl: string): Mail {
  const { subject, what, ifNotYou } = wordsOf(notice);
  const time = `${new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: user.timezone,
  }).format(happenedAt)} (${user.timezone})`;
  const settings = `${baseUrl}/app/settings`;
  const paragraphs = [what, `When: ${time}`, `If this was you, there is nothing to do. ${ifNotYou}`];
  return {
    to,
    subject,
    text: `${[...paragraphs, `Settings: ${settings}`].join('\n\n')}\n`,
    html: mailHtml(
      ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
      `<p><a href="${escapeHtml(settings)}">Settings</a></p>`,
    ),
  };
}

const hostOf = (issuer: string) => URL.parse(issuer)?.host ?? issuer;
