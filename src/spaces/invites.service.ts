/**
 * Invitations into a space: single use, two weeks, the token stored hashed. Any member may invite;
 * whoever invited, and the space's owner, may take an invitation back.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { isEmailAddress } from '../lib/email.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Mailer } from '../lib/mailer.ts';
import { hashToken, newToken } from '../lib/secrets.ts';
import { inviteMail } from './invite-mail.ts';
import {
  deleteInvite,
  findInvite,
  findSpaceOfInvite,
  type Invite,
  insertInvite,
  lockInviteByToken,
  setInviteStatus,
} from './invites.store.ts';
import type { SpacesService } from './spaces.service.ts';
import { findRole, getSpace, insertMember, lockSpace, type Space } from './spaces.store.ts';

const LIFETIME_MS = 14 * 86_400_000;

export interface InvitePost {
  readonly mailer: Mailer;
  /** Where the web app is reached, for the link in the mail. */
  readonly baseUrl: string;
  /** Throws where the account has sent too many. */
  readonly admit: (userId: string) => Promise<void>;
}

export class InvitesService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #spaces: SpacesService;
  readonly #post: InvitePost;

  constructor(db: Kysely<Database>, clock: Clock, spaces: SpacesService, post: InvitePost) {
    this.#db = db;
    this.#clock = clock;
    this.#spaces = spaces;
    this.#post = post;
  }

  /** The mail leaves after the invitation is stored; one that cannot be mailed is taken back, so that trying again is safe. */
  async create(caller: SessionCaller, spaceId: string, contact: string | null): Promise<Invite & { token: string }> {
    await this.#spaces.roleOf(this.#db, caller, spaceId);
    await this.#post.admit(caller.userId);
    const token = newToken('in_');
    const now = this.#clock.now();
    const invite: Invite = {
      ...{ id: newId(), space_id: spaceId, inviter_id: caller.userId, accepted_by: null, contact },
      ...{
        token_hash: hashToken(token),
        status: 'pending',
        created_at: now,
        expires_at: new Date(now.getTime() + LIFETIME_MS),
      },
    };
    // No transaction of its own: what cannot be mailed is taken back, and must not count as done under a key.
    await insertInvite(this.#db, invite);
    if (contact !== null && isEmailAddress(contact.trim())) await this.#mail(invite, contact.trim(), token);
    return { ...invite, token };
  }

  async #mail({ id, space_id }: Invite, to: string, token: string): Promise<void> {
    const { name } = await getSpace(this.#db, space_id);
    try {
      await this.#post.mailer.send(inviteMail(to, name, `${this.#post.baseUrl}/app/invites/${token}`));
    } catch (error) {
      await deleteInvite(this.#db, id);
      throw error;
    }
  }

  async revoke(caller: SessionCaller, spaceId: string, inviteId: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const role = await this.#spaces.roleOf(trx, caller, spaceId);
      await lockSpace(trx, spaceId);
      const invite = await findInvite(trx, spaceId, inviteId);
      if (!invite) throw new AppError('not_found', { sentence: 'There is no such invitation.' });
      if (invite.inviter_id !== caller.userId && role !== 'owner') throw new AppError('not_allowed');
      if (invite.status === 'accepted') throw new AppError('invite_spent');
      await setInviteStatus(trx, inviteId, 'revoked', null);
    });
  }

  /** Whoever is a member already stays one, and leaves the invitation to whom it was meant for. */
  async accept({ userId }: SessionCaller, token: string): Promise<Space> {
    return transact(this.#db, async (trx) => {
      // The space before the invitation, as in every other place that locks both.
      const space_id = await findSpaceOfInvite(trx, hashToken(token));
      if (space_id !== undefined) await lockSpace(trx, space_id);
      const invite = await lockInviteByToken(trx, hashToken(token));
      if (!invite || space_id === undefined)
        throw new AppError('not_found', { sentence: 'There is no such invitation.' });
      if (!(await findRole(trx, space_id, userId))) {
        refuseUnlessPending(invite, this.#clock.now());
        await setInviteStatus(trx, invite.id, 'accepted', userId);
        await insertMember(trx, { space_id, user_id: userId, role: 'member', joined_at: this.#clock.now() });
      }
      return getSpace(trx, space_id);
    });
  }
}

function refuseUnlessPending({ status, expires_at }: Invite, now: Date): void {
  if (status === 'revoked') throw new AppError('invite_revoked');
  if (status === 'accepted') throw new AppError('invite_spent');
  if (expires_at <= now) throw new AppError('invite_expired');
}
