import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/admin/admin.service.ts';
const RULES = 'src/admin/administrators.ts';

export const ADMIN: readonly RoomBreak[] = [
  {
    name: 'a suspended account still administers',
    promise: 'a suspended account has no access',
    file: RULES,
    piece: 'if (user.suspended_at !== null) return null;',
    replacement: '',
    by: ['admin/administrators'],
  },
  {
    name: 'the first account administers where strangers come',
    promise: 'coming first makes nobody an administrator of a public service',
    file: RULES,
    piece: 'return isFirstAccountAdmin && user.first_account ?',
    replacement: 'return user.first_account || isFirstAccountAdmin ?',
    by: ['admin/administrators'],
  },
  {
    name: 'a service behind a proxy counts as private',
    promise: 'coming first makes nobody an administrator of a public service',
    file: RULES,
    piece: 'if (isBehindProxy || EVERY_INTERFACE.includes(listenHost)) return false;',
    replacement: 'if (!isBehindProxy && EVERY_INTERFACE.includes(listenHost)) return false;',
    by: ['admin/administrators'],
  },
  {
    name: 'an administrator suspends themselves',
    promise: 'nobody locks the last administrator out by accident',
    file: SERVICE,
    piece:
      "if (caller.userId === userId) throw new AppError('not_allowed', { sentence: 'This is your own account.' });",
    replacement: '',
    by: ['contract/admin'],
  },
  {
    name: 'who lost the role a moment ago still acts',
    promise: 'a role counts at the moment of the act',
    file: SERVICE,
    piece: "if (!reason) throw new AppError('admin_required');",
    replacement: 'void reason;',
    by: ['contract/admin'],
  },
  {
    name: 'an old session deletes an account',
    promise: 'what cannot be undone needs a recent sign-in',
    file: SERVICE,
    piece:
      "await this.#record('delete', actor, { user_id: userId }, async () => {\n      this.#requireRecentSignIn(actor);\n",
    replacement: "await this.#record('delete', actor, { user_id: userId }, async () => {\n",
    by: ['contract/admin'],
  },
  {
    name: 'a failed act leaves no trace',
    promise: 'every act of an administrator is in the audit log',
    file: SERVICE,
    piece:
      "this.#parts.audit.record('admin_action', { result: error instanceof AppError ? error.code : 'failed', ...who });",
    replacement: 'void AppError;',
    by: ['contract/admin'],
  },
  {
    name: 'the word is spent by two people',
    promise: 'the word of the terminal makes one administrator',
    file: 'src/admin/claim.service.ts',
    piece: "if (!isFree) throw new AppError('already_claimed');",
    replacement: 'void isFree;',
    by: ['contract/claim'],
  },
  {
    name: 'what an administrator asked for outlives the role',
    promise: 'a reset ends with the administrator who asked for it',
    file: SERVICE,
    piece: 'if (admin === null) await this.#parts.resets.withdrawAllBy(userId);',
    replacement: '',
    by: ['contract/user-commands'],
  },
  {
    name: 'an account that is being deleted still counts',
    promise: 'who is deleted is nobody',
    file: 'src/admin/people.store.ts',
    piece: "const count = db.selectFrom('users').where('deleted_at', 'is', null);",
    replacement: "const count = db.selectFrom('users');",
    by: ['contract/people-counts'],
  },
  {
    name: 'a dead channel looks as if it waited for its owner',
    promise: 'an administrator sees what reaches nobody',
    file: 'src/admin/people.store.ts',
    piece: "case when not valid then 'broken' when verified_at is null then 'waiting' else 'working' end",
    replacement: "case when verified_at is null then 'waiting' when not valid then 'broken' else 'working' end",
    by: ['contract/people-counts'],
  },
  {
    name: 'the word for the first administrator is wrong after a rotation of keys',
    promise: 'a word that was shown before a rotation of keys is right after it',
    file: 'src/admin/claim.service.ts',
    piece: 'this.#parts.vault.hashes(PURPOSE, number.value).map(',
    replacement: '[this.#parts.vault.hash(PURPOSE, number.value)].map(',
    by: ['contract/claim'],
  },
];
