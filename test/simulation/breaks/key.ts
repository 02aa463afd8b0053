/** Deliberate breaks of what a client is promised that repeats a request under its key. */
import type { Break } from '../break.ts';

const PROMISE = 'one effect per key';
const ANSWERS = 'src/idempotency/stored-answers.service.ts';
const TRANSACT = 'src/db/transact.ts';

export const KEY_BREAKS: readonly Break[] = [
  {
    name: 'the mark of a key is lost if its transaction runs again',
    from: 113,
    file: TRANSACT,
    piece: 'await firstCommit?.write?.(trx);',
    replacement:
      'const write = firstCommit?.write; if (firstCommit) firstCommit.write = undefined; await write?.(trx);',
    noticedBy: [PROMISE],
  },
  {
    name: 'a key is marked after its work, in another transaction',
    file: ANSWERS,
    piece: 'withinFirstCommit(mark, run);',
    replacement: 'withinFirstCommit(async () => {}, run); void mark;',
    noticedBy: [PROMISE],
  },
  {
    name: 'an answer is not kept',
    file: 'src/idempotency/idempotency-hooks.ts',
    piece: 'if (isFinal) await answers.keep',
    replacement: 'if (isFinal && reply.statusCode > 299) await answers.keep',
    noticedBy: [PROMISE],
  },
  {
    name: 'two requests under one key are both carried out',
    file: 'src/idempotency/stored-answers.store.ts',
    piece: ".where('idempotency_keys.expires_at', '<=', now),",
    replacement: ".where('idempotency_keys.expires_at', '>=', new Date(0)),",
    noticedBy: [PROMISE],
  },
  {
    name: 'a key serves another request',
    file: ANSWERS,
    piece: "if (stored && stored.request_hash !== keyed.requestHash) throw new AppError('idempotency_key_reused');",
    replacement: '',
    noticedBy: [PROMISE],
  },
  {
    name: 'the key of a process that died is never free again',
    file: ANSWERS,
    piece: 'const CLAIMED_MS = 6_000;',
    replacement: 'const CLAIMED_MS = 3_600_000;',
    noticedBy: [PROMISE],
  },
];
