import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/idempotency/stored-answers.service.ts';
const STORE = 'src/idempotency/stored-answers.store.ts';
const HOOKS = 'src/idempotency/idempotency-hooks.ts';
const LIMITS = 'src/idempotency/answer-limits.ts';

export const IDEMPOTENCY: readonly RoomBreak[] = [
  {
    name: 'a key in use is given to a second request',
    promise: 'nothing happens twice',
    file: STORE,
    piece: "doUpdateSet(row).where('idempotency_keys.expires_at', '<=', now)",
    replacement: 'doUpdateSet(row)',
    by: ['contract/idempotency'],
  },
  {
    name: 'the same key with another request gets the answer of the first',
    promise: 'an answer belongs to its request',
    file: SERVICE,
    piece: "if (stored && stored.request_hash !== keyed.requestHash) throw new AppError('idempotency_key_reused');",
    replacement: '',
    by: ['contract/idempotency'],
  },
  {
    name: 'a key whose work is done and whose answer is lost is free again',
    promise: 'nothing happens twice',
    file: STORE,
    piece: "    .where('status', 'is', null)\n",
    replacement: '',
    by: ['contract/idempotency'],
  },
  {
    name: 'the work does not mark its key',
    promise: 'a crash between work and answer does not let the work happen twice',
    file: SERVICE,
    piece: 'withinFirstCommit(mark, run);',
    replacement: 'void mark; run();',
    by: ['contract/idempotency'],
  },
  {
    name: 'an answer with a secret is stored',
    promise: 'a secret is shown once and stored nowhere',
    file: HOOKS,
    piece: 'body: isSecret ? null : payload',
    replacement: 'body: payload || (isSecret ? null : payload)',
    by: ['contract/idempotency'],
  },
  {
    name: 'a refusal for the moment is repeated for a day',
    promise: 'a request that failed for the moment can be sent again',
    file: HOOKS,
    piece: "statusCode >= 500 || statusCode === 429 || refusedWith === 'caller_left'",
    replacement: "statusCode >= 500 || refusedWith === 'caller_left'",
    by: ['contract/idempotency'],
  },
  {
    name: 'a session and a token share their keys',
    promise: 'a token never gets the answer of a session',
    file: HOOKS,
    piece: 'const keyHash = hashToken(JSON.stringify([credential, key]));',
    replacement: "const keyHash = hashToken(JSON.stringify([credential && '', key]));",
    by: ['contract/idempotency'],
  },
  {
    name: 'the bytes of one account are not bounded',
    promise: 'an account cannot fill the database with answers',
    file: LIMITS,
    piece: 'while (account.bytes > this.#limits.bytes) {',
    replacement: 'while (account.bytes > this.#limits.bytes * 1_000) {',
    by: ['src/idempotency'],
  },
  {
    name: 'an answer is dropped that was stored under the same key a day later',
    promise: 'a repetition within a day gets its answer',
    file: 'src/idempotency/stored-answers.store.ts',
    piece:
      "      .set({ answer: null })\n      .where('user_id', '=', userId)\n      .where('key_hash', '=', keyHash)\n      // The same key may have been used again since.\n      .where('expires_at', '=', expiresAt)\n      .execute();",
    replacement:
      "      .set({ answer: null })\n      .where('user_id', '=', userId)\n      .where('key_hash', '=', keyHash)\n      .execute();",
    by: ['contract/idempotency'],
  },
  {
    name: 'a process renews its claims only until it had none for a while',
    promise: 'a request that takes long keeps its key',
    file: 'src/idempotency/stored-answers.service.ts',
    piece: '    this.#renewing = undefined;\n',
    replacement: '',
    by: ['contract/idempotency'],
  },
  {
    name: 'each transaction of a request marks its key',
    promise: 'an answer is kept whatever its request goes on to do',
    file: 'src/db/transact.ts',
    piece: '      if (firstCommit) firstCommit.write = undefined;\n',
    replacement: '',
    by: ['contract/idempotency'],
  },
  {
    name: 'a claim is given up when the database was away',
    promise: 'a key stays with its request for as long as that takes',
    file: 'src/idempotency/stored-answers.service.ts',
    piece: 'renewal.catch(() => true)',
    replacement: 'renewal.catch(() => false)',
    by: ['contract/idempotency'],
  },
  {
    name: 'the key of a request that has ended is renewed once more',
    promise: 'the key of a request without an answer is free soon',
    file: 'src/idempotency/stored-answers.service.ts',
    piece: 'known.filter(({ claim }) => this.#underWay.has(claim)).map(',
    replacement: 'known.map(',
    by: ['contract/idempotency'],
  },
  {
    name: 'a caller who left spends the key',
    promise: 'a request whose caller has left can be sent again',
    file: 'src/idempotency/idempotency-hooks.ts',
    piece: " || refusedWith === 'caller_left'",
    replacement: " || (refusedWith === 'caller_left' && statusCode >= 500)",
    by: ['contract/idempotency'],
  },
  {
    name: 'the same key gets its answer at another address',
    promise: 'an answer belongs to its request',
    file: HOOKS,
    piece: 'JSON.stringify([url, body ?? null])',
    replacement: "JSON.stringify([url && '', body ?? null])",
    by: ['contract/idempotency'],
  },
];
