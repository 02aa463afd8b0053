/**
 * Reads the JSON backup of Tasks.org. Fields that have their default value are left out there. A due date has a time if
 * its milliseconds are no whole minute.
 */
import {
  type ForeignFields,
  instantText,
  leftOut,
  leftOutTimes,
  type ReadEntry,
  type ReaderContext,
  remark,
  toArchived,
  unreadable,
  wallText,
} from './foreign-task.ts';
import { fieldOf, listOf, numberOf, textOf } from './json-fields.ts';
import { readRrule } from './rrule.ts';

const HIGH = 0;
const MEDIUM = 1;
const LOW = 2;
const FROM_COMPLETION = 1;
const BY_START = 1;
const BY_DUE = 2;
const MINUTE_MS = 60_000;

const tasksOf = (document: unknown): readonly unknown[] => listOf(fieldOf(document, 'data'), 'tasks');

export const isTasksOrg = (document: unknown): boolean =>
  fieldOf(document, 'version') !== undefined &&
  Array.isArray(fieldOf(fieldOf(document, 'data'), 'tasks')) &&
  (tasksOf(document).length === 0 || fieldOf(tasksOf(document)[0], 'task') !== undefined);

export function* readTasksOrg(document: unknown, context: ReaderContext): Generator<ReadEntry> {
  if (!isTasksOrg(document)) throw unreadable('The tasks of Tasks.org are missing', 'data.tasks');
  const data = fieldOf(document, 'data');
  const lists = new Map(listOf(data, 'caldavCalendars').map((list) => [textOf(list, 'uuid'), textOf(list, 'name')]));
  const children = Map.groupBy(
    tasksOf(document).filter((entry) => parentOf(entry) !== ''),
    parentOf,
  );
  const titles = new Map(tasksOf(document).map((entry) => [idOf(entry), textOf(fieldOf(entry, 'task'), 'title')]));
  for (const [index, entry] of tasksOf(document).entries()) {
    const parent = parentOf(entry) === '' ? undefined : titles.get(parentOf(entry));
    // A subtask without a date reminds of nothing by itself, so it is a line in the notes of its task.
    const isLine = parent !== undefined && isPlain(entry) && !children.has(idOf(entry));
    if (isLine) {
      yield leftOut('subtasks');
      continue;
    }
    const lines = (children.get(idOf(entry)) ?? []).filter((one) => isPlain(one) && !children.has(idOf(one)));
    const list =
      listOf(entry, 'caldavTasks')
        .map((one) => lists.get(textOf(one, 'calendar')))
        .find(Boolean) ?? null;
    yield* readEntry(entry, list, `task ${index + 1}`, { parent, lines }, context);
  }
}

const idOf = (entry: unknown): string => textOf(fieldOf(entry, 'task'), 'remoteId');

const parentOf = (entry: unknown): string =>
  listOf(entry, 'caldavTasks')
    .map((one) => textOf(one, 'remoteParent'))
    .find(Boolean) ?? '';

const isPlain = (entry: unknown): boolean => numberOf(fieldOf(entry, 'task'), 'dueDate') === 0;

interface Family {
  readonly parent: string | undefined;
  readonly lines: readonly unknown[];
}

function* readEntry(
  entry: unknown,
  list: string | null,
  at: string,
  { parent, lines }: Family,
  { zone, now }: ReaderContext,
): Generator<ReadEntry> {
  const task = fieldOf(entry, 'task');
  if (numberOf(task, 'deletionDate') > 0) {
    yield leftOut('deleted');
    return;
  }
  const title = textOf(task, 'title');
  if (title === '') {
    yield remark(at, null, 'The task has no text, so it is left out.');
    return;
  }
  // Left out means the default, which is high.
  const priority = fieldOf(task, 'priority') === undefined ? HIGH : numberOf(task, 'priority');
  if (priority === HIGH || priority === MEDIUM) yield leftOut('priorities');
  yield* leftOutTimes('attachments', listOf(entry, 'attachments').length);
  const due = dueOf(numberOf(task, 'dueDate'), zone);
  const rule = readRrule(textOf(task, 'recurrence'), numberOf(task, 'repeatFrom') === FROM_COMPLETION);
  if (rule.says !== undefined) yield remark(at, title, rule.says);
  const alarms = headsUpsOf(listOf(entry, 'alarms'), task);
  yield* leftOutTimes('reminders', alarms.leftOut);
  const completedAt = instantText(numberOf(task, 'completionDate'));
  const fields: ForeignFields = {
    title,
    notes: [
      textOf(task, 'notes'),
      parent === undefined ? '' : `Part of: ${parent}`,
      lines.map((one) => `- ${textOf(fieldOf(one, 'task'), 'title')}`).join('\n'),
      listOf(entry, 'comments')
        .map((one) => textOf(one, 'message'))
        .join('\n'),
      rule.note,
    ],
    tags: listOf(entry, 'tags').map((tag) => textOf(tag, 'name')),
    due,
    recurrence: rule.recurrence,
    headsUpMinutes: due ? alarms.minutes : [],
    isLow: priority === LOW,
    createdAt: instantText(numberOf(task, 'creationDate')),
    isDone: completedAt !== undefined,
    completedAt,
  };
  const key = ['tasks_org', idOf(entry) || `${title} ${numberOf(task, 'creationDate')}`];
  yield { kind: 'task', list, at, task: toArchived(key, fields, now) };
}

function dueOf(milliseconds: number, zone: string): ForeignFields['due'] {
  const instant = instantText(milliseconds);
  if (instant === undefined) return undefined;
  const hasTime = milliseconds % MINUTE_MS > 0;
  const wall = wallText(instant, zone);
  return hasTime ? { text: `${wall.slice(0, 16)}:00`, hasTime } : { text: `${wall.slice(0, 10)}T00:00:00`, hasTime };
}

/** Only alarms before the due moment mean a heads-up. Some count from the start, which is `hideUntil`. */
function headsUpsOf(
  alarms: readonly unknown[],
  task: unknown,
): { readonly minutes: number[]; readonly leftOut: number } {
  const [start, due] = [numberOf(task, 'hideUntil'), numberOf(task, 'dueDate')];
  const minutes = alarms.map((alarm) => {
    const type = numberOf(alarm, 'type');
    const base = type === BY_DUE ? due : type === BY_START && start > 0 ? start : undefined;
    return base === undefined ? -1 : Math.round((due - base - numberOf(alarm, 'time')) / MINUTE_MS);
  });
  // At the due moment itself the ladder rings.
  return { minutes: minutes.filter((one) => one > 0), leftOut: minutes.filter((one) => one < 0).length };
}
