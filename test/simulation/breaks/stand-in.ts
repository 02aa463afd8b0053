/** Deliberate breaks of what stand-ins are promised, at least one for each promise. */
import type { Break } from '../break.ts';

const AGREED = '(one.agreed_at !== null || isExcluded(one)) && fits(one, task)';
const PURE = 'src/tasks/stand-ins/stand-ins.ts';
const STORE = 'src/tasks/stand-ins/stand-ins.store.ts';
const SERVICE = 'src/tasks/stand-ins/reached-tasks.service.ts';
const VISIBILITY = 'src/tasks/visibility.sql.ts';
const TOLD = 'const told = standInsFor(task, counting.get(task.owner_id) ?? []);';

export const STAND_IN_BREAKS: readonly Break[] = [
  {
    name: 'a person who has not agreed is told',
    file: PURE,
    piece: AGREED,
    replacement: 'fits(one, task)',
    also: { file: VISIBILITY, piece: '.agreed_at is not null', replacement: '.asked_at is not null' },
    noticedBy: ['recipients', 'stand-ins'],
  },
  {
    name: 'a person who was left out of a task is told',
    file: PURE,
    piece: AGREED,
    replacement: 'one.agreed_at !== null && !isExcluded(one) && fits(one, task)',
    noticedBy: ['recipients', 'stand-ins'],
  },
  {
    name: 'a stand-in who has left the space is told',
    file: 'src/compose/tasks.ts',
    piece: 'await standIns.endOf(trx, userId, spaceId);',
    replacement: '',
    also: { file: VISIBILITY, piece: 'and 2 = (select count(*)', replacement: 'and 2 >= (select count(*)' },
    noticedBy: ['recipients', 'stand-ins', 'answers'],
  },
  {
    name: 'a suspension does not end what was agreed',
    file: 'src/compose/tasks.ts',
    piece: 'accountSuspending: (trx, userId) => standIns.endOf(trx, userId),',
    replacement: '',
    noticedBy: ['recipients', 'stand-ins', 'answers'],
  },
  {
    name: 'a stand-in who stops keeps what they were shown',
    file: STORE,
    piece: 'await silence(trx, sql`stand_in_id in',
    replacement: 'await silence(trx, sql`1 = 0 and stand_in_id in',
    noticedBy: ['messages'],
    from: 226,
  },
  {
    name: 'a phone shows what its person cannot read',
    file: 'src/engine/stand-in-targets.ts',
    piece: "platform === 'web' || reads",
    replacement: 'platform !== undefined || reads',
    also: {
      file: 'src/deliveries/outbox.ts',
      piece: 'if (isUnreadable) return NOT_TOLD;',
      replacement: 'void isUnreadable;',
    },
    noticedBy: ['recipients'],
  },
  {
    name: 'a stand-in sees a task whose run is over',
    file: 'src/tasks/stand-ins/reached-tasks.store.ts',
    piece: "db.deleteFrom('stand_in_tasks').where('task_id', '=', taskId),",
    replacement: "db.deleteFrom('stand_in_tasks').where('task_id', '=', taskId).where('run', '<', 0),",
    also: { piece: 'reached.run = tasks.run and', replacement: 'reached.run > 0 and' },
    noticedBy: ['stand-ins', 'answers'],
  },
  {
    name: 'a stand-in is told one rung late',
    file: 'src/engine/nudge-batch.ts',
    piece: 'rungOf(fired.after.step) >= standIn.fromRung',
    replacement: 'rungOf(fired.after.step) > standIn.fromRung',
    noticedBy: ['stand-ins', 'answers'],
  },
  {
    name: 'a stand-in is told one rung early',
    file: 'src/engine/nudge-batch.ts',
    piece: 'rungOf(fired.after.step) >= standIn.fromRung',
    replacement: 'rungOf(fired.after.step) + 1 >= standIn.fromRung',
    noticedBy: ['recipients', 'stand-ins', 'answers'],
  },
  {
    name: 'nothing is sent to stand-ins',
    file: 'src/deliveries/recipients.ts',
    piece: TOLD,
    replacement: TOLD.replace('[]);', '[]).slice(9);'),
    noticedBy: ['stand-ins'],
  },
  {
    name: 'what must not be missed passes the quiet hours of a stand-in who did not agree to that',
    file: 'src/deliveries/recipients.ts',
    piece: 'task.break_quiet_hours && standIn.passes_quiet_hours',
    replacement: 'task.break_quiet_hours',
    noticedBy: ['never in a hold'],
  },
  {
    name: 'a stand-in is held by the hours of the owner',
    file: 'src/deliveries/recipients.ts',
    piece: 'id: settings.id,\n      settings,',
    replacement: 'id: settings.id,\n      settings: task,',
    noticedBy: ['never in a hold', 'stand-ins'],
  },
  {
    name: 'a stand-in who silenced a task is told',
    file: 'src/engine/stand-in-targets.ts',
    piece: '!isSnoozed(task, person_id)',
    replacement: '!isSnoozed(task, person_id) || true',
    noticedBy: ['recipients'],
    from: 790,
  },
  {
    name: 'what waits for a stand-in is sent after the task was settled',
    file: 'src/tasks/timeline/timeline.store.ts',
    piece: ".where('kind', 'in', NUDGING),",
    replacement:
      ".where('kind', 'in', NUDGING).where('recipient_id', 'in', db.selectFrom('tasks').select('owner_id').where('id', '=', taskId)),",
    noticedBy: ['messages', 'never after the end', 'recipients', 'stages never fall'],
  },
  {
    name: 'only the messages of the owner are taken back',
    file: 'src/tasks/timeline/timeline.store.ts',
    piece: 'const deliveries = messages.map(',
    replacement: 'const deliveries = messages.filter((one) => one.recipient_id === task.owner_id).map(',
    noticedBy: ['messages'],
  },
  {
    name: 'a second Done completes the next occurrence',
    file: SERVICE,
    piece: "{ name: 'complete', occurrenceDueAt }",
    replacement: "{ name: 'complete' }",
    noticedBy: ['one outcome per occurrence', 'answers', 'answers are true', 'sync', 'statistics', 'never missing'],
  },
  {
    name: 'the snooze of a stand-in silences the owner',
    file: SERVICE,
    piece: 'await setSnoozed(trx, taskId, caller.userId, until);',
    replacement:
      "await setSnoozed(trx, taskId, caller.userId, until); await trx.updateTable('tasks').set({ next_fire_at: until }).where('id', '=', taskId).execute();",
    noticedBy: ['never missing', 'answers are true', 'sync', 'whole or not at all'],
    from: 66,
  },
  {
    name: 'Done by a stand-in is an outcome of the stand-in',
    file: 'src/tasks/tasks.service.ts',
    piece: 'recordOutcome(trx, task, result, outcomeId, now, missed)',
    replacement:
      "recordOutcome(trx, caller.kind === 'stand_in' ? { ...task, owner_id: caller.userId } : task, result, outcomeId, now, missed)",
    noticedBy: ['one outcome per occurrence', 'statistics', 'whole or not at all'],
  },
  {
    name: 'a person who agreed to two things is told twice',
    file: PURE,
    piece: 'widthOf(a) - widthOf(b))[0] ?? [],',
    replacement: 'widthOf(a) - widthOf(b)),',
    noticedBy: ['no duplicates', 'recipients'],
  },
];
