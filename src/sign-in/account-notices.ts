/**
 * Mails to the owner about changes of the account's safety, about what outlives a session, or of whether the account can
 * be used: what happened, when, where, and what to do if it was somebody else. Sent after the change is stored. A mail
 * that fails never fails the change.
 */

import { findUser, type User } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import type { BackgroundMail } from '../lib/background-mail.ts';
import type { Clock } from '../lib/clock.ts';
import type { Mail } from '../lib/mailer.ts';
import { plainName } from '../lib/plain-name.ts';
import { words } from '../lib/words.ts';
import type { ThrottleService } from '../limits/throttle.service.ts';
import { formatMoment, ownerMail } from './owner-mail.ts';
import { findSessionById, type Session } from './sessions.store.ts';

export type Notice =
  | { readonly kind: 'second_factor_on' | 'second_factor_off' | 'suspended' | 'suspension_lifted' }
  | { readonly kind: 'second_factor_reset' | 'address_restored' }
  | { readonly kind: 'feed_made' | 'exported' }
  | { readonly kind: 'list_emptied'; readonly count: number }
  | { readonly kind: 'invite_made'; readonly space: string }
  | { readonly kind: 'invite_used'; readonly name: string | null; readonly space: string }
  | { readonly kind: 'signed_out_everywhere'; readonly ended: number }
  | { readonly kind: 'channel_added' | 'channel_moved'; readonly title: string; readonly label: string }
  | { readonly kind: 'second_factor_guessed'; readonly wrongCodes: number }
  | { readonly kind: 'recovery_code_used'; readonly left: number }
  | { readonly kind: 'token_minted' | 'device_added'; readonly name: string | null }
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

  /** `sessionId`: of the session that made the change, if one did. */
  send(userId: string, notice: Notice, sessionId?: string): void {
    const { db, clock, throttle, backgroundMail, baseUrl } = this.#parts;
    const happenedAt = clock.now();
    backgroundMail.send(async () => {
      const user = await findUser(db, userId);
      if (!user?.email || !(await throttle.allowsNotice(userId, notice.kind))) return undefined;
      const session = sessionId === undefined ? undefined : await findSessionById(db, sessionId);
      return noticeMail(user.email, user, notice, { happenedAt, session }, baseUrl);
    });
  }
}

const FEW_RECOVERY_CODES = 3;

interface NoticeWords {
  readonly subject: string;
  readonly what: string;
  /** Undefined if an administrator made the change. */
  readonly ifNotYou?: string;
  /** If somebody else acted, and the owner wanted it. */
  readonly ifWanted?: string;
}

function wordsOf(notice: Notice): NoticeWords {
  const mails = words.accountMail;
  switch (notice.kind) {
    case 'second_factor_on':
      return mails.secondFactorOn;
    case 'second_factor_off':
      return mails.secondFactorOff;
    case 'second_factor_reset':
      return mails.secondFactorReset;
    case 'address_restored':
      return mails.addressRestored;
    case 'suspended':
      return mails.suspended;
    case 'suspension_lifted':
      return mails.suspensionLifted;
    case 'second_factor_guessed':
      return { ...mails.secondFactorGuessed, what: mails.secondFactorGuessed.what(notice.wrongCodes) };
    case 'recovery_code_used': {
      const { what, few } = mails.recoveryCodeUsed;
      const isFew = notice.left <= FEW_RECOVERY_CODES;
      return { ...mails.recoveryCodeUsed, what: isFew ? `${what(notice.left)} ${few}` : what(notice.left) };
    }
    case 'token_minted': {
      const name = notice.name === null ? '' : plainName(notice.name);
      const { what, whatUnnamed } = mails.tokenMinted;
      return { ...mails.tokenMinted, what: name === '' ? whatUnnamed : what(name) };
    }
    case 'device_added':
      return { ...mails.deviceAdded, what: mails.deviceAdded.what(plainName(notice.name ?? '')) };
    case 'feed_made':
      return mails.feedMade;
    case 'list_emptied':
      return { ...mails.listEmptied, what: mails.listEmptied.what(notice.count) };
    case 'invite_made':
      return { ...mails.inviteMade, what: mails.inviteMade.what(plainName(notice.space)) };
    case 'invite_used':
      return {
        ...mails.inviteUsed,
        what: mails.inviteUsed.what(plainName(notice.name ?? ''), plainName(notice.space)),
      };
    case 'exported':
      return mails.exported;
    case 'signed_out_everywhere':
      return { ...mails.signedOutEverywhere, what: mails.signedOutEverywhere.what(notice.ended) };
    case 'channel_added':
      return { ...mails.channelAdded, what: mails.channelAdded.what(notice.title, plainName(notice.label)) };
    case 'channel_moved':
      return { ...mails.channelMoved, what: mails.channelMoved.what(notice.title, plainName(notice.label)) };
    case 'passkey_added':
      return { ...mails.passkeyAdded, what: mails.passkeyAdded.what(plainName(notice.name)) };
    case 'passkey_removed':
      return { ...mails.passkeyRemoved, what: mails.passkeyRemoved.what(plainName(notice.name)) };
    case 'passkey_copied':
      return { ...mails.passkeyCopied, what: mails.passkeyCopied.what(plainName(notice.name)) };
    case 'connection_made':
      return { ...mails.connectionMade, what: mails.connectionMade.what(notice.name, notice.host) };
    case 'provider_linked':
      return { ...mails.providerLinked, what: mails.providerLinked.what(hostOf(notice.issuer)) };
    case 'new_sign_in':
      return { ...mails.newSignIn, what: mails.newSignIn.what(hostOf(notice.issuer)) };
  }
}

interface Circumstances {
  readonly happenedAt: Date;
  readonly session: Session | undefined;
}

function noticeMail(
  to: string,
  { timezone }: User,
  notice: Notice,
  { happenedAt, session }: Circumstances,
  baseUrl: string,
): Mail {
  const { subject, what, ifNotYou, ifWanted } = wordsOf(notice);
  const { when, where, ifYou, settings: ofSettings, signOut } = words.accountMail;
  const [label, path] = ifNotYou === undefined ? [ofSettings, 'settings'] : [signOut, 'settings/access'];
  const paragraphs = [
    what,
    when(`${formatMoment(happenedAt, timezone)} (${timezone})`),
    ...(session ? [where(plainName(session.client_name ?? ''), formatMoment(session.created_at, timezone))] : []),
    ...(ifNotYou === undefined ? [] : [ifYou(ifNotYou, ifWanted)]),
  ];
  return ownerMail({ to, subject, paragraphs, link: { label, url: `${baseUrl}/app/${path}` } });
}

const hostOf = (issuer: string) => URL.parse(issuer)?.host ?? issuer;
