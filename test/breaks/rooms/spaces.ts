import type { RoomBreak } from '../room-break.ts';

const INVITES = 'src/spaces/invites.service.ts';
const STORE = 'src/spaces/invites.store.ts';
const by = ['contract/spaces', 'contract/sign-out'];

export const SPACES: readonly RoomBreak[] = [
  {
    name: 'an invitation lasts for ever',
    promise: 'an invitation is valid for two weeks',
    file: INVITES,
    piece: "if (expires_at <= now) throw new AppError('invite_expired');",
    replacement: '',
    by: ['contract/spaces'],
  },
  {
    name: 'an invitation is used twice',
    promise: 'an invitation lets in one person',
    file: INVITES,
    piece: "if (status === 'accepted') throw new AppError('invite_spent');\n  if (expires_at",
    replacement: 'if (expires_at',
    by,
  },
  {
    name: 'a revoked invitation is accepted',
    promise: 'a revoked invitation lets nobody in',
    file: INVITES,
    piece: "if (status === 'revoked') throw new AppError('invite_revoked');",
    replacement: '',
    by,
  },
  {
    name: 'who was removed comes back by an old invitation',
    promise: 'a removed member needs a new invitation',
    file: INVITES,
    piece: 'if (departure === undefined || created_at > departure) return;',
    replacement: 'if (departure === undefined || created_at) return;',
    by,
  },
  {
    name: 'the invitation of a suspended account is accepted',
    promise: 'a suspended account lets nobody in',
    file: STORE,
    piece: "return returnsAny(inviter.where('suspended_at', 'is not', null));",
    replacement: "return returnsAny(inviter.where('id', '=', ''));",
    by: ['contract/admin'],
  },
  {
    name: 'any member revokes the invitations of others',
    promise: 'the inviter and the owner alone revoke an invitation',
    file: INVITES,
    piece: "  inviter_id === userId || role === 'owner';",
    replacement: "  inviter_id === userId || role === 'owner' || role === 'member';",
    by,
  },
  {
    name: 'open invitations are not bounded',
    promise: 'a space has a bounded number of open invitations',
    file: INVITES,
    piece: 'if ((await countOpenInvites(this.#db, space_id, now)) <= MAX_OPEN_INVITES) return;',
    replacement: 'if ((await countOpenInvites(this.#db, space_id, now)) > 0) return;',
    by,
  },
  {
    name: 'members of a space are not bounded',
    promise: 'a space has a bounded number of members',
    file: INVITES,
    piece: "if ((await countMembers(trx, space_id)) >= MAX_MEMBERS) throw new AppError('too_many_members');",
    replacement: '',
    by,
  },
  {
    name: 'an invitation that could not be mailed stays open',
    promise: 'a failed invitation can be made again and leaves nothing',
    file: INVITES,
    piece:
      'await limitMails(userId, to, () => mailer.send(mail));\n    } catch (error) {\n      await deleteInvite(this.#db, id);\n',
    replacement: 'await limitMails(userId, to, () => mailer.send(mail));\n    } catch (error) {\n',
    by,
  },
  {
    name: 'a session that was ended a moment ago makes an invitation',
    promise: 'nothing outlives “Sign out everywhere”',
    file: INVITES,
    piece: 'if (await hasSession(this.#db, sessionId)) return;',
    replacement: 'if ((await hasSession(this.#db, sessionId)) || id) return;',
    by: ['contract/sign-out'],
  },
  {
    name: 'who comes back loses the tasks that are still in the space',
    promise: 'a member who left a moment ago keeps the tasks of the space',
    file: INVITES,
    piece: "await cancelFollowUp(trx, { kind: 'leave_space', user_id: userId, space_id });",
    replacement: 'void cancelFollowUp;',
    by: ['scenario/follow-ups'],
  },
  {
    name: 'who joins an empty space is a mere member',
    promise: 'every space has an owner',
    file: INVITES,
    piece: 'await ensureOwner(trx, space_id);',
    replacement: 'void ensureOwner;',
    by,
  },
];
