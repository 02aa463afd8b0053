/**
 * Reads `Tasks.json` of Google Takeout. `due` is a day, never a time. Rules and creation times are not exported, so
 * nothing repeats; that cannot be told from the file, so docs/move-in.md says it.
 */
import {
  type ForeignFields,
  leftOut,
  type ReadEntry,
  type ReaderContext,
  remark,
  toArchived,
  unreadable,
} from './foreign-task.ts';
import { fieldOf, instantOf, isTrue, listOf, textOf } from './json-fields.ts';

const DAY = /^\d{4}-\d\d-\d\d/;

export const isGoogleTasks = (document: unknown): boolean => textOf(document, 'kind').startsWith('tasks#');

export function* readGoogleTasks(document: unknown, { now }: ReaderContext): Generator<ReadEntry> {
  if (!Array.isArray(fieldOf(document, 'items'))) throw unreadable('The lists of Google Tasks are missing', 'items');
  for (const [listIndex, list] of listOf(document, 'items').entries()) {
    const tasks = listOf(list, 'items');
    const top = tasks.filter((task) => textOf(task, 'parent') === '' && textOf(task, 'id') !== '');
    const topIds = new Set(top.map((task) => textOf(task, 'id')));
    const isLine = (task: unknown) => textOf(task, 'due') === '' && topIds.has(textOf(task, 'parent'));
    // A subtask without a date reminds of nothing by itself, so it is a line in the notes of its task.
    const subtasks = Map.groupBy(tasks.filter(isLine), (task) => textOf(task, 'parent'));
    const lines = new Set([...subtasks.values()].flat());
    const titles = new Map(tasks.map((task) => [textOf(task, 'id'), textOf(task, 'title')]));
    for (const [index, task] of tasks.entries()) {
      if (lines.has(task)) continue;
      const own = subtasks.get(textOf(task, 'id')) ?? [];
      for (const _ of own) yield leftOut('subtasks');
      const parent = textOf(task, 'parent') === '' ? undefined : titles.get(textOf(task, 'parent'));
      const at = `list ${listIndex + 1}, task ${index + 1}`;
      yield* readTask(task, textOf(list, 'title') || null, at, { parent, subtasks: own }, now);
    }
  }
}

function* readTask(
  task: unknown,
  list: string | null,
  at: string,
  { parent, subtasks }: { readonly parent: string | undefined; readonly subtasks: readonly unknown[] },
  now: Date,
): Generator<ReadEntry> {
  if (isTrue(task, 'deleted')) {
    yield leftOut('deleted');
    return;
  }
  const title = textOf(task, 'title') || (textOf(task, 'notes').split('\n', 1)[0] ?? '');
  if (title === '') {
    yield remark(at, null, 'The task has no text, so it is left out.');
    return;
  }
  const due = textOf(task, 'due');
  const day = DAY.exec(due)?.[0];
  if (due !== '' && day === undefined) yield remark(at, title, 'Its date was not understood, so it comes without one.');
  const links = listOf(task, 'links').map((link) =>
    [textOf(link, 'description'), textOf(link, 'link')].join(' ').trim(),
  );
  for (const _ of links) yield leftOut('attachments');
  const fields: ForeignFields = {
    title,
    notes: [
      textOf(task, 'notes'),
      parent ? `Part of: ${parent}` : '',
      subtasks.map((one) => `- ${isDone(one) ? '(done) ' : ''}${textOf(one, 'title')}`).join('\n'),
      links.join('\n'),
    ],
    due: day === undefined ? undefined : { text: `${day}T00:00:00`, hasTime: false },
    isDone: isDone(task),
    completedAt: instantOf(task, 'completed'),
  };
  const id = textOf(task, 'id') || `${list} ${title}`;
  yield { kind: 'task', list, at, task: toArchived(['google_tasks', id], fields, now) };
}

const isDone = (task: unknown): boolean => textOf(task, 'status') === 'completed';
