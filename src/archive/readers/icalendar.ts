/**
 * Reads the tasks of an iCalendar file with the reader of the calendar, and keeps more of them: categories become the
 * label, alarms before the due moment heads-ups. A task whose series cannot be said here comes once, with its rule in the
 * notes. Events are no tasks; they are counted and left out.
 */
import { listTodos, readTodo } from '../../calendar/vtodo.ts';
import { alarmMinutes, attachmentLinks, categoriesOf, withoutSeries } from '../../calendar/vtodo-extras.ts';
import { joinNotes } from '../../words/fit-title.ts';
import {
  cleanText,
  headsUpFields,
  labelFields,
  leftOut,
  type ReadEntry,
  type ReaderContext,
  remark,
  unreadable,
} from './foreign-task.ts';

const EVENT = /^BEGIN:VEVENT\s*$/gim;
const NAME = /^X-WR-CALNAME[^:\r\n]{0,200}:([^\r\n]{1,200})/im;

type Todo = ReturnType<typeof listTodos>['todos'][number];

export function* readICalendar(text: string, { zone, now }: ReaderContext): Generator<ReadEntry> {
  const { todos, zones } = parse(text);
  const events = text.match(EVENT)?.length ?? 0;
  if (todos.length === 0) {
    throw unreadable(
      events > 0 ? `This calendar has ${events} events and no tasks (VTODO)` : 'This calendar has no tasks (VTODO)',
    );
  }
  for (let count = 0; count < events; count += 1) yield leftOut('events');
  const list = NAME.exec(text)?.[1]?.trim() ?? null;
  for (const [index, todo] of todos.entries()) {
    const at = `task ${index + 1}`;
    const read = readTodo(todo, zones, { zone, now });
    const single = 'reason' in read ? withoutSeries(todo) : undefined;
    const again = single && readTodo(single.todo, zones, { zone, now });
    const result = again && 'task' in again ? again : read;
    if ('reason' in result) {
      yield remark(at, result.title ?? null, `${result.reason}. It is left out.`);
      continue;
    }
    if (result === again && 'reason' in read) {
      yield remark(at, read.title ?? null, `${read.reason}. It comes once, with its rule in the notes.`);
    }
    yield* withExtras(todo, result.task, list, at, result === again ? single?.rule : undefined);
  }
}

function* withExtras(
  todo: Todo,
  task: Readonly<Record<string, unknown>>,
  list: string | null,
  at: string,
  rule: string | undefined,
): Generator<ReadEntry> {
  const alarms = alarmMinutes(todo);
  for (let left = alarms.leftOut; left > 0; left -= 1) yield leftOut('reminders');
  const links = attachmentLinks(todo);
  for (const _ of links) yield leftOut('attachments');
  const { kind, note } = labelFields(categoriesOf(todo));
  const notes = typeof task.notes === 'string' ? cleanText(task.notes) : '';
  yield {
    kind: 'task',
    list,
    at,
    task: {
      ...task,
      ...(kind !== undefined && { kind }),
      ...(task.due_at !== null && headsUpFields(alarms.minutes)),
      notes: joinNotes(notes, links.filter(Boolean).join('\n'), note, rule ? `Repeats in the calendar: ${rule}` : ''),
    },
  };
}

function parse(text: string): ReturnType<typeof listTodos> {
  try {
    return listTodos(text);
  } catch (error) {
    // The message of the library quotes the file; only the line number in it is of use.
    const line = /line (\d{1,9})|\(line:? ?(\d{1,9})\)/i.exec(error instanceof Error ? error.message : '');
    throw unreadable('The file is not valid iCalendar', line ? `line ${line[1] ?? line[2]}` : undefined);
  }
}
