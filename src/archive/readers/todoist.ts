/**
 * Reads the CSV files of Todoist: one per project, alone or in the zip of a backup.
 *
 * | Todoist                        | becomes                                                                   |
 * | ------------------------------ | ------------------------------------------------------------------------- |
 * | CONTENT, DESCRIPTION, `note`   | title, notes; Markdown stays as it is written                             |
 * | `@word` in CONTENT             | the first one the label; several are listed in the notes                  |
 * | DATE, DATE_LANG, TIMEZONE      | due and recurrence, if it is English; otherwise it stays in the notes     |
 * | DEADLINE                       | due, if there is no DATE; otherwise in the notes                          |
 * | INDENT                         | a subtask without a date is a line in the notes of its task               |
 * | DURATION, PRIORITY, `section`, RESPONSIBLE | left out, and counted                                         |
 *
 * The file has no ids, so a task is known by its project and text: a repeated import finds it wherever it stands.
 */
import { CsvHeader, type CsvRow, isEmptyRow, readCsv } from './csv.ts';
import {
  leftOut,
  type ReadEntry,
  type ReaderContext,
  Repetitions,
  remark,
  toArchived,
  unreadable,
} from './foreign-task.ts';
import { TodoistDates } from './todoist-dates.ts';

export interface TodoistFile {
  readonly project: string;
  readonly text: string;
}

const COLUMNS = ['TYPE', 'CONTENT', 'PRIORITY', 'INDENT'];
/** With white space before it: an address has an @ too. */
const LABEL = /(?<=^|\s)@([\p{L}\p{N}_-]+)/gu;
const ATTACHMENT = /\[\[file (\{.*?\})\]\]/gs;
const NO_PRIORITY = '4';
/** Todoist itself has five levels. */
const DEEPEST = 10;

export const isTodoist = (header: CsvHeader): boolean => header.has(...COLUMNS);

/** `Inbox` of `Inbox [220330].csv` and of the second download, `Inbox (1).csv`. */
export const projectOf = (fileName: string): string =>
  fileName
    .replace(/\.csv$/i, '')
    .replace(/(?:\s*(?:\[\d{1,20}\]|\(\d{1,4}\)))+$/, '')
    .trim() || 'Todoist';

export function* readTodoist(files: readonly TodoistFile[], context: ReaderContext): Generator<ReadEntry> {
  const dates = new TodoistDates(context);
  const repetitions = new Repetitions();
  for (const { project, text } of files) {
    const at = (row: CsvRow) => (files.length === 1 ? `row ${row.line}` : `${project}, row ${row.line}`);
    yield* new ProjectReader(project, { dates, repetitions, context, at }).read(text);
  }
}

interface Shared {
  readonly dates: TodoistDates;
  readonly repetitions: Repetitions;
  readonly context: ReaderContext;
  readonly at: (row: CsvRow) => string;
}

/** A task of which notes and subtasks may still follow. */
interface Pending {
  readonly row: CsvRow;
  readonly indent: number;
  readonly content: string;
  readonly extraNotes: string[];
}

class ProjectReader {
  readonly #project: string;
  readonly #shared: Shared;
  #header: CsvHeader | undefined;
  /** From the outermost task to the innermost. */
  #open: Pending[] = [];
  #lastNoted: { readonly notes: string[]; readonly prefix: string } | undefined;

  constructor(project: string, shared: Shared) {
    this.#project = project;
    this.#shared = shared;
  }

  *read(text: string): Generator<ReadEntry> {
    for (const row of readCsv(text)) {
      if (!this.#header) this.#header = requireHeader(row, this.#shared.at(row));
      else if (!isEmptyRow(row)) yield* this.#readRow(row, this.#header);
    }
    yield* this.#close(0);
    if (!this.#header) throw unreadable('The file is empty', this.#project);
  }

  *#readRow(row: CsvRow, header: CsvHeader): Generator<ReadEntry> {
    const type = header.field(row, 'TYPE').toLowerCase();
    if (type === 'task') yield* this.#readTask(row, header);
    else if (type === 'note') yield* this.#readNote(row, header);
    else if (type === 'section') {
      yield* this.#close(0);
      yield leftOut('sections');
    } else if (type !== 'meta') {
      yield remark(this.#shared.at(row), null, 'This kind of row is not known, so it is left out.');
    }
  }

  *#readTask(row: CsvRow, header: CsvHeader): Generator<ReadEntry> {
    const indent = Math.min(DEEPEST, Math.max(1, Math.trunc(Number(header.field(row, 'INDENT'))) || 1));
    yield* this.#close(indent);
    const content = header.field(row, 'CONTENT');
    const parent = this.#open.at(-1);
    const hasDate = header.field(row, 'DATE') !== '' || header.field(row, 'DEADLINE') !== '';
    if (parent && !hasDate) {
      // A line in the notes of the task: it has no date, so it would remind of nothing by itself.
      const prefix = '  '.repeat(Math.max(0, indent - parent.indent - 1));
      parent.extraNotes.push(`${prefix}- ${content}`);
      const description = header.field(row, 'DESCRIPTION');
      if (description !== '') parent.extraNotes.push(`${prefix}  ${description}`);
      this.#lastNoted = { notes: parent.extraNotes, prefix: `${prefix}  ` };
      yield leftOut('subtasks');
      return;
    }
    const extraNotes = parent ? [`Part of: ${parent.content}`] : [];
    this.#open.push({ row, indent, content, extraNotes });
    this.#lastNoted = { notes: extraNotes, prefix: '' };
    if (header.field(row, 'DURATION') !== '') yield leftOut('durations');
    if (header.field(row, 'RESPONSIBLE') !== '') yield leftOut('people');
    const priority = header.field(row, 'PRIORITY');
    if (priority !== '' && priority !== NO_PRIORITY) yield leftOut('priorities');
  }

  /** A note belongs to the task above it. An attachment is a link in it. */
  *#readNote(row: CsvRow, header: CsvHeader): Generator<ReadEntry> {
    const target = this.#lastNoted;
    if (!target) {
      yield remark(this.#shared.at(row), null, 'This note belongs to no task, so it is left out.');
      return;
    }
    const links: string[] = [];
    const text = header.field(row, 'CONTENT').replaceAll(ATTACHMENT, (_, json: string) => {
      links.push(linkOf(json));
      return '';
    });
    for (const line of [text.trim(), ...links]) if (line !== '') target.notes.push(target.prefix + line);
    for (const _ of links) yield leftOut('attachments');
  }

  /** Ends the tasks that are at this indent or further in: nothing more belongs to them. */
  *#close(indent: number): Generator<ReadEntry> {
    const isOver = (task: Pending) => indent === 0 || task.indent >= indent;
    const over = this.#open.filter(isOver);
    this.#open = this.#open.filter((task) => !isOver(task));
    this.#lastNoted = undefined;
    if (this.#header) for (const task of over) yield* this.#finish(task, this.#header);
  }

  *#finish({ row, content, extraNotes }: Pending, header: CsvHeader): Generator<ReadEntry> {
    const { context, dates, repetitions, at } = this.#shared;
    const tags = [...content.matchAll(LABEL)].map(([, tag = '']) => tag);
    const title = content.replaceAll(LABEL, '').replaceAll(/\s+/g, ' ').trim() || content;
    if (title === '') {
      yield remark(at(row), null, 'The task has no text, so it is left out.');
      return;
    }
    const read = dates.read({
      date: header.field(row, 'DATE'),
      language: header.field(row, 'DATE_LANG'),
      zone: header.field(row, 'TIMEZONE'),
      deadline: header.field(row, 'DEADLINE'),
      deadlineLanguage: header.field(row, 'DEADLINE_LANG'),
    });
    for (const says of read.remarks) yield remark(at(row), title, says);
    const fields = {
      title,
      notes: [header.field(row, 'DESCRIPTION'), extraNotes.join('\n'), ...read.notes],
      tags,
      due: read.due,
      recurrence: read.recurrence,
    };
    const key = repetitions.keyOf('todoist', this.#project, content);
    yield { kind: 'task', list: this.#project, at: at(row), task: toArchived(key, fields, context.now) };
  }
}

function requireHeader(row: CsvRow, at: string): CsvHeader {
  const header = new CsvHeader(row);
  if (isTodoist(header)) return header;
  throw unreadable('The columns TYPE, CONTENT, PRIORITY and INDENT of Todoist are missing', at);
}

/** The address of the attached file, with its name. */
function linkOf(json: string): string {
  try {
    const file: unknown = JSON.parse(json);
    const { file_name: name, file_url: url } = (file ?? {}) as Record<string, unknown>;
    return [name, url].filter((part) => typeof part === 'string' && part !== '').join(': ');
  } catch {
    return '';
  }
}
