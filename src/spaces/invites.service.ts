/**
 * Invitations to a space: single use, valid for two weeks, the token stored hashed. Any member may
 * invite. The inviter and the owner of the space may revoke an invitation. A person who has left the space,
 * or was removed from it, can only return with an invitation that was made after that.
 *
 * An open invitation outlives the session in which it was made. So the inviter hears of each that an old session makes
 * and of each that somebody uses, and "Sign out everywhere" lists and ends them.
 */

import type { Static } from 'typebox';
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import { cancelFollowUp } from '../follow-ups/follow-ups.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { findNormalEmail } from '../lib/email.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Mailer } from '../lib/mailer.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import { isRecentSignIn } from '../lib/session-lifetime.ts';
import { inviteMail } from './invite-mail.ts';
import {
  countOpenInvites,
  deleteInvite,
  findInvite,
  findInviteByToken,
  findSpaceId,
  hasSession,
  type Invite,
  insertInvite,
  isInviterSuspended,
  listOpenInvites,
  listOpenInvitesOf,
  lockInviteByToken,
  revokeOpenInvites,
  setInviteStatus,
} from './invites.store.ts';
import type { InvitePreviewOut } from './spaces.schemas.ts';
import { noSuchSpace, type SpacesService } from './spaces.service.ts';
import {
  countMembers,
  ensureOwner,
  findDeparture,
  findRole,
  getSpace,
  insertMember,
  listMembers,
  lockSpace,
  type Role,
  type Space,
} from './spaces.store.ts';

const LIFETIME_MS = 14 * 86_400_000;
const MAX_OPEN_INVITES = 50;
const MAX_MEMBERS = 100;
/** The newest ones of an account. Older ones are listed once these have ended. */
const MAX_LISTED_OF_ACCOUNT = 200;

export interface InviteMailing {
  readonly mailer: Mailer;
  /** The address of the web app, for the link in the mail. */
  readonly baseUrl: string;
  /** Throws if the account has sent too many invitations. */
  readonly limitInvites: (userId: string) => Promise<void>;
  /** Runs `send`, or throws if enough invitations were mailed to the address. */
  readonly limitMails: (userId: string, email: string, send: () => Promise<void>) => Promise<void>;
}

/** Called after an invitation is stored or used. */
export interface InviteListener {
  /** Only for a session without a recent sign-in. */
  invited(caller: SessionCaller, space: string): void;
  joined(inviterId: string, joiner: string | null, space: string): void;
}

type OpenInvite = Omit<Invite, 'contact'> & { readonly invitee_contact: string | null };

export class InvitesService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #spaces: SpacesService;
  readonly #mailing: InviteMailing;
  readonly #listener: InviteListener;

  constructor(db: Db, clock: Clock, spaces: SpacesService, mailing: InviteMailing, listener: InviteListener) {
    this.#db = db;
    this.#clock = clock;
    this.#spaces = spaces;
    this.#mailing = mailing;
    this.#listener = listener;
  }

  /**
   * Stores the invitation, then mails it. If mailing fails, the invitation is deleted, so that a retry is
   * safe. `transact` is not used, because its commit would mark the request's idempotency key as done.
   */
  async create(caller: SessionCaller, spaceId: string, contact: string | null): Promise<Invite & { token: string }> {
    await this.#spaces.getRole(this.#db, caller, spaceId);
    await this.#mailing.limitInvites(caller.userId);
    const token = newToken('in_');
    const now = this.#clock.now();
    const invite: Invite = {
      id: newId(),
      space_id: spaceId,
      inviter_id: caller.userId,
      accepted_by: null,
      contact,
      token_hash: hashToken(token),
      status: 'pending',
      created_at: now,
      expires_at: new Date(now.getTime() + LIFETIME_MS),
    };
    // Somebody may have removed the inviter since the first look.
    if (!(await insertInvite(this.#db, invite))) throw noSuchSpace();
    await this.#refuseEnded(caller, invite);
    await this.#refuseTooMany(invite, now);
    const email = contact === null ? undefined : findNormalEmail(contact);
    if (email !== undefined) await this.#mail(caller, invite, email, token);
    announce(this.#db, [spaceId]);
    if (!isRecentSignIn(caller.provenAt, now)) this.#listener.invited(caller, (await getSpace(this.#db, spaceId)).name);
    return { ...invite, token };
  }

  /** Looks after the invitation is stored: whoever ended the session before does not find the invitation in a list. */
  async #refuseEnded({ sessionId }: SessionCaller, { id }: Invite): Promise<void> {
    if (await hasSession(this.#db, sessionId)) return;
    await deleteInvite(this.#db, id);
    throw new AppError('unauthenticated');
  }

  /** Counts after the invitation is stored: of concurrent ones, the last to count sees them all. */
  async #refuseTooMany({ id, space_id }: Invite, now: Date): Promise<void> {
    if ((await countOpenInvites(this.#db, space_id, now)) <= MAX_OPEN_INVITES) return;
    await deleteInvite(this.#db, id);
    throw new AppError('too_many_invites');
  }

  async #mail({ userId }: SessionCaller, { id, space_id }: Invite, to: string, token: string): Promise<void> {
    const { mailer, baseUrl, limitMails } = this.#mailing;
    const { name } = await getSpace(this.#db, space_id);
    const mail = inviteMail(to, name, `${baseUrl}/app/invites/${token}`);
    try {
      await limitMails(userId, to, () => mailer.send(mail));
    } catch (error) {
      await deleteInvite(this.#db, id);
      throw error;
    }
  }

  /** The invitation with this token, if it can still be accepted. */
  async findOpen(db: Db, token: string): Promise<Invite | undefined> {
    const invite = await findInviteByToken(db, hashToken(token));
    if (invite?.status !== 'pending' || invite.expires_at <= this.#clock.now()) return undefined;
    return (await isInviterSuspended(db, invite)) ? undefined : invite;
  }

  /** The contact of an invitation is shown to the people who may revoke it. */
  async listOpen(caller: SessionCaller, spaceId: string, limit: number): Promise<OpenInvite[]> {
    const role = await this.#spaces.getRole(this.#db, caller, spaceId);
    const invites = await listOpenInvites(this.#db, spaceId, this.#clock.now(), limit);
    return invites.map(({ contact, ...invite }) => ({
      ...invite,
      invitee_contact: mayRevoke(caller, role, invite) ? contact : null,
    }));
  }

  /** Of all spaces. */
  listOpenOf(userId: string, db = this.#db): ReturnType<typeof listOpenInvitesOf> {
    return listOpenInvitesOf(db, userId, this.#clock.now(), MAX_LISTED_OF_ACCOUNT);
  }

  /** Ends open invitations of the account that have one of the ids, and returns how many. */
  end(trx: Db, userId: string, ids: readonly string[]): Promise<number> {
    return revokeOpenInvites(trx, userId, ids, this.#clock.now());
  }

  async revoke(caller: SessionCaller, spaceId: string, inviteId: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const role = await this.#spaces.getRole(trx, caller, spaceId);
      await lockSpace(trx, spaceId);
      const invite = await findInvite(trx, spaceId, inviteId);
      if (!invite) throw new AppError('not_found', { sentence: 'There is no such invitation.' });
      if (!mayRevoke(caller, role, invite)) throw new AppError('not_allowed');
      if (invite.status === 'accepted') throw new AppError('invite_spent');
      await setInviteStatus(trx, inviteId, 'revoked', null);
      announce(trx, [spaceId]);
    });
  }

  /**
   * Tells the holder of the token, who could join and see both, who invites to which space. Refused where `accept`
   * would be refused, so that a spent or revoked token tells nothing.
   */
  async preview({ userId }: SessionCaller, token: string): Promise<Static<typeof InvitePreviewOut>> {
    const invite = await findInviteByToken(this.#db, hashToken(token));
    if (!invite) throw new AppError('not_found', { sentence: 'There is no such invitation.' });
    const isMember = (await findRole(this.#db, invite.space_id, userId)) !== undefined;
    if (!isMember) {
      assertPending(invite, this.#clock.now());
      if (await isInviterSuspended(this.#db, invite)) throw new AppError('invite_revoked');
      assertMadeAfter(invite, await findDeparture(this.#db, invite.space_id, userId));
    }
    const members = await listMembers(this.#db, invite.space_id);
    return {
      space_name: (await getSpace(this.#db, invite.space_id)).name,
      inviter_name: members.find(({ user_id }) => user_id === invite.inviter_id)?.display_name ?? null,
      is_member: isMember,
      expires_at: invite.expires_at,
    };
  }

  /** An existing member stays a member and does not use up the invitation. */
  async accept({ userId }: SessionCaller, token: string): Promise<Space> {
    const { space, joined } = await transact(this.#db, async (trx) => {
      // Locks the space before the invitation, as every other place that locks both does.
      const space_id = await findSpaceId(trx, hashToken(token));
      if (space_id !== undefined) await lockSpace(trx, space_id);
      const invite = await lockInviteByToken(trx, hashToken(token));
      if (!invite || space_id === undefined)
        throw new AppError('not_found', { sentence: 'There is no such invitation.' });
      const isMember = (await findRole(trx, space_id, userId)) !== undefined;
      const joined = isMember ? undefined : await this.#join(trx, userId, invite);
      return { space: await getSpace(trx, space_id), joined };
    });
    if (joined) this.#listener.joined(joined.inviterId, joined.name, space.name);
    return space;
  }

  /** Returns who invited, and the name that the other members see. */
  async #join(trx: Db, userId: string, invite: Invite): Promise<{ inviterId: string; name: string | null }> {
    const { space_id, inviter_id: inviterId } = invite;
    assertPending(invite, this.#clock.now());
    if (await isInviterSuspended(trx, invite)) throw new AppError('invite_revoked');
    assertMadeAfter(invite, await findDeparture(trx, space_id, userId));
    if ((await countMembers(trx, space_id)) >= MAX_MEMBERS) throw new AppError('too_many_members');
    await this.#spaces.checkSpaceLimit(trx, userId);
    await setInviteStatus(trx, invite.id, 'accepted', userId);
    await insertMember(trx, { space_id, user_id: userId, role: 'member', joined_at: this.#clock.now() });
    // A member who left a moment ago keeps the tasks that are still in the space.
    await cancelFollowUp(trx, { kind: 'leave_space', user_id: userId, space_id });
    // A person who joins an empty space owns it.
    await ensureOwner(trx, space_id);
    announce(trx, [userId, space_id]);
    const members = await listMembers(trx, space_id);
    return { inviterId, name: members.find(({ user_id }) => user_id === userId)?.display_name ?? null };
  }
}

const mayRevoke = ({ userId }: SessionCaller, role: Role, { inviter_id }: Pick<Invite, 'inviter_id'>): boolean =>
  inviter_id === userId || role === 'owner';

function assertMadeAfter({ created_at }: Invite, departure: Date | undefined): void {
  if (departure === undefined || created_at > departure) return;
  const sentence = 'The invitation is older than the end of your membership. Ask for a new one.';
  throw new AppError('invite_revoked', { sentence });
}

function assertPending({ status, expires_at }: Invite, now: Date): void {
  if (status === 'revoked') throw new AppError('invite_revoked');
  if (status === 'accepted') throw new AppError('invite_spent');
  if (expires_at <= now) throw new AppError('invite_expired');
}
