/** Deliberate breaks of what a client sees beside an open transaction, and of what follows from a failed statement. */
import type { Break } from '../break.ts';

const COMMITS = 'src/db/sqlite/group-commit.ts';

export const DATABASE_BREAKS: readonly Break[] = [
  {
    name: 'the horizon ignores the open batch',
    file: COMMITS,
    piece: 'return this.#batch?.openedAt ?? this.#now();',
    replacement: 'return this.#now();',
    noticedBy: ['sync'],
  },
  {
    name: 'a read sees what a transaction has not committed',
    file: 'src/db/sqlite/sqlite.ts',
    piece: 'function readWith<R>({ readStatements }: ConnectionParts,',
    replacement: 'function readWith<R>({ readStatements, writeStatements }: ConnectionParts,',
    also: {
      piece: 'return toResult(readStatements.execute(sql, parameters));',
      replacement:
        'return toResult((/_log|_fault/.test(sql) ? readStatements : writeStatements).execute(sql, parameters));',
    },
    noticedBy: ['sync'],
    from: 601,
  },
  {
    name: 'a write that shares a commit is answered before it',
    file: COMMITS,
    piece: 'await batch.durable;',
    replacement: 'if (batch.unitCount < 2) await batch.durable;',
    noticedBy: ['sync', 'answers are true', 'answers', 'whole or not at all', 'one effect per key'],
  },
  {
    name: 'a failed batch acknowledges the writes that it lost',
    file: COMMITS,
    piece: 'batch.fail(reason);',
    replacement: 'batch.fail(reason);\n    batch.succeed();',
    also: {
      piece: 'this.isRolledBack = true;\n    this.#committed.reject(cause);',
      replacement: 'this.isRolledBack = true;\n    void cause;',
    },
    noticedBy: ['sync', 'answers', 'answers are true', 'no exceptions', 'deliveries', 'arrival', 'one effect per key'],
  },
  {
    name: 'what a failed transaction wrote is committed with its neighbours',
    file: COMMITS,
    piece: "'rollback to unit; release unit'",
    replacement: "'release unit'",
    noticedBy: ['deliveries', 'whole or not at all', 'answers', 'answers are true', 'sync', 'statistics', 'export'],
  },
  {
    name: 'a loop of the engine ends with its first failure',
    file: 'src/lib/loop.ts',
    piece: "if (next !== 'failed') await this.#sleep(next);",
    replacement: "if (next === 'failed') return;\n      await this.#sleep(next);",
    noticedBy: ['never missing', 'arrival', 'deliveries', 'answers', 'no errors'],
  },
  {
    name: 'the result of a push counts as stored although its transaction failed',
    file: 'src/deliveries/result-writer.ts',
    piece: '    this.#attemptsLeft -= 1;',
    replacement: '    this.#finish(batch);',
    noticedBy: ['no duplicates', 'arrival', 'fallback', 'activities end', 'taken back'],
  },
];
