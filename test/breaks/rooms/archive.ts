import type { RoomBreak } from '../room-break.ts';

const MOVE_IN = 'src/archive/move-in.service.ts';
const by = ['contract/archive.test'];
const moving = ['contract/move-in.test'];

export const ARCHIVE: readonly RoomBreak[] = [
  {
    name: 'the history of a task ends with its first page',
    promise: 'an export has everything of the account',
    file: 'src/archive/history.ts',
    piece: 'this.#isLastPage = this.#page.length < ROWS_PER_PAGE;',
    replacement: 'this.#isLastPage = this.#page.length <= ROWS_PER_PAGE;',
    by: ['src/archive/history'],
  },
  {
    name: 'the last entry of a page is exported twice',
    promise: 'an export has everything of the account once',
    file: 'src/archive/archive.store.ts',
    piece: '(${columns}) > (${position})',
    replacement: '(${columns}) >= (${position})',
    by: ['contract/export-pages'],
  },
  {
    name: 'the next part of an export begins with the last task of the one before',
    promise: 'the parts of an export together have every task once',
    file: 'src/archive/export.service.ts',
    piece: '.filter((id) => id > after);',
    replacement: '.filter((id) => id >= after);',
    by: ['contract/export-pages'],
  },
  {
    name: 'an export goes on without the tasks that were deleted meanwhile',
    promise: 'half an export never looks complete',
    file: 'src/archive/export.service.ts',
    piece: 'if ((await countTasks(this.#db, ids)) < ids.length)',
    replacement: 'if ((await countTasks(this.#db, ids)) > ids.length)',
    by: ['contract/export-pages'],
  },
  {
    name: 'ladders are taken from an import that is refused',
    promise: 'an import that is refused changes nothing',
    file: 'src/archive/import.service.ts',
    piece: 'if (isWhole && reading.ladders)',
    replacement: 'if (reading.ladders)',
    by,
  },
  {
    name: 'the last page of a move is left out',
    promise: 'a move brings every task of the file',
    file: MOVE_IN,
    piece: 'const isDone = isPageOver && moveIn.page + 1 >= moveIn.pages;',
    replacement: 'const isDone = isPageOver && moveIn.page + 2 >= moveIn.pages;',
    by: moving,
  },
  {
    name: 'what another account has moved in is shown',
    promise: 'nobody reads the file of another',
    file: 'src/archive/move-in.store.ts',
    piece:
      ".where('id', '=', id).where('user_id', '=', userId);\n  return found.where('expires_at', '>', now).executeTakeFirst();",
    replacement: ".where('id', '=', userId && id);\n  return found.where('expires_at', '>', now).executeTakeFirst();",
    by: moving,
  },
  {
    name: 'an upload that is being imported is displaced',
    promise: 'a file that has arrived is imported',
    file: 'src/archive/upload-slots.ts',
    piece: '    this.#isReceived = true;\n',
    replacement: '',
    by: ['src/archive/upload-slots'],
  },
  {
    name: 'a caller who hung up in the queue is read anyway',
    promise: 'who has left keeps nobody waiting',
    file: 'src/archive/archive-reader.ts',
    piece: 'await this.#turns.acquire(callerLeft).catch(',
    replacement: 'await this.#turns.acquire().catch(',
    by: ['contract/archive-reader'],
  },
  {
    name: 'the last page of an import is left out',
    promise: 'an import stores everything or nothing',
    file: 'src/tasks/task-import.service.ts',
    piece: '  if (page.length > 0) yield page;\n',
    replacement: '  if (page.length > 1) yield page;\n',
    by: ['contract/archive.test', 'contract/import-limits'],
  },
  {
    name: 'a file is read on while its caller has left',
    promise: 'a caller who hung up leaves nothing at work',
    file: 'src/archive/archive-reader.ts',
    piece: '      await taking.catch(() => undefined);\n',
    replacement: '      void taking.catch(() => undefined);\n',
    by: ['contract/archive-reader', 'contract/move-in.test'],
  },
  {
    name: 'taking an import back leaves the tasks after the first slice',
    promise: 'an import can be taken back as a whole',
    file: 'src/tasks/remove-imported.ts',
    piece: 'return { rows: tasks.length, isDone: false,',
    replacement: 'return { rows: tasks.length, isDone: true,',
    by: ['contract/move-in.test'],
  },
  {
    name: 'one account keeps all uploads',
    promise: 'no account keeps the others from importing',
    file: 'src/archive/upload-slots.ts',
    piece: '    if (this.#uploading.has(userId)) {\n',
    replacement: '    if (this.#uploading.has(userId) && this.#uploading.size > MAX_UPLOADS) {\n',
    by: ['contract/archive', 'contract/import-limits'],
  },
];
