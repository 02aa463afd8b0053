/**
 * Reads a file, JSON or iCalendar, into tasks to store; a task that is refused comes with the reason.
 * Throws `InvalidInput` if the file as a whole is not valid. Runs in a worker thread, since it blocks.
 */
import { isUtf8 } from 'node:buffer';
import type { Static } from 'typebox';
import { listTodos, readTodo } from '../calendar/vtodo.ts';
import { findLadderProblem } from '../escalation/check-ladder.ts';
import { type GivenLadder, readLadder } from '../escalation/read-choice.ts';
import { parseJson } from '../http/body.ts';
import { findExcess } from '../http/json-bounds.ts';
import { findUnsafeInput } from '../http/unsafe-input.ts';
import { buildValidator } from '../http/validation.ts';
import { type InputProblem, InvalidInput } from '../lib/errors.ts';
import { findTimeZone } from '../lib/time-zone.ts';
import { LabelColour, MAX_LABELS } from '../tasks/labels/labels.schemas.ts';
import { ArchivedCaldav, ArchivedChannel, ArchivedLadders, ArchivedTask, SCHEMA_VERSION } from './archive.schemas.ts';
import { ImportBatch } from './import-limits.ts';
import { type ImportContext, isLongOverdue, type ReadItem, readTask, withoutNudges } from './read-task.ts';

export type FileFormat = 'json' | 'calendar';

/** A few times as many as the largest export that fits into one upload. */
const MOST = { values: 3_000_000, fields: 3_000_000 };
const LONGEST_TITLE_SHOWN = 200;
/** Far more than an account may have. */
const MOST_CHANNELS = 50;

type ReadChannel =
  | { readonly channel: Static<typeof ArchivedChannel> }
  | { readonly name: string | null; readonly reason: string };

type Entry =
  | {
      readonly title: string | undefined;
      readonly task: unknown;
      /** The file was written by another program. */
      readonly isForeign: boolean;
    }
  | { readonly title: string | undefined; readonly reason: string };

/** The tasks of a file before they are validated. */
/** What the file says about all channels, unchecked. */
export interface ChannelSettings {
  readonly fallbackMinutes?: unknown;
  readonly hearsRequests?: unknown;
}

interface Contents {
  /** The time zone that the file states. */
  readonly zone: string | undefined;
  readonly total: number;
  readonly channels: readonly unknown[];
  readonly settings: ChannelSettings;
  readonly ladders: unknown;
  readonly labels: readonly unknown[];
  readonly caldav: unknown;
  readonly entries: (from: number, context: ImportContext) => Iterable<Entry>;
}

export interface DocumentEnd {
  /** The time zone that the file states. */
  readonly documentZone: string | undefined;
  /** The time zone in which the dates were read. */
  readonly appliedZone: string;
  readonly remaining: number;
  /** Empty if reading starts at a later task: the first part of the file brought the channels. */
  readonly channels: readonly ReadChannel[];
  readonly settings: ChannelSettings;
  /** Undefined if the file has none, and if reading starts at a later task. */
  readonly ladders: Static<typeof ArchivedLadders> | undefined;
  /** The colours of labels that are valid. Empty if reading starts at a later task. */
  readonly labels: readonly Static<typeof LabelColour>[];
  /** Undefined if the file has none that are valid, and if reading starts at a later task. */
  readonly caldav: Static<typeof ArchivedCaldav> | undefined;
}

export interface Document {
  readonly bytes: Uint8Array;
  readonly format: FileFormat;
  /** The index of the first task to read. */
  readonly from: number;
}

export function* readDocument(
  { bytes, format, from }: Document,
  account: ImportContext,
): Generator<ReadItem, DocumentEnd> {
  if (!isUtf8(bytes)) throw new InvalidInput(problem('string_unicode', 'The body is not valid UTF-8'));
  const { zone, total, channels, settings, ladders, labels, caldav, entries } =
    format === 'json' ? listTasks(bytes) : listCalendar(bytes);
  const context = account.canAdoptZone && zone ? { ...account, owner: { ...account.owner, timezone: zone } } : account;
  const seen = new Set<string>();
  const batch = new ImportBatch();
  for (const entry of entries(from, context)) {
    if (batch.isFull) break;
    const item = refuseDuplicate(readEntry(entry, context), seen);
    if (!batch.add(item, 'task' in entry && isRepeating(entry.task))) break;
    yield item;
  }
  const remaining = Math.max(0, total - from - batch.size);
  return {
    documentZone: zone,
    appliedZone: context.owner.timezone,
    remaining,
    channels: from === 0 ? channels.slice(0, MOST_CHANNELS).map(readChannel) : [],
    settings,
    ladders: from === 0 && ladders != null ? readLadders(ladders) : undefined,
    labels: from === 0 ? labels.slice(0, MAX_LABELS).filter(isLabelColour) : [],
    caldav: from === 0 ? readCaldav(caldav) : undefined,
  };
}

function refuseDuplicate(item: ReadItem, seen: Set<string>): ReadItem {
  if (!('record' in item)) return item;
  const { origin } = item.record;
  if (seen.has(origin)) return { title: item.title, reason: 'id: The same id stands in the file twice' };
  seen.add(origin);
  return item;
}

const textOf = (bytes: Uint8Array) => new TextDecoder('utf-8').decode(bytes);

function listTasks(bytes: Uint8Array): Contents {
  const excess = findExcess(bytes, MOST);
  if (excess) throw new InvalidInput(excess);
  const document = parseJson(textOf(bytes));
  const unsafe = findUnsafeInput('body', document);
  if (unsafe) throw new InvalidInput(unsafe);
  const data = fieldOf(document, 'data') ?? document;
  const version = fieldOf(data, 'schema_version');
  if (version !== undefined && version !== SCHEMA_VERSION) {
    throw new InvalidInput(problem('literal_error', `Input should be ${SCHEMA_VERSION}`, 'schema_version'));
  }
  const tasks = fieldOf(data, 'tasks');
  if (!Array.isArray(tasks)) throw new InvalidInput(problem('missing', 'There are no tasks in this document', 'tasks'));
  const zone = fieldOf(fieldOf(data, 'settings'), 'timezone');
  const channels = fieldOf(data, 'channels');
  const labels = fieldOf(data, 'labels');
  return {
    zone: typeof zone === 'string' ? findTimeZone(zone) : undefined,
    total: tasks.length,
    channels: Array.isArray(channels) ? channels : [],
    settings: { fallbackMinutes: fieldOf(data, 'fallback_minutes'), hearsRequests: fieldOf(data, 'request_messages') },
    ladders: fieldOf(data, 'ladders'),
    labels: Array.isArray(labels) ? labels : [],
    caldav: fieldOf(data, 'caldav') ?? undefined,
    entries: (from) => tasks.slice(from).map((task) => ({ title: undefined, task, isForeign: false })),
  };
}

function listCalendar(bytes: Uint8Array): Contents {
  const { todos, zones } = parseCalendar(textOf(bytes));
  if (todos.length === 0) throw new InvalidInput(problem('missing', 'There is no VTODO in this calendar'));
  return {
    zone: undefined,
    total: todos.length,
    channels: [],
    settings: {},
    ladders: undefined,
    labels: [],
    caldav: undefined,
    *entries(from, { owner, now }) {
      for (const todo of todos.slice(from)) {
        yield { ...readTodo(todo, zones, { zone: owner.timezone, now }), isForeign: true };
      }
    },
  };
}

function parseCalendar(text: string): ReturnType<typeof listTodos> {
  try {
    return listTodos(text);
  } catch {
    throw new InvalidInput(problem('calendar_invalid', 'The body is not valid iCalendar'));
  }
}

const validatorOf = (schema: object) => buildValidator({})({ schema, httpPart: 'body', method: '', url: '' });
const validateTask = validatorOf(ArchivedTask);
const validateChannel = validatorOf(ArchivedChannel);
const validateLadders = validatorOf(ArchivedLadders);
const validateLabel = validatorOf(LabelColour);
const validateCaldav = validatorOf(ArchivedCaldav);

/** Throws `InvalidInput`. */
function check(validate: ReturnType<typeof validatorOf>, value: unknown): void {
  const result: unknown = validate(value);
  if (typeof result === 'object' && result !== null && 'error' in result) throw result.error;
}

const isLabelColour = (label: unknown): label is Static<typeof LabelColour> => isValid(validateLabel, label);

const readCaldav = (caldav: unknown): Static<typeof ArchivedCaldav> | undefined =>
  isValid(validateCaldav, caldav) ? (caldav as Static<typeof ArchivedCaldav>) : undefined;

function isValid(validate: ReturnType<typeof validatorOf>, value: unknown): boolean {
  try {
    check(validate, value);
    return value !== undefined;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return false;
  }
}

function readChannel(channel: unknown): ReadChannel {
  try {
    check(validateChannel, channel);
    return { channel: channel as Static<typeof ArchivedChannel> };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { name: textIn(channel, 'name'), reason: reasonOf(error) };
  }
}

function readLadders(ladders: unknown): Static<typeof ArchivedLadders> {
  try {
    check(validateLadders, ladders);
    const archived = ladders as Static<typeof ArchivedLadders>;
    for (const [index, own] of archived.own.entries()) requireStorable(own, index);
    return archived;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(...error.problems.map((one) => ({ ...one, loc: ['body', 'ladders', ...one.loc.slice(1)] })));
  }
}

/** No ladder is stored that could not be chosen for any task. */
function requireStorable(ladder: GivenLadder, index: number): void {
  const msg = findLadderProblem(readLadder(ladder), true);
  if (msg !== undefined) throw new InvalidInput({ type: 'value_error', loc: ['body', 'own', index, 'rungs'], msg });
}

/** Also for tasks that were read before, and are stored later. */
export function readEntry(entry: Entry, context: ImportContext): ReadItem {
  if ('reason' in entry) return { title: entry.title ?? null, reason: entry.reason };
  const { task, isForeign } = entry;
  const title = textIn(task, 'title');
  try {
    // The texts of a calendar have not been checked yet.
    const unsafe = findUnsafeInput('body', task);
    if (unsafe) throw new InvalidInput(unsafe);
    check(validateTask, task);
    const archived = task as Static<typeof ArchivedTask>;
    const record = readTask(archived, context);
    const isQuiet = isForeign && isLongOverdue(record.task, context.now);
    return {
      title: archived.title,
      record: isQuiet ? withoutNudges(record, context) : record,
      wasInSpace: archived.space_id != null,
      wasAssigned: archived.assigner_id != null,
      appEntry: archived.caldav_entries?.[0],
      isQuiet,
    };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { title, reason: reasonOf(error) };
  }
}

const isRepeating = (task: unknown): boolean => fieldOf(task, 'recurrence') != null;

function reasonOf({ problems: [first] }: InvalidInput): string {
  const place = first?.loc.slice(1).join('.');
  return place ? `${place}: ${first?.msg}` : (first?.msg ?? 'It is not valid');
}

function textIn(value: unknown, field: string): string | null {
  const text = fieldOf(value, field);
  return typeof text === 'string' ? text.slice(0, LONGEST_TITLE_SHOWN).toWellFormed() : null;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

const problem = (type: string, msg: string, ...path: string[]): InputProblem => ({ type, loc: ['body', ...path], msg });
