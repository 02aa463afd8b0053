import type { RoomBreak } from '../room-break.ts';

export const VIEWERS: readonly RoomBreak[] = [
  {
    name: 'who loses sight of a task is not told',
    promise: 'the app shows no task that its person cannot see',
    file: 'src/tasks/task-changes.ts',
    piece: 'announce(trx, [...audienceOf(task), ...audienceOf(changed),',
    replacement: 'announce(trx, [...audienceOf(changed),',
    by: ['contract/live.test'],
  },
  {
    name: 'an owner does not hear of an assigner who is gone',
    promise: 'an app sees every change',
    file: 'src/tasks/sync/sync.store.ts',
    piece: ".set({ assigner_id: null, changed_at: sql<Date>`crescendo_now()` })\n    .where('id', 'in', some)",
    replacement: ".set({ assigner_id: null })\n    .where('id', 'in', some)",
    by: ['contract/sync.test'],
  },
  {
    name: 'the agenda of a task has what passed of others',
    promise: 'the history of a task is its own',
    file: 'src/tasks/agenda/agenda.service.ts',
    piece: ' || (taskId !== undefined && task_id !== taskId)) continue;',
    replacement: ') continue;',
    also: {
      piece: 'async #addMissed(owner: Owner, taskId: string | undefined,',
      replacement: 'async #addMissed(owner: Owner, _taskId: string | undefined,',
    },
    by: ['contract/agenda'],
  },
  {
    name: 'nudges of tasks that Undo removed count on',
    promise: 'Undo of a move leaves the account as it was',
    file: 'src/tasks/remove-imported.ts',
    piece: '\n    nudges_sent: -tasks.reduce((sum, { nudge_count }) => sum + nudge_count, 0),',
    replacement: '',
    by: ['contract/move-in.test'],
  },
  {
    name: 'skipped occurrences of tasks that Undo removed count on',
    promise: 'Undo of a move leaves the account as it was',
    file: 'src/tasks/remove-imported.ts',
    piece: '\n      skipped: done.length - deleted.length,',
    replacement: '',
    by: ['contract/move-in.test'],
  },
  {
    name: 'what was missed before the days of an agenda stands before them',
    promise: 'an agenda has nothing but its days',
    file: 'src/tasks/agenda/agenda.service.ts',
    piece: 'const at = missed_from < span.start ? span.start : missed_from;',
    replacement: 'const at = missed_from;',
    by: ['contract/agenda'],
  },
  {
    name: 'a later page of an agenda leaves out the rest of its day',
    promise: 'the pages of an agenda together have every occurrence',
    file: 'src/tasks/agenda/agenda.service.ts',
    piece: '> 0 ? after.subtract({ days: 1 }) : span.from;',
    replacement: '> 0 ? after.add({ days: 1 }) : span.from;',
    by: ['contract/agenda'],
  },
];
