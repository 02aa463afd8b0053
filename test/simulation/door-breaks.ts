/** Deliberate breaks of imports, sign-in, access tokens and connections. */
import type { Break } from './break.ts';

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
    noticedBy: ['import'],
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
];
