import type { RoomBreak } from '../room-break.ts';

const LIMITS = 'src/tasks/token-limits.ts';
const SERVICE = 'src/tasks/tasks.service.ts';
const CHANGES = 'src/tasks/task-changes.ts';
const EDIT = 'src/tasks/task-edit.ts';

export const TASK_CHANGES: readonly RoomBreak[] = [
  {
    name: 'the ceiling of a second token replaces a lower one',
    promise: 'of the limits of two tokens the stricter ones stay',
    file: LIMITS,
    piece: 'Math.min(maxStage, max_stage ?? maxStage)',
    replacement: 'maxStage',
    by: ['contract/token-limits'],
  },
  {
    name: 'an assigner lifts the ceiling that a token brought',
    promise: 'the limits of a token end by the word of the owner',
    file: LIMITS,
    piece: 'caller.userId === after.owner_id && (ladder.isChosen',
    replacement: '(ladder.isChosen',
    by: ['contract/token-limits'],
  },
  {
    name: 'a token makes a task break quiet hours by putting that back',
    promise: 'a token with a ceiling wakes nobody',
    file: SERVICE,
    piece: '      checkQuietHours(caller, relation, task, replaced.break_quiet_hours);\n',
    replacement: '',
    by: ['contract/token-limits'],
  },
  {
    name: 'a mode comes back on a closed task',
    promise: 'of a closed task only its title and notes change',
    file: SERVICE,
    piece: "      if (isRefusedWhenClosed(task, replaced)) throw new AppError('task_closed');\n",
    replacement: '',
    by: ['scenario/changes'],
  },
  {
    name: 'a text that was put back passes for the words of its owner',
    promise: 'assistants know whose words a task is',
    file: SERVICE,
    piece: 'isRestored: true, isLadderChosen',
    replacement: 'isLadderChosen',
    by: ['scenario/changes'],
  },
  {
    name: 'what was missed before a series ended is forgotten',
    promise: 'what passed while an earlier occurrence was open is missed',
    file: SERVICE,
    piece: 'result.changes.status === undefined ? result.changes.due_at : now',
    replacement: 'result.changes.due_at',
    by: ['scenario/changes'],
  },
  {
    name: 'the engine sleeps past a nudge that comes earlier now',
    promise: 'a nudge comes when it is due',
    file: CHANGES,
    piece: '    if (stored.next_fire_at) this.#wakeUp(stored.next_fire_at);\n',
    replacement: '',
    by: ['contract/wake-ups'],
  },
  {
    name: 'the first nudge of an import is that of its first task',
    promise: 'a nudge comes when it is due',
    file: 'src/tasks/task-import.service.ts',
    piece: 'a === null || (b !== null && b < a)',
    replacement: 'a === null',
    by: ['contract/wake-ups'],
  },
  {
    name: 'a new rule counts the occurrences of the one before',
    promise: 'a series has as many occurrences as its rule says',
    file: EDIT,
    piece: '    occurrence_number: 1,\n',
    replacement: '',
    by: ['scenario/changes'],
  },
  {
    name: 'an occurrence that was moved is snoozed on',
    promise: 'a task rings at the date that it was moved to',
    file: EDIT,
    piece: 'deferred_until: null, ...newRunWithHeadsUp(task, now) };',
    replacement: '...newRunWithHeadsUp(task, now) };',
    by: ['scenario/changes'],
  },
  {
    name: 'a client that begins to sync learns of the first thousand tasks',
    promise: 'a client that only syncs has what a full read shows',
    file: 'src/tasks/shown-tasks.store.ts',
    piece: 'part.length < IDS_PER_TURN',
    replacement: 'part.length <= IDS_PER_TURN',
    by: ['contract/task-lists'],
  },
  {
    name: 'a task that moved meanwhile is twice in a list, and another is missing',
    promise: 'a list holds everything once',
    file: 'src/tasks/task-list.ts',
    piece: 'outlines.length === ids.length && outlines.every(({ id }, index) => id === ids[index])',
    replacement: 'outlines.length === ids.length',
    by: ['contract/task-lists'],
  },
  {
    name: 'a Live Activity is ended where it does not run',
    promise: 'a task that is done leaves every screen',
    file: 'src/tasks/timeline/timeline.store.ts',
    piece: "provider: providerOf('ios', push_env),",
    replacement: "provider: providerOf('ios', null),",
    by: ['contract/live-activities'],
  },
];
