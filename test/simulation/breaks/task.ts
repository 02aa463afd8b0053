/** Breaks of what people do to tasks, and who sees it. */
import type { Break } from '../break.ts';

export const TASK_BREAKS: readonly Break[] = [
  {
    name: 'a task that is dealt with does not cancel its deliveries',
    file: 'src/tasks/task-changes.ts',
    piece: 'await cancelDeliveries(trx, id);',
    replacement: '',
    noticedBy: ['never after the end', 'stages never fall', 'messages'],
  },
  {
    name: 'a Live Activity is not ended with its task',
    file: 'src/tasks/task-changes.ts',
    piece: 'const hasActivity = await endActivities(trx, task, activities, entryId, now);',
    replacement: 'const hasActivity = false;',
    noticedBy: ['retraction'],
  },
  {
    name: 'an action and its outcome are two transactions',
    file: 'src/tasks/tasks.service.ts',
    piece: 'const counts = await recordOutcome(trx, task, result, outcomeId, now, missed);',
    replacement:
      'setImmediate(() => transact(this.#db, (late) => recordOutcome(late, task, result, outcomeId, now, missed)).catch(() => {})); const counts = {};',
    noticedBy: ['whole or not at all', 'one outcome per occurrence', 'statistics'],
  },
  {
    name: 'a snooze that was taken back still lasts',
    file: 'src/tasks/tasks.service.ts',
    piece: '{ deferred_until: null, ...newRun(task, now) }',
    replacement: '{ deferred_until: task.deferred_until, ...newRun(task, now) }',
    noticedBy: ['answers', 'answers are true', 'sync', 'never missing'],
  },
  {
    name: 'a snooze that is over is taken back too',
    file: 'src/tasks/tasks.service.ts',
    piece: 'const isSnoozed = task.deferred_until !== null && task.deferred_until > now;',
    replacement: 'const isSnoozed = task.deferred_until !== null;',
    noticedBy: ['answers', 'answers are true', 'sync', 'never missing', 'no duplicates', 'stages never fall'],
  },
  {
    name: 'the engine is not woken by a change',
    file: 'src/tasks/tasks.service.ts',
    piece: 'if (task.next_fire_at) this.#wakeUp(task.next_fire_at);',
    replacement: '',
    noticedBy: ['never missing'],
  },
  {
    name: 'reopening does not withdraw the outcome',
    file: 'src/tasks/outcomes.store.ts',
    piece: 'const withdrawn = withdrawnOutcomeId && (await',
    replacement: 'const withdrawn = withdrawnOutcomeId === "" && (await',
    noticedBy: ['one outcome per occurrence', 'statistics', 'whole or not at all', 'apps', 'export'],
  },
  {
    name: 'the undo of a bulk change takes back what happened since',
    file: 'src/tasks/task-state.ts',
    piece: 'if (batchId !== undefined && batchId !== usedBatch)',
    replacement: 'if (batchId === "")',
    noticedBy: ['answers'],
  },
  {
    name: 'closed tasks still count as open',
    file: 'src/tasks/task-changes.ts',
    piece: '{ ...counts, open: opened }',
    replacement: '{ ...counts, open: Math.max(0, opened) }',
    noticedBy: ['statistics'],
  },
  {
    name: 'members see requests that are not accepted',
    file: 'src/tasks/visibility.ts',
    piece: 'task.space_id !== null && task.accepted_by_owner && areMembers',
    replacement: 'task.space_id !== null && areMembers',
    noticedBy: ['visibility', 'answers'],
  },
  {
    name: 'a person who leaves a space stays the assigner of tasks there',
    file: 'src/tasks/space-tasks.service.ts',
    piece: 'const ended = await endAssignments(trx, space_id, user_id, limit - rows);',
    replacement: 'const ended = []; void endAssignments;',
    noticedBy: ['deliveries'],
  },
  {
    name: 'sync does not report what was taken out of a space',
    file: 'src/tasks/task-changes.ts',
    piece: 'await recordRemovalsAfterChange(trx, task, changed);',
    replacement: '',
    noticedBy: ['sync'],
  },
  {
    name: 'changes are stamped by a clock that was set back',
    file: 'src/db/sqlite/stamps.ts',
    piece: 'latestMs = Math.max(latestMs, toMs);',
    replacement: 'latestMs = toMs;',
    noticedBy: ['apps', 'sync'],
  },
  {
    name: 'an old notification completes the next occurrence',
    file: 'src/tasks/task-state.ts',
    piece:
      "if (isStale(task, action)) return refuse('occurrence_passed');\n  if (task.status !== 'open') return task.status",
    replacement: "if (task.status !== 'open') return task.status",
    noticedBy: ['answers', 'answers are true'],
  },
  {
    name: 'a series forgets the time zone and its change of clocks',
    file: 'src/tasks/due.ts',
    piece: 'const dueAt = nextOccurrence(rule, { first, zone }, after);',
    replacement: "const dueAt = nextOccurrence(rule, { first, zone: 'UTC' }, after);",
    noticedBy: ['apps', 'answers are true'],
  },
  {
    name: 'a message is not taken back with its task',
    file: 'src/tasks/task-changes.ts',
    piece: '(await retractMessages(trx, task, messages, entryId, now)) || hasActivity',
    replacement: 'hasActivity',
    noticedBy: ['messages'],
  },
];
