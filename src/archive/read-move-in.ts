/**
 * Reads a file of another app for a move: every task is validated as it would be stored, and becomes part of a page that
 * waits until the person has seen the preview. Runs in a worker thread, since it blocks.
 */
import { parseRule } from '../recurrence/parse-rule.ts';
import { untilAsText } from '../recurrence/spell-rule.ts';
import { nextDates } from '../tasks/next-dates.ts';
import type { ImportRecord } from '../tasks/task-import.service.ts';
import { writeRule } from '../words/write-rule.ts';
import { readEntry } from './read-document.ts';
import { type ImportContext, isDueAlready } from './read-task.ts';
import {
  type ForeignTask,
  LEFT_OUT,
  type LeftOut,
  type Remark,
  type Source,
  unreadable,
} from './readers/foreign-task.ts';
import { type NamedFile, recogniseFile } from './recognise-file.ts';

/** A task that waits to be imported. Its list is an index into the lists of the preview. */
export interface WaitingTask {
  readonly list: number | null;
  readonly task: Readonly<Record<string, unknown>>;
}

/** As many tasks as one slice of an import stores. */
export interface MoveInPage {
  /** JSON of `WaitingTask[]`: the thread that answers requests only stores it. */
  readonly tasks: string;
  readonly origins: readonly string[];
}

export interface FoundList {
  readonly name: string;
  readonly open: number;
  readonly closed: number;
}

export interface FoundRule {
  readonly title: string;
  readonly rule: string;
  readonly has_time: boolean;
  /** The first ones, the present one included. */
  readonly dates: Date[];
}

export interface FoundTask {
  readonly title: string;
  readonly list: string | null;
  readonly due_at: Date | null;
  readonly has_time: boolean;
  readonly overdue: boolean;
}

export interface MoveInContents {
  readonly source: Source;
  readonly tasks: number;
  readonly open: number;
  readonly closed: number;
  readonly overdue: number;
  readonly repeating: number;
  readonly lists: FoundList[];
  readonly rules: FoundRule[];
  readonly examples: FoundTask[];
  readonly not_understood: { readonly at: string; readonly title: string | null; readonly says: string }[];
  readonly not_understood_count: number;
  readonly left_out: { readonly what: LeftOut; readonly count: number }[];
}

export const MOST_TASKS = 50_000;
/** Storing a page takes a few milliseconds. */
const TASKS_PER_PAGE = 25;
const CHARACTERS_PER_PAGE = 100_000;
const MOST_LISTS = 200;
const MOST_RULES = 100;
const MOST_EXAMPLES = 20;
const MOST_REMARKS = 200;
const DATES_SHOWN = 3;
const FULL_NOTES = 10_000;
const LONGEST_LIST_NAME = 100;

export function* readMoveIn(file: NamedFile, context: ImportContext): Generator<MoveInPage, MoveInContents> {
  const { source, entries } = recogniseFile(file);
  const contents = new Contents(source, context);
  let page: WaitingTask[] = [];
  let origins: string[] = [];
  let characters = 0;
  for (const entry of entries({ zone: context.owner.timezone, now: context.now })) {
    if (entry.kind === 'remark') contents.addRemark(entry);
    else if (entry.kind === 'left_out') contents.leaveOut(entry.what);
    else {
      const waiting = contents.addTask(entry);
      if (!waiting) continue;
      page.push(waiting.task);
      origins.push(waiting.origin);
      characters += waiting.characters;
      if (page.length < TASKS_PER_PAGE && characters < CHARACTERS_PER_PAGE) continue;
      yield { tasks: JSON.stringify(page), origins };
      [page, origins, characters] = [[], [], 0];
    }
  }
  if (page.length > 0) yield { tasks: JSON.stringify(page), origins };
  return contents.end();
}

/** Counts what the file has, and keeps the beginning of everything that the preview shows. */
class Contents {
  readonly #source: Source;
  readonly #context: ImportContext;
  readonly #seen = new Set<string>();
  readonly #listIndexes = new Map<string, number>();
  readonly #lists: { name: string; open: number; closed: number }[] = [];
  readonly #rules: FoundRule[] = [];
  readonly #examples: FoundTask[] = [];
  readonly #remarks: MoveInContents['not_understood'][number][] = [];
  readonly #leftOut = new Map<LeftOut, number>();
  #remarkCount = 0;
  #open = 0;
  #closed = 0;
  #overdue = 0;
  #repeating = 0;

  constructor(source: Source, context: ImportContext) {
    this.#source = source;
    this.#context = context;
  }

  addRemark({ at, title, says }: Remark): void {
    this.#remarkCount += 1;
    if (this.#remarks.length < MOST_REMARKS)
      this.#remarks.push({ at, title: title?.slice(0, 200).toWellFormed() ?? null, says });
  }

  leaveOut(what: LeftOut): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + 1);
  }

  /** Undefined if the task is refused, or stands in the file twice. */
  addTask({
    list,
    at,
    task: read,
  }: ForeignTask): { task: WaitingTask; origin: string; characters: number } | undefined {
    // A heads-up of another app whose moment has passed does not come.
    const isOwn = this.#source === 'crescendo';
    const task = isOwn ? read : { ...read, heads_up_at: this.#context.now.toISOString() };
    const item = readEntry({ title: undefined, task, isForeign: false }, this.#context);
    if (!('record' in item)) {
      this.addRemark({ kind: 'remark', at, title: item.title, says: `It cannot be imported: ${item.reason}.` });
      return undefined;
    }
    const { origin } = item.record;
    if (this.#seen.has(origin)) {
      this.addRemark({ kind: 'remark', at, title: item.title, says: 'It stands in the file twice, and comes once.' });
      return undefined;
    }
    this.#seen.add(origin);
    if (this.#seen.size > MOST_TASKS)
      throw unreadable(`The file has more than ${MOST_TASKS} tasks. Export it in parts`);
    this.#count(item.record, list);
    const notes = item.record.task.notes ?? '';
    if (notes.length >= FULL_NOTES && [...notes].length >= FULL_NOTES) this.leaveOut('long_notes');
    return { task: { list: this.#indexOf(list), task }, origin, characters: item.title.length + notes.length };
  }

  #count({ task }: ImportRecord, list: string | null): void {
    const { now, owner } = this.#context;
    const isOpen = task.status === 'open';
    const isOverdue = isDueAlready(task, now);
    const { title, due_at, has_time } = task;
    if (isOpen) this.#open += 1;
    else this.#closed += 1;
    if (isOverdue) this.#overdue += 1;
    const found = this.#lists[this.#indexOf(list) ?? -1];
    if (found && isOpen) found.open += 1;
    else if (found) found.closed += 1;
    if (isOpen && this.#examples.length < MOST_EXAMPLES)
      this.#examples.push({ title, list: list && shortName(list), due_at, has_time, overdue: isOverdue });
    if (!isOpen || task.recurrence === null || due_at === null) return;
    this.#repeating += 1;
    if (this.#rules.length >= MOST_RULES) return;
    const dates = [due_at, ...nextDates(task, owner.timezone, now, DATES_SHOWN - 1)];
    this.#rules.push({ title, rule: inWords(task.recurrence), has_time, dates });
  }

  #indexOf(name: string | null): number | null {
    if (name === null) return null;
    const short = shortName(name);
    const known = this.#listIndexes.get(short);
    if (known !== undefined) return known;
    // Beyond this, lists have no label of their own.
    if (this.#lists.length >= MOST_LISTS) return null;
    this.#lists.push({ name: short, open: 0, closed: 0 });
    this.#listIndexes.set(short, this.#lists.length - 1);
    return this.#lists.length - 1;
  }

  end(): MoveInContents {
    if (this.#seen.size === 0 && this.#remarkCount === 0) throw unreadable('There are no tasks in this file');
    return {
      source: this.#source,
      tasks: this.#seen.size,
      open: this.#open,
      closed: this.#closed,
      overdue: this.#overdue,
      repeating: this.#repeating,
      lists: this.#lists,
      rules: this.#rules,
      examples: this.#examples,
      not_understood: this.#remarks,
      not_understood_count: this.#remarkCount,
      left_out: LEFT_OUT.flatMap((what) => {
        const count = this.#leftOut.get(what);
        return count === undefined ? [] : [{ what, count }];
      }),
    };
  }
}

const shortName = (name: string): string =>
  [...name.slice(0, 4 * LONGEST_LIST_NAME).toWellFormed()].slice(0, LONGEST_LIST_NAME).join('');

/** The rule was parsed when the task was read. */
function inWords(recurrence: string): string {
  const rule = parseRule(JSON.parse(recurrence));
  return rule ? writeRule({ ...rule, until: rule.until && untilAsText(rule.until) }) : '';
}
