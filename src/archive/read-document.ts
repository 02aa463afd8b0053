/**
 * Reads a whole file, JSON or iCalendar, into tasks that can be stored, and for each that cannot the
 * reason. What is wrong with the file as a whole is thrown as `InvalidInput`. Runs in a thread of its
 * own: it takes as long as it takes.
 */
import { isUtf8 } from 'node:buffer';
import type { Static } from 'typebox';
import { listTodos, readTodo } from '../calendar/vtodo.ts';
import { findUnstorable } from '../http/unstorable.ts';
import { buildValidator } from '../http/validation.ts';
import { type InputProblem, InvalidInput } from '../lib/errors.ts';
import type { Arrival } from '../tasks/restoration.service.ts';
import { ArchivedTask, SCHEMA_VERSION } from './archive.schemas.ts';
import { findUnbounded } from './json-bounds.ts';
import { type Reader, readTask } from './read-task.ts';

export type FileKind = 'json' | 'calendar';

export type ReadItem =
  | {
      readonly title: string;
      readonly arrival: Arrival;
      readonly wasInSpace: boolean;
      readonly wasAssigned: boolean;
    }
  | { readonly title: string | null; readonly reason: string };

/** On SQLite everybody who writes waits for an import: measured, about a second for as many as these. */
const MOST_TASKS = 10_000;
const MOST_OUTCOMES = 20_000;
/** A task that comes by itself fits into a body of 1 MiB; what is free-form in it is bounded here alike. */
const LONGEST_FREE_FORM = 1024 * 1024;
const LONGEST_TITLE_SHOWN = 200;

type Entry =
  | { readonly title: string | undefined; readonly task: unknown }
  | { readonly title: string | undefined; readonly reason: string };

export function* readDocument(bytes: Uint8Array, kind: FileKind, reader: Reader): Generator<ReadItem> {
  if (!isUtf8(bytes)) throw new InvalidInput(problem('string_unicode', 'The body is not valid UTF-8'));
  const entries = kind === 'json' ? listTasks(bytes) : listCalendar(bytes, reader);
  const seen = new Set<string>();
  let outcomes = 0;
  for (const entry of entries) {
    const item =
      'reason' in entry ? { title: entry.title ?? null, reason: entry.reason } : readEntry(entry.task, reader);
    if ('arrival' in item) outcomes += item.arrival.outcomes.length;
    if (outcomes > MOST_OUTCOMES) throw new InvalidInput(problem('too_long', `More than ${MOST_OUTCOMES} outcomes`));
    yield withoutTwins(item, seen);
  }
}

function withoutTwins(item: ReadItem, seen: Set<string>): ReadItem {
  if (!('arrival' in item)) return item;
  const { id } = item.arrival.task;
  if (seen.has(id)) return { title: item.title, reason: 'id: The same id stands in the file twice' };
  seen.add(id);
  return item;
}

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8').decode(bytes);

function* listTasks(bytes: Uint8Array): Generator<Entry> {
  const unbounded = findUnbounded(bytes);
  if (unbounded) throw new InvalidInput(unbounded);
  const document = parseJson(textOf(bytes));
  const unstorable = findUnstorable('body', document);
  if (unstorable) throw new InvalidInput(unstorable);
  const data = fieldOf(document, 'data') ?? document;
  const version = fieldOf(data, 'schema_version');
  if (version !== undefined && version !== SCHEMA_VERSION) {
    throw new InvalidInput(problem('literal_error', `Input should be ${SCHEMA_VERSION}`, 'schema_version'));
  }
  const tasks = fieldOf(data, 'tasks');
  if (!Array.isArray(tasks)) throw new InvalidInput(problem('missing', 'There are no tasks in this document', 'tasks'));
  refuseTooMany(tasks.length);
  for (const task of tasks) yield { title: undefined, task };
}

function* listCalendar(bytes: Uint8Array, { owner, now }: Reader): Generator<Entry> {
  const { todos, zones } = parseCalendar(textOf(bytes));
  if (todos.length === 0) throw new InvalidInput(problem('missing', 'There is no VTODO in this calendar'));
  refuseTooMany(todos.length);
  for (const todo of todos) yield readTodo(todo, zones, { userId: owner.id, zone: owner.timezone, now });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's own message quotes the text around the fault, which may be a secret.
    throw new InvalidInput(problem('json_invalid', 'The body is not valid JSON'));
  }
}

function parseCalendar(text: string): ReturnType<typeof listTodos> {
  try {
    return listTodos(text);
  } catch {
    throw new InvalidInput(problem('calendar_invalid', 'The body is not valid iCalendar'));
  }
}

function refuseTooMany(count: number): void {
  if (count <= MOST_TASKS) return;
  throw new InvalidInput(problem('too_long', `More than ${MOST_TASKS} tasks: import them in parts`, 'tasks'));
}

const validate = buildValidator({})({ schema: ArchivedTask, httpPart: 'body', method: '', url: '' });

function readEntry(task: unknown, reader: Reader): ReadItem {
  const title = titleOf(task);
  try {
    // A calendar's texts have not been looked at yet.
    const unstorable = findUnstorable('body', task);
    if (unstorable) throw new InvalidInput(unstorable);
    const verdict: unknown = validate(task);
    if (typeof verdict === 'object' && verdict !== null && 'error' in verdict) throw verdict.error;
    const archived = task as Static<typeof ArchivedTask>;
    refuseOversized(archived);
    const left = { wasInSpace: archived.space_id != null, wasAssigned: archived.assigner_id != null };
    return { title: archived.title, arrival: readTask(archived, reader), ...left };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { title, reason: reasonOf(error) };
  }
}

function refuseOversized({ kind = '', recurrence }: Static<typeof ArchivedTask>): void {
  if (kind.length > LONGEST_FREE_FORM) throw new InvalidInput(problem('string_too_long', 'It is too long', 'kind'));
  if (recurrence == null || JSON.stringify(recurrence).length <= LONGEST_FREE_FORM) return;
  throw new InvalidInput(problem('too_long', 'It is too long', 'recurrence'));
}

function reasonOf({ problems: [first] }: InvalidInput): string {
  const place = first?.loc.slice(1).join('.');
  return place ? `${place}: ${first?.msg}` : (first?.msg ?? 'It is not valid');
}

function titleOf(task: unknown): string | null {
  const title = fieldOf(task, 'title');
  return typeof title === 'string' ? title.slice(0, LONGEST_TITLE_SHOWN).toWellFormed() : null;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const problem = (type: string, msg: string, ...path: string[]): InputProblem => ({ type, loc: ['body', ...path], msg });
