/** Deliberate breaks of what lists, searches and feeds show, at least one for each of them. */
import type { Break } from '../break.ts';

const SHOWN = 'src/tasks/shown-tasks.store.ts';

export const READING_BREAKS: readonly Break[] = [
  {
    name: 'an answer of several pages lacks the second one',
    file: 'src/lib/pages.ts',
    piece: '  yield* pagesIn(await read(slice));\n  for (',
    replacement: '  await read(slice);\n  for (',
    noticedBy: ['lists', 'feeds'],
  },
  {
    name: 'a list with a limit ends with its first page',
    file: 'src/tasks/task-list.ts',
    piece: 'list.length === limit ? list.at(-1) : undefined',
    replacement: 'list.length > Number(limit) ? list.at(-1) : undefined',
    noticedBy: ['lists'],
  },
  {
    name: 'a snooze that is over is still listed',
    file: SHOWN,
    piece: "return open.where('deferred_until', '>', now);",
    replacement: "return open.where('deferred_until', 'is not', null);",
    noticedBy: ['lists'],
  },
  {
    name: 'a task stays where it was in the list when it is snoozed',
    file: 'src/tasks/plan-task.ts',
    piece: 'const moments = [task.due_at, task.deferred_until]',
    replacement: 'const moments = [task.due_at]',
    noticedBy: ['lists'],
  },
  {
    name: 'the next page of a search begins with the last task of the one before',
    file: 'src/tasks/task-search.service.ts',
    piece: 'byRank({ rank, task }, last) <= 0',
    replacement: 'byRank({ rank, task }, last) < 0',
    noticedBy: ['lists'],
  },
  {
    name: 'a search does not read beyond its first page',
    file: 'src/tasks/task-search.service.ts',
    piece: 'if (!position || compared >= MOST_COMPARED) break;',
    replacement: 'if (position || compared >= MOST_COMPARED) position = undefined;\n      break;',
    noticedBy: ['lists'],
  },
  {
    name: 'a sync from the start ends with its first part',
    file: SHOWN,
    piece: 'part.length < IDS_PER_TURN) return ids;',
    replacement: 'part.length <= IDS_PER_TURN) return ids;',
    noticedBy: ['feeds'],
  },
  {
    name: 'the calendar feed leaves out a task between its pages',
    file: 'src/calendar/calendar.service.ts',
    piece: 'start += TASKS_PER_PAGE) {',
    replacement: 'start += TASKS_PER_PAGE + 1) {',
    noticedBy: ['feeds'],
  },
  {
    name: 'the calendar feed shows requests that nobody has accepted',
    file: 'src/calendar/calendar.store.ts',
    piece: ".where('status', '=', 'open').where('accepted_by_owner', '=', true);",
    replacement: ".where('status', '=', 'open');",
    noticedBy: ['feeds'],
  },
  {
    name: 'an app gets the first page of a list alone',
    file: 'src/caldav/caldav-reading.service.ts',
    piece: 'slicesOf(ids.filter(isUuid), ROWS_PER_LATER_PAGE)) {',
    replacement: 'slicesOf(ids.filter(isUuid).slice(0, ROWS_PER_LATER_PAGE), ROWS_PER_LATER_PAGE)) {',
    noticedBy: ['apps'],
  },
  {
    name: 'an export ends the history of a task with its first page',
    file: 'src/archive/history.ts',
    piece: 'if (this.#next < this.#page.length) return;',
    replacement: 'return;',
    noticedBy: ['export'],
  },
  {
    name: 'an export leaves out a task between its pages',
    file: 'src/archive/export.service.ts',
    piece: 'slicesOf(await sortInTurns(ids), TASKS_PER_PAGE)',
    replacement: 'slicesOf((await sortInTurns(ids)).filter((_, index) => index !== TASKS_PER_PAGE), TASKS_PER_PAGE)',
    noticedBy: ['export'],
  },
  {
    name: 'the history of an export begins its next page with the last row of the one before',
    file: 'src/archive/archive.store.ts',
    piece: '(${columns}) > (${position})',
    replacement: '(${columns}) >= (${position})',
    noticedBy: ['export'],
  },
];
