/**
 * Reads the CSV backup of TickTick, which begins with a few lines about itself.
 *
 * | TickTick                          | becomes                                                              |
 * | --------------------------------- | -------------------------------------------------------------------- |
 * | Title, Content                    | title, notes; the items of a check list are lines of the notes       |
 * | Tags                              | the first one the label; several are listed in the notes             |
 * | Due Date (or Start Date), Is All Day, Timezone | due; all-day dates are midnights of the task's own zone |
 * | Repeat                            | recurrence; a rule that cannot be read stays in the notes            |
 * | Reminder                          | heads-ups before it is due                                           |
 * | Priority 1                        | one notification; all others escalate                                |
 * | Status 0, 1, 2                    | open, done, done                                                     |
 * | parentId                          | a subtask without a date is a line in the notes of its task          |
 *
 * The ids of a backup count its rows, so a task is known by its creation time and title.
 */
import { findTimeZone } from '../../lib/time-zone.ts';
import { CsvHeader, type CsvRow, isEmptyRow, readCsv } from './csv.ts';
import {
  type ForeignFields,
  leftOut,
  type ReadEntry,
  type ReaderContext,
  Repetitions,
  remark,
  toArchived,
  unreadable,
} from './foreign-task.ts';
import { readRrule } from './rrule.ts';

const COLUMNS = ['LIST NAME', 'TITLE', 'DUE DATE', 'STATUS'];
/** The preamble has three rows. */
const MOST_BEFORE_HEADER = 20;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;
const REMINDER = /(?:TRIGGER:)?(-?)P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:\d+S)?)?/gi;
const LOW = 1;

export const isTickTick = (header: CsvHeader): boolean => header.has(...COLUMNS);

export function* readTickTick(text: string, context: ReaderContext): Generator<ReadEntry> {
  const { header, rows } = splitRows(text);
  const field = (row: CsvRow, name: string) => header.field(row, name);
  const byId = new Map(rows.map((row) => [field(row, 'TASKID'), row]));
  const hasDate = (row: CsvRow) => field(row, 'DUE DATE') !== '' || field(row, 'START DATE') !== '';
  const parentOf = (row: CsvRow) => {
    const parent = field(row, 'PARENTID') === '' ? undefined : byId.get(field(row, 'PARENTID'));
    return parent === row ? undefined : parent;
  };
  const subtasks = new Map<CsvRow, CsvRow[]>();
  const isLine = new Set<CsvRow>();
  for (const row of rows) {
    const parent = parentOf(row);
    if (!parent || hasDate(row) || isLine.has(parent)) continue;
    isLine.add(row);
    const lines = subtasks.get(parent);
    if (lines) lines.push(row);
    else subtasks.set(parent, [row]);
  }
  const reader = new TickTickReader(header, context);
  for (const row of rows) {
    // The lines of a task that became a line itself would be lost, so they stay tasks.
    if (isLine.has(row) && !subtasks.has(row)) continue;
    const lines = (subtasks.get(row) ?? []).filter((one) => !subtasks.has(one));
    for (const _ of lines) yield leftOut('subtasks');
    yield* reader.read(row, lines, parentOf(row));
  }
}

function splitRows(text: string): { readonly header: CsvHeader; readonly rows: readonly CsvRow[] } {
  const rows: CsvRow[] = [];
  let header: CsvHeader | undefined;
  let before = 0;
  for (const row of readCsv(text)) {
    if (header) {
      if (!isEmptyRow(row)) rows.push(row);
      continue;
    }
    const candidate = new CsvHeader(row);
    if (isTickTick(candidate)) header = candidate;
    before += 1;
    if (before > MOST_BEFORE_HEADER) break;
  }
  if (!header) throw unreadable('The columns List Name, Title, Due Date and Status of TickTick are missing');
  return { header, rows };
}

class TickTickReader {
  readonly #header: CsvHeader;
  readonly #context: ReaderContext;
  readonly #repetitions = new Repetitions();

  constructor(header: CsvHeader, context: ReaderContext) {
    this.#header = header;
    this.#context = context;
  }

  *read(row: CsvRow, lines: readonly CsvRow[], parent: CsvRow | undefined): Generator<ReadEntry> {
    const field = (name: string) => this.#header.field(row, name);
    const at = `row ${row.line}`;
    const title = field('TITLE') || (field('CONTENT').split('\n', 1)[0]?.trim() ?? '');
    if (title === '') {
      yield remark(at, null, 'The task has no text, so it is left out.');
      return;
    }
    const { due, says } = this.#dueOf(row);
    const rule = readRrule(field('REPEAT'));
    for (const sentence of [says, rule.says]) if (sentence !== undefined) yield remark(at, title, sentence);
    if (field('COLUMN NAME') !== '') yield leftOut('sections');
    if (!['', '0', String(LOW)].includes(priorityOf(field('PRIORITY')))) yield leftOut('priorities');
    const createdAt = this.#instantOf(field('CREATED TIME'));
    const fields: ForeignFields = {
      title,
      notes: [
        notesOf(field('CONTENT'), field('IS CHECK LIST') === 'Y'),
        parent ? `Part of: ${this.#header.field(parent, 'TITLE')}` : '',
        lines.map((one) => `- ${this.#header.field(one, 'TITLE')}`).join('\n'),
        rule.note,
      ],
      tags: field('TAGS').split(','),
      due,
      recurrence: rule.recurrence,
      headsUpMinutes: due ? remindersOf(field('REMINDER')) : [],
      isLow: priorityOf(field('PRIORITY')) === String(LOW),
      isDone: ['1', '2', '-1'].includes(field('STATUS')),
      createdAt,
      completedAt: this.#instantOf(field('COMPLETED TIME')),
    };
    const key = this.#repetitions.keyOf('ticktick', createdAt ?? field('LIST NAME'), title);
    const list = [field('FOLDER NAME'), field('LIST NAME')].filter((part) => part !== '').join(' / ');
    yield { kind: 'task', list: list || null, at, task: toArchived(key, fields, this.#context.now) };
  }

  #dueOf(row: CsvRow): { readonly due?: ForeignFields['due']; readonly says?: string } {
    const field = (name: string) => this.#header.field(row, name);
    const text = field('DUE DATE') || field('START DATE');
    if (text === '') return {};
    const instant = this.#instantOf(text);
    if (instant === undefined) return { says: 'Its date is not in the form of TickTick, so it comes without one.' };
    const zone = findTimeZone(field('TIMEZONE')) ?? this.#context.zone;
    const wall = Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime();
    if (field('IS ALL DAY').toLowerCase() === 'true')
      return { due: { text: `${wall.toPlainDate().toString()}T00:00:00`, hasTime: false } };
    const isFloating = field('IS FLOATING').toLowerCase() === 'true';
    return { due: { text: isFloating ? wall.toString({ smallestUnit: 'second' }) : instant, hasTime: true } };
  }

  /** Without an offset, the moment is in UTC. */
  #instantOf(text: string): string | undefined {
    const [, date, time, offset = 'Z'] = DATE_TIME.exec(text) ?? [];
    if (date === undefined) return undefined;
    try {
      return Temporal.Instant.from(`${date}T${time}${offset}`).toString();
    } catch {
      return undefined;
    }
  }
}

/** `5`, and in some versions `p5`. Anything else counts as none. */
const priorityOf = (text: string): string => /^p?(\d)$/i.exec(text)?.[1] ?? '';

/** The items of a check list begin with ▫ or ▪. */
const notesOf = (content: string, isCheckList: boolean): string =>
  isCheckList ? content.replaceAll(/\s*[▫▪]/g, '\n- ').trim() : content;

/** ISO durations, several after each other. One without a minus sign is at or after the due moment: the ladder has it. */
function remindersOf(text: string): number[] {
  const minutes: number[] = [];
  for (const [, sign, weeks = 0, days = 0, hours = 0, rest = 0] of text.matchAll(REMINDER)) {
    if (sign !== '-') continue;
    minutes.push(((Number(weeks) * 7 + Number(days)) * 24 + Number(hours)) * 60 + Number(rest));
  }
  return minutes;
}
