/**
 * Reads `data.json` of a Vikunja export. A repetition is a number of seconds there, or a month; descriptions are HTML in
 * newer versions. `0001-01-01T00:00:00Z` means that there is no date.
 */
import {
  type ForeignFields,
  leftOut,
  leftOutTimes,
  type ReadEntry,
  type ReaderContext,
  remark,
  toArchived,
  unreadable,
  wallText,
} from './foreign-task.ts';
import { htmlToText } from './html-text.ts';
import { fieldOf, instantOf, isTrue, listOf, numberOf, textOf } from './json-fields.ts';

const LOW = 1;
const MONTHLY = 1;
const FROM_COMPLETION = 2;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const HOUR_SECONDS = 3_600;

export const isVikunja = (document: unknown): boolean =>
  Array.isArray(document) && document.length > 0 && document.every((one) => Array.isArray(fieldOf(one, 'tasks')));

export function* readVikunja(document: unknown, context: ReaderContext): Generator<ReadEntry> {
  if (!Array.isArray(document)) throw unreadable('The projects of Vikunja are missing', 'data.json');
  for (const project of document) {
    const list = textOf(project, 'title') || null;
    const tasks = listOf(project, 'tasks');
    const lines = linesOf(tasks);
    const parents = new Map(
      tasks.flatMap((task) => subtasksOf(task).map((one) => [textOf(one, 'id'), textOf(task, 'title')])),
    );
    for (const [index, task] of tasks.entries()) {
      if (lines.has(textOf(task, 'id'))) {
        yield leftOut('subtasks');
        continue;
      }
      const at = `${list ?? `project ${textOf(project, 'id')}`}, task ${index + 1}`;
      const family = { projectId: textOf(project, 'id'), parent: parents.get(textOf(task, 'id')) };
      yield* readTask(task, list, at, family, context);
    }
  }
}

const subtasksOf = (task: unknown): readonly unknown[] => listOf(fieldOf(task, 'related_tasks'), 'subtask');

const isPlain = (task: unknown): boolean => instantOf(task, 'due_date') === undefined && subtasksOf(task).length === 0;

/** The ids of subtasks that are lines in the notes of their task: without a date they remind of nothing by themselves. */
function linesOf(tasks: readonly unknown[]): ReadonlySet<string> {
  const plain = new Set(tasks.filter(isPlain).map((task) => textOf(task, 'id')));
  const subtasks = tasks.flatMap((task) => subtasksOf(task).map((one) => textOf(one, 'id')));
  return new Set(subtasks.filter((id) => id !== '' && plain.has(id)));
}

function* readTask(
  task: unknown,
  list: string | null,
  at: string,
  { projectId, parent }: { readonly projectId: string; readonly parent: string | undefined },
  { zone, now }: ReaderContext,
): Generator<ReadEntry> {
  const title = textOf(task, 'title');
  if (title === '') {
    yield remark(at, null, 'The task has no text, so it is left out.');
    return;
  }
  yield* leftOutTimes('attachments', listOf(task, 'attachments').length);
  yield* leftOutTimes('people', listOf(task, 'assignees').length);
  if (numberOf(task, 'priority') > LOW) yield leftOut('priorities');
  const lines = subtasksOf(task).filter((one) => instantOf(one, 'due_date') === undefined);
  const dueInstant = instantOf(task, 'due_date') ?? instantOf(task, 'end_date') ?? instantOf(task, 'start_date');
  const rule = ruleOf(task);
  if (rule && 'says' in rule) yield remark(at, title, rule.says);
  if (rule && 'recurrence' in rule && dueInstant === undefined)
    yield remark(at, title, 'It repeats without a date, so it comes without a rule.');
  const reminders = remindersOf(task, dueInstant);
  yield* leftOutTimes('reminders', reminders.leftOut);
  const fields: ForeignFields = {
    title,
    notes: [
      htmlToText(textOf(task, 'description')),
      parent ? `Part of: ${parent}` : '',
      lines.map((one) => `- ${isTrue(one, 'done') ? '(done) ' : ''}${textOf(one, 'title')}`).join('\n'),
      listOf(task, 'comments')
        .map((one) => htmlToText(textOf(one, 'comment')))
        .join('\n'),
    ],
    tags: listOf(task, 'labels').map((label) => textOf(label, 'title')),
    due: dueInstant === undefined ? undefined : dueIn(dueInstant, zone, rule !== undefined),
    recurrence: rule && 'recurrence' in rule ? rule.recurrence : undefined,
    headsUpMinutes: reminders.minutes,
    isLow: numberOf(task, 'priority') === LOW,
    createdAt: instantOf(task, 'created'),
    isDone: isTrue(task, 'done'),
    completedAt: instantOf(task, 'done_at'),
  };
  const key = ['vikunja', projectId, textOf(task, 'id'), textOf(task, 'id') === '' ? title : ''];
  yield { kind: 'task', list, at, task: toArchived(key, fields, now) };
}

/** A series repeats on the clock of the account, so it is written on that clock. */
const dueIn = (instant: string, zone: string, isSeries: boolean) => ({
  text: isSeries ? wallText(instant, zone) : instant,
  hasTime: true,
});

type ReadRule = { readonly recurrence: Readonly<Record<string, unknown>> } | { readonly says: string } | undefined;

function ruleOf(task: unknown): ReadRule {
  const seconds = numberOf(task, 'repeat_after');
  const mode = numberOf(task, 'repeat_mode');
  if (mode === MONTHLY) return { recurrence: { freq: 'monthly' } };
  if (seconds <= 0) return undefined;
  const from = mode === FROM_COMPLETION ? { from: 'completion' } : {};
  for (const [freq, unit] of [
    ['weekly', WEEK_SECONDS],
    ['daily', DAY_SECONDS],
    ['hourly', HOUR_SECONDS],
  ] as const) {
    const interval = seconds / unit;
    if (Number.isInteger(interval) && interval <= 1_000) return { recurrence: { freq, interval, ...from } };
  }
  return { says: 'Its repetition cannot be said in hours, days or weeks, so it does not repeat.' };
}

/** Only reminders before the due moment mean a heads-up. */
function remindersOf(task: unknown, due: string | undefined): { readonly minutes: number[]; readonly leftOut: number } {
  const all = [
    ...listOf(task, 'reminder_dates').map((text) => instantOf({ text }, 'text')),
    ...listOf(task, 'reminders').map((one) => instantOf(one, 'reminder')),
  ].filter((one) => one !== undefined);
  if (due === undefined) return { minutes: [], leftOut: all.length };
  const minutes = all.map((one) => Math.round((Date.parse(due) - Date.parse(one)) / 60_000));
  return { minutes: minutes.filter((one) => one > 0), leftOut: minutes.filter((one) => one < 0).length };
}
