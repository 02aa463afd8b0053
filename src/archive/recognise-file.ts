/**
 * Recognises a file by its content, whatever its name and type say, and opens it with the reader of its format. A zip is
 * looked into: a backup of Todoist, an export of Vikunja, a Google Takeout, or any zip with one file that is known.
 */
import { isUtf8 } from 'node:buffer';
import { parseJson } from '../http/body.ts';
import { findExcess } from '../http/json-bounds.ts';
import { InvalidInput } from '../lib/errors.ts';
import { CsvHeader, readCsv } from './readers/csv.ts';
import { type ReadEntry, type ReaderContext, type Source, unreadable } from './readers/foreign-task.ts';
import { isGoogleTasks, readGoogleTasks } from './readers/google-tasks.ts';
import { readICalendar } from './readers/icalendar.ts';
import { isOwn, readOwn } from './readers/own.ts';
import { isRememberTheMilk, readRememberTheMilk } from './readers/remember-the-milk.ts';
import { isTasksOrg, readTasksOrg } from './readers/tasks-org.ts';
import { isTickTick, readTickTick } from './readers/ticktick.ts';
import { isTodoist, projectOf, readTodoist } from './readers/todoist.ts';
import { isVikunja, readVikunja } from './readers/vikunja.ts';
import { baseName, isZip, readZip, type ZipEntry } from './readers/zip.ts';

export interface NamedFile {
  /** As the person has it. Only Todoist needs it: the project is in no other place. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface RecognisedFile {
  readonly source: Source;
  readonly entries: (context: ReaderContext) => Iterable<ReadEntry>;
}

/** A few times as many as 50,000 tasks have. */
const MOST = { values: 6_000_000, fields: 6_000_000 };
/** The header of TickTick comes after a preamble. */
const MOST_HEADER_ROWS = 20;
const KNOWN =
  'This file is none that is known. Known are exports of Todoist, TickTick, Tasks.org, Google Tasks, Vikunja, Remember ' +
  'The Milk and Crescendo, and iCalendar files';

/** Throws `InvalidInput` with a sentence that says what is wrong, and where. */
export function recogniseFile({ name, bytes }: NamedFile): RecognisedFile {
  if (bytes.length === 0) throw unreadable('The file is empty');
  if (isZip(bytes)) return recogniseZip(readZip(bytes));
  const text = decode(bytes, name);
  const start = text.slice(0, 200).trimStart();
  if (/^BEGIN:VCALENDAR/i.test(start))
    return { source: 'icalendar', entries: (context) => readICalendar(text, context) };
  if (/^[{[]/.test(start)) return recogniseJson(bytes);
  return recogniseCsv(text, name);
}

function decode(bytes: Uint8Array, place: string): string {
  if (!isUtf8(bytes))
    throw unreadable('The file is no text in UTF-8. Export it again, or save it as UTF-8', place || undefined);
  // Removes a byte order mark.
  return new TextDecoder('utf-8').decode(bytes);
}

function recogniseZip(all: readonly ZipEntry[]): RecognisedFile {
  const entries = all.filter(({ name }) => !name.startsWith('__MACOSX/') && !baseName(name).startsWith('.'));
  if (entries.length === 0) throw unreadable('The zip file is empty');
  const named = (name: string) => entries.find((entry) => baseName(entry.name).toLowerCase() === name);
  const data = named('data.json');
  if (data && named('version')) return recogniseJson(data.read());
  const takeout = named('tasks.json');
  if (takeout) return recogniseJson(takeout.read());
  const tables = entries.filter(({ name }) => /\.csv$/i.test(name));
  if (tables.length > 1) return recogniseBackup(tables);
  const candidates = entries.filter(({ name }) => /\.(?:csv|json|ics|ical)$/i.test(name));
  const [only] = candidates;
  if (only && candidates.length === 1) return recogniseFile({ name: baseName(only.name), bytes: only.read() });
  throw unreadable(KNOWN);
}

/** The backup of Todoist has one CSV for each project. */
function recogniseBackup(tables: readonly ZipEntry[]): RecognisedFile {
  const files = tables.map((entry) => ({
    project: projectOf(baseName(entry.name)),
    text: decode(entry.read(), baseName(entry.name)),
  }));
  return { source: 'todoist', entries: (context) => readTodoist(files, context) };
}

function recogniseCsv(text: string, name: string): RecognisedFile {
  let rows = 0;
  for (const row of readCsv(text)) {
    const header = new CsvHeader(row);
    if (isTodoist(header)) {
      const files = [{ project: projectOf(baseName(name)), text }];
      return { source: 'todoist', entries: (context) => readTodoist(files, context) };
    }
    if (isTickTick(header)) return { source: 'ticktick', entries: (context) => readTickTick(text, context) };
    rows += 1;
    if (rows === MOST_HEADER_ROWS) break;
  }
  throw unreadable(KNOWN);
}

const JSON_READERS: readonly [
  source: Source,
  is: (document: unknown) => boolean,
  read: (document: unknown, context: ReaderContext) => Iterable<ReadEntry>,
][] = [
  ['google_tasks', isGoogleTasks, readGoogleTasks],
  ['tasks_org', isTasksOrg, readTasksOrg],
  ['crescendo', isOwn, readOwn],
  ['remember_the_milk', isRememberTheMilk, readRememberTheMilk],
  ['vikunja', isVikunja, readVikunja],
];

function recogniseJson(bytes: Uint8Array): RecognisedFile {
  const document = parse(bytes);
  const known = JSON_READERS.find(([, is]) => is(document));
  if (!known) throw unreadable(KNOWN);
  const [source, , read] = known;
  return { source, entries: (context) => read(document, context) };
}

function parse(bytes: Uint8Array): unknown {
  const excess = findExcess(bytes, MOST);
  if (excess) throw unreadable('The file has more values than can be read at once. Export it in parts');
  try {
    return parseJson(decode(bytes, ''));
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const place = /position (\d{1,12})/.exec(error.problems[0]?.msg ?? '')?.[1];
    throw unreadable('The file is cut off or damaged: it is not valid JSON', place ? `character ${place}` : undefined);
  }
}
