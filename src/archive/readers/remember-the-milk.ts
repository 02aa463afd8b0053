/**
 * Reads the JSON of Remember The Milk. Known exports say only that a task repeats, not how, so such a task comes once,
 * with a remark. Lists have a token there, which is never read.
 */
import {
  type ForeignFields,
  instantText,
  leftOut,
  type ReadEntry,
  type ReaderContext,
  remark,
  toArchived,
  unreadable,
  wallText,
} from './foreign-task.ts';
import { fieldOf, isTrue, listOf, numberOf, textOf } from './json-fields.ts';
import { readRrule } from './rrule.ts';

export const isRememberTheMilk = (document: unknown): boolean =>
  Array.isArray(fieldOf(document, 'tasks')) &&
  Array.isArray(fieldOf(document, 'lists')) &&
  (listOf(document, 'tasks').length === 0 || textOf(listOf(document, 'tasks')[0], 'series_id') !== '');

export function* readRememberTheMilk(document: unknown, context: ReaderContext): Generator<ReadEntry> {
  if (!isRememberTheMilk(document)) throw unreadable('The tasks of Remember The Milk are missing', 'tasks');
  const lists = new Map(listOf(document, 'lists').map((list) => [textOf(list, 'id'), textOf(list, 'name')]));
  const notes = Map.groupBy(listOf(document, 'notes'), (note) => textOf(note, 'series_id'));
  for (const _ of listOf(document, 'locations')) yield leftOut('locations');
  for (const [index, task] of listOf(document, 'tasks').entries()) {
    const list = lists.get(textOf(task, 'list_id')) || null;
    yield* readTask(task, list, `task ${index + 1}`, notes.get(textOf(task, 'series_id')) ?? [], context);
  }
}

function* readTask(
  task: unknown,
  list: string | null,
  at: string,
  notes: readonly unknown[],
  { zone, now }: ReaderContext,
): Generator<ReadEntry> {
  if (numberOf(task, 'date_trashed') > 0) {
    yield leftOut('deleted');
    return;
  }
  const title = textOf(task, 'name');
  if (title === '') {
    yield remark(at, null, 'The task has no text, so it is left out.');
    return;
  }
  const priority = textOf(task, 'priority');
  if (priority === 'P1' || priority === 'P2') yield leftOut('priorities');
  const dueInstant = instantText(numberOf(task, 'date_due'));
  const written = textOf(task, 'repeat');
  const rule = readRrule(written.includes('FREQ=') ? written : '');
  if (rule.says !== undefined) yield remark(at, title, rule.says);
  else if (!rule.recurrence && isRepeating(task)) {
    yield remark(at, title, 'It repeats, but the file does not say how. It comes once: give it a rule afterwards.');
  }
  const hasTime = isTrue(task, 'date_due_has_time');
  const fields: ForeignFields = {
    title,
    notes: [
      ...notes.map((note) => [textOf(note, 'title'), textOf(note, 'content')].filter(Boolean).join('\n')),
      rule.note,
    ],
    tags: listOf(task, 'tags').filter((tag) => typeof tag === 'string'),
    due: dueInstant === undefined ? undefined : { text: hasTime ? dueInstant : dayOf(dueInstant, zone), hasTime },
    recurrence: rule.recurrence,
    isLow: priority === 'P3',
    createdAt: instantText(numberOf(task, 'date_created')),
    isDone: numberOf(task, 'date_completed') > 0,
    completedAt: instantText(numberOf(task, 'date_completed')),
  };
  const key = ['remember_the_milk', textOf(task, 'series_id'), textOf(task, 'id') || title];
  yield { kind: 'task', list, at, task: toArchived(key, fields, now) };
}

const isRepeating = (task: unknown): boolean =>
  isTrue(task, 'repeat_every') || textOf(task, 'repeat') !== '' || textOf(task, 'repeat_every') !== '';

/** A day is its midnight in the zone of the person. */
const dayOf = (instant: string, zone: string): string => `${wallText(instant, zone).slice(0, 10)}T00:00:00`;
