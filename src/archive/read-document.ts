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
import { findTimeZone } from '../lib/time-zone.ts';
import { ArchivedTask, SCHEMA_VERSION } from './archive.schemas.ts';
import { findUnbounded } from './json-bounds.ts';
import { Part } from './part.ts';
import { hushed, isLongOverdue } from './quiet-task.ts';
import type { ReadItem } from './read-item.ts';
import { type Reader, readTask } from './read-task.ts';

export type FileKind = 'json' | 'calendar';

/** A task that comes by itself fits into a body of 1 MiB; what is free-form in it is bounded here alike. */
const LONGEST_FREE_FORM = 1024 * 1024;
const LONGEST_TITLE_SHOWN = 200;

type Entry =
  | { readonly title: string | undefined; readonly task: unknown; readonly isForeign: boolean }
  | { readonly title: string | undefined; readonly reason: string };

/** What is in a file, before any of it is looked at closely. */
interface Contents {
  /** The zone that it says it was written in. */
  readonly zone: string | undefined;
  readonly total: number;
  readonly entries: (from: number, reader: Reader) => Iterable<Entry>;
}

export interface DocumentEnd {
  readonly zone: string | undefined;
  /** The zone in which everything was read. */
  readonly readIn: string;
  readonly remaining: number;
}

export interface Document {
  readonly bytes: Uint8Array;
  readonly kind: FileKind;
  /** At which task of it to begin. */
  readonly from: number;
}

export function* readDocument({ bytes, kind, from }: Document, reader: Reader): Generator<ReadItem, DocumentEnd> {
  if (!isUtf8(bytes)) throw new InvalidInput(problem('string_unicode', 'The body is not valid UTF-8'));
  const { zone, total, entries } = kind === 'json' ? listTasks(bytes) : listCalendar(bytes);
  const host = reader.isZoneOpen && zone ? { ...reader, owner: { ...reader.owner, timezone: zone } } : reader;
  const seen = new Set<string>();
  const part = new Part();
  for (const entry of entries(from, host)) {
    const item = withoutTwins(readEntry(entry, host), seen);
    if (part.isFull || !part.add(item)) break;
    yield item;
  }
  return { zone, readIn: host.owner.timezone, remaining: Math.max(0, total - from - part.taken) };
}

function withoutTwins(item: ReadItem, seen: Set<string>): ReadItem {
  if (!('arrival' in item)) return item;
  const { origin } = item.arrival;
  if (seen.has(origin)) return { title: item.title, reason: 'id: The same id stands in the file twice' };
  seen.add(origin);
  return item;
}

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8').decode(bytes);

function listTasks(bytes: Uint8Array): Contents {
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
  const zone = fieldOf(fieldOf(data, 'settings'), 'timezone');
  return {
    zone: typeof zone === 'string' ? findTimeZone(zone) : undefined,
    total: tasks.length,
    entries: (from) => tasks.slice(from).map((task) => ({ title: undefined, task, isForeign: false })),
  };
}

function listCalendar(bytes: Uint8Array): Contents {
  const { todos, zones } = parseCalendar(textOf(bytes));
  if (todos.length === 0) throw new InvalidInput(problem('missing', 'There is no VTODO in this calendar'));
  return {
    zone: undefined,
    total: todos.length,
    *entries(from, { owner, now }) {
      for (const todo of todos.slice(from)) {
        yield { ...readTodo(todo, zones, { zone: owner.timezone, now }), isForeign: true };
      }
    },
  };
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

const validate = buildValidator({})({ schema: ArchivedTask, httpPart: 'body', method: '', url: '' });

function readEntry(entry: Entry, reader: Reader): ReadItem {
  if ('reason' in entry) return { title: entry.title ?? null, reason: entry.reason };
  const { task, isForeign } = entry;
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
    const arrival = readTask(archived, reader);
    const isQuiet = isForeign && isLongOverdue(arrival.task, reader.now);
    return { title: archived.title, arrival: isQuiet ? hushed(arrival, reader) : arrival, isQuiet, ...left };
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
