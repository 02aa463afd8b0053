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
  leftOutTimes,
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
  yield* leftOutTimes('events', events);
  const list = NAME.exec(text)?.[1]?.trim() ?? null;
  for (const [index, todo] of todos.entries()) {
    const at = `task ${index + 1}`;
    const { task, rule, remark: says, title } = readOrOnce(todo, zones, { zone, now });
    if (says !== undefined) yield remark(at, title ?? null, says);
    if (task) yield* withExtras(todo, task, list, at, rule);
  }
}

interface ReadOnce {
  readonly title: string | undefined;
  /** Undefined if the task is left out. */
  readonly task?: Readonly<Record<string, unknown>>;
  /** The rule that a task which comes once had. */
  readonly rule?: string;
  readonly remark?: string;
}

/** A task whose series is refused comes once. */
function readOrOnce(todo: Todo, zones: Parameters<typeof readTodo>[1], reader: ReaderContext): ReadOnce {
  const read = readTodo(todo, zones, reader);
  if ('task' in read) return read;
  const single = withoutSeries(todo);
  const again = single && readTodo(single.todo, zones, reader);
  if (!again || 'reason' in again) return { title: read.title, remark: `${read.reason}. It is left out.` };
  return { ...again, rule: single.rule, remark: `${read.reason}. It comes once, with its rule in the notes.` };
}

function* withExtras(
  todo: Todo,
  task: Readonly<Record<string, unknown>>,
  list: string | null,
  at: string,
  rule: string | undefined,
): Generator<ReadEntry> {
  const alarms = alarmMinutes(todo);
  const links = attachmentLinks(todo);
  yield* leftOutTimes('reminders', alarms.leftOut);
  yield* leftOutTimes('attachments', links.length);
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
      notes: joinNotes(notes, links.filter(Boolean).join('\n'), note, rule ? `Repeats: ${rule}` : ''),
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
