/** Reads comma-separated values as RFC 4180 has them, row by row, with the line on which each row begins. Pure. */
import { unreadable } from './foreign-task.ts';

export interface CsvRow {
  /** The first line of the file is 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** The widest known export has 24 columns. */
const MOST_FIELDS = 200;
const LINE_BREAK = /\r\n|\n|\r/g;

/** Empty lines are rows with one empty field. The last line may end without a line break. */
export function* readCsv(text: string): Generator<CsvRow> {
  let [position, line] = [text.startsWith('\uFEFF') ? 1 : 0, 1];
  while (position < text.length) {
    const row = readRow(text, position, line);
    yield { line, fields: row.fields };
    position = row.end + (text.startsWith('\r\n', row.end) ? 2 : 1);
    line += row.lines + 1;
  }
}

function readRow(text: string, start: number, line: number) {
  const fields: string[] = [];
  let [position, lines] = [start, 0];
  for (;;) {
    const field = text[position] === '"' ? quotedField(text, position, line + lines) : plainField(text, position);
    fields.push(field.value);
    if (fields.length > MOST_FIELDS) throw unreadable('This row has more columns than any export', `row ${line}`);
    lines += field.lines;
    if (text[field.end] !== ',') return { fields, end: field.end, lines };
    position = field.end + 1;
  }
}

interface Field {
  readonly value: string;
  readonly end: number;
  /** How many line breaks it contains. */
  readonly lines: number;
}

const FIELD_END = /[,\r\n]/g;

function plainField(text: string, start: number): Field {
  FIELD_END.lastIndex = start;
  const end = FIELD_END.exec(text)?.index ?? text.length;
  return { value: text.slice(start, end), end, lines: 0 };
}

/** A quotation mark inside is written twice. Text between the closing mark and the comma belongs to the field. */
function quotedField(text: string, start: number, line: number): Field {
  const parts: string[] = [];
  let position = start + 1;
  for (;;) {
    const mark = text.indexOf('"', position);
    if (mark === -1) throw unreadable('A quotation mark is opened and never closed', `row ${line}`);
    parts.push(text.slice(position, mark));
    position = mark + 1;
    if (text[position] !== '"') break;
    parts.push('"');
    position += 1;
  }
  const rest = plainField(text, position);
  const value = parts.join('') + rest.value;
  return { value, end: rest.end, lines: value.match(LINE_BREAK)?.length ?? 0 };
}

/** Finds fields of a row by the names of their columns. */
export class CsvHeader {
  readonly #columns: ReadonlyMap<string, number>;

  constructor({ fields }: CsvRow) {
    this.#columns = new Map(fields.map((name, index) => [name.trim().toUpperCase(), index]));
  }

  get width(): number {
    return this.#columns.size;
  }

  has(...names: readonly string[]): boolean {
    return names.every((name) => this.#columns.has(name));
  }

  /** Empty if the row or the file has no such column. */
  field({ fields }: CsvRow, name: string): string {
    const index = this.#columns.get(name);
    return index === undefined ? '' : (fields[index] ?? '').trim();
  }
}

export const isEmptyRow = ({ fields }: CsvRow): boolean => fields.every((field) => field.trim() === '');
