/** Deliberate breaks of imports, sign-in, access tokens and connections. */
import type { Break } from '../break.ts';

const CODES = 'src/sign-in/email-codes.ts';
const CONNECTIONS = 'src/connections/connections.service.ts';
const TOKENS = 'src/accounts/tokens.service.ts';
const IMPORT = 'src/tasks/task-import.service.ts';

export const DOOR_BREAKS: readonly Break[] = [
  {
    name: 'an import brings the own tasks of an account a second time',
    file: 'src/tasks/task-import.store.ts',
    piece: '...own.map(({ id }) => [id, id] as const),',
    replacement: '...own.slice(0, 0).map(({ id }) => [id, id] as const),',
    noticedBy: ['import'],
  },
  {
    name: 'a page of an import is stored without a transaction',
    file: IMPORT,
    piece: 'const stored = await transact(this.#db, storePage, { isPart: !isLast });',
    replacement: 'void isLast; const stored = await storePage(this.#db);',
    noticedBy: ['export', 'import'],
  },
  {
    name: 'an import is not counted in the statistics',
    file: IMPORT,
    piece: 'await addToCounts(trx, owner_id, added);',
    replacement: '',
    noticedBy: ['import'],
  },
  {
    name: 'the engine is not told what an import brought',
    file: IMPORT,
    piece: 'if (stored.earliest) this.#wakeUp(stored.earliest);',
    replacement: '',
    noticedBy: ['never missing'],
  },
  {
    name: 'ladders are not imported',
    file: 'src/archive/import.service.ts',
    piece: 'if (isWhole && reading.ladders) await this.#restore.ladders(userId, reading.ladders);',
    replacement: '',
    noticedBy: ['import'],
  },
  {
    name: 'an imported run begins anew',
    file: 'src/archive/read-task.ts',
    piece: 'step: isUnderWay ? step : 0,',
    replacement: 'step: 0,',
    noticedBy: ['never early', 'import'],
  },
  {
    name: 'an emailed code is not spent by its sign-in',
    file: CODES,
    piece: 'return spent !== undefined && deleteEmailCode(trx, subject, spent);',
    replacement: 'return spent !== undefined;',
    noticedBy: ['sign-in'],
  },
  {
    name: 'the tries of a code are not limited',
    file: CODES,
    piece: 'return isCounted ? [tried.code.code_hash] : [];',
    replacement: 'void isCounted; return tried ? [tried.code.code_hash] : [];',
    noticedBy: ['sign-in'],
  },
  {
    name: 'strangers use up the tries of the owner',
    file: 'src/sign-in/email-codes.store.ts',
    piece: "return code && { code, triedBy: 'tries_by_others' };",
    replacement: "return code && { code, triedBy: 'tries_by_request' };",
    noticedBy: ['sign-in'],
  },
  {
    name: 'a code is valid for an hour',
    file: CODES,
    piece: 'const expires_at = this.#secondsFromNow(CODE_LIFETIME_SECONDS);',
    replacement: 'const expires_at = this.#secondsFromNow(6 * CODE_LIFETIME_SECONDS);',
    noticedBy: ['sign-in'],
  },
  {
    name: 'signing out ends no session',
    file: 'src/sign-in/sessions.service.ts',
    piece: 'await deleteSession(this.#db, caller.userId, caller.sessionId);',
    replacement: '',
    noticedBy: ['access'],
  },
  {
    name: 'signing out everywhere leaves the other sessions',
    file: 'src/sign-in/sign-out.service.ts',
    piece: 'let sum = chosen.sessions ? await sessions.endOthers(trx, caller) : 0;',
    replacement: 'let sum = 0; void sessions;',
    noticedBy: ['access'],
  },
  {
    name: 'a token outlives its end',
    file: TOKENS,
    piece: 'if (found.expires_at && found.expires_at <= now) return undefined;',
    replacement: '',
    noticedBy: ['access'],
  },
  {
    name: 'a token may do more than it was given',
    file: TOKENS,
    piece: 'scopes: JSON.stringify(scopes),',
    replacement: "scopes: JSON.stringify([...new Set([...scopes, 'tasks:write'])]),",
    noticedBy: ['access'],
  },
  {
    name: 'somebody else revokes a token',
    file: 'src/accounts/tokens.store.ts',
    piece: "deleteFrom('access_tokens').where('id', '=', id).where('user_id', '=', userId));",
    replacement: "deleteFrom('access_tokens').where('id', '=', id).where('user_id', 'is not', null));",
    noticedBy: ['access'],
  },
  {
    name: 'a code of a connection is exchanged twice',
    file: 'src/connections/connections.store.ts',
    piece: ".where('code_hash', '=', codeHash)\n      .where('token_id', 'is', null),",
    replacement: ".where('code_hash', '=', codeHash),",
    also: {
      file: CONNECTIONS,
      piece: 'if (!found || found.token_id || found.suspended_at',
      replacement: 'if (!found || found.suspended_at',
    },
    noticedBy: ['connections'],
  },
  {
    name: 'a code that two parties used leaves its connection',
    file: CONNECTIONS,
    piece: "if (spent?.token_id) await this.#end(user_id, spent.token_id, 'code_reused', address);",
    replacement: 'void spent;',
    noticedBy: ['access', 'connections'],
  },
  {
    name: 'a spent refresh token never ends its connection',
    file: CONNECTIONS,
    piece: "await this.#end(found.user_id, found.id, 'refresh_reused', asking.address);",
    replacement: '',
    noticedBy: ['access'],
    from: 701,
  },
];
