/**
 * Takes an RFC 5545 recurrence rule apart (`RRULE:FREQ=WEEKLY;BYDAY=MO,WE`) into the fields of the
 * object form. It judges spelling alone; whether the values make sense is for `recurrence.ts`.
 */
import { type Field, RuleError } from './recurrence-fields.ts';

export type PartName =
  | 'freq'
  | 'interval'
  | 'count'
  | 'until'
  | 'byWeekday'
  | 'byMonthDay'
  | 'byMonth'
  | 'bySetPos'
  | 'weekStart';

interface Part {
  readonly field: PartName;
  readonly shape: RegExp;
  readonly read: (text: string) => unknown;
}

const numbers = (text: string) => text.split(',').map(Number);
const SIGNED_NUMBERS = /^[+-]?\d{1,3}(?:,[+-]?\d{1,3})*$/;

const PARTS = new Map<string, Part>([
  ['FREQ', { field: 'freq', shape: /^[A-Z]{1,20}$/, read: (text) => text.toLowerCase() }],
  ['INTERVAL', { field: 'interval', shape: /^\d{1,9}$/, read: Number }],
  ['COUNT', { field: 'count', shape: /^\d{1,9}$/, read: Number }],
  ['UNTIL', { field: 'until', shape: /^\d{8}(?:T\d{6}Z?)?$/, read: isoDateTime }],
  ['BYDAY', { field: 'byWeekday', shape: weekdayList(), read: (text) => text.split(',') }],
  ['BYMONTHDAY', { field: 'byMonthDay', shape: SIGNED_NUMBERS, read: numbers }],
  ['BYMONTH', { field: 'byMonth', shape: /^\d{1,2}(?:,\d{1,2})*$/, read: numbers }],
  ['BYSETPOS', { field: 'bySetPos', shape: SIGNED_NUMBERS, read: numbers }],
  ['WKST', { field: 'weekStart', shape: /^(?:MO|TU|WE|TH|FR|SA|SU)$/, read: (text) => text }],
]);

/** Room for every list at its longest; it also keeps the patterns above from being fed megabytes. */
const LONGEST_TEXT = 8000;

/** Which field each part fills, under the part's own name; a part that is not written stays absent. */
export function fieldsOfText(text: string): ReadonlyMap<PartName, Field> {
  if (text.length > LONGEST_TEXT) throw new RuleError('rrule', `rrule takes at most ${LONGEST_TEXT} characters.`);
  const fields = new Map<PartName, Field>();
  const rule = text.trim().toUpperCase();
  for (const written of (rule.startsWith('RRULE:') ? rule.slice(6) : rule).split(';')) {
    const [name = '', value, ...rest] = written.split('=', 3);
    const part = PARTS.get(name);
    if (part === undefined || value === undefined) throw unknownPart(name);
    if (fields.has(part.field)) throw new RuleError('rrule', `${name} is written twice.`);
    const isWellWritten = rest.length === 0 && part.shape.test(value);
    if (!isWellWritten) throw new RuleError('rrule', `${name} has a value that RFC 5545 does not know.`);
    fields.set(part.field, { key: 'rrule', name, value: part.read(value) });
  }
  return fields;
}

/** Names what is not supported, but only where it looks like a name: the text may be anything. */
function unknownPart(name: string): RuleError {
  if (/^(?:DTSTART|EXDATE|RDATE|EXRULE)\b/.test(name)) {
    return new RuleError('rrule', 'rrule takes the rule alone; the first date comes from due_at.');
  }
  const subject = /^[A-Z][A-Z-]{0,19}$/.test(name) ? name : 'A part of rrule';
  return new RuleError('rrule', `${subject} is not supported.`);
}

function weekdayList(): RegExp {
  const weekday = '(?:[+-]?\\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)';
  return new RegExp(`^${weekday}(?:,${weekday})*$`);
}

/** 20261231T235959Z → 2026-12-31T23:59:59Z, the spelling of the object form. */
function isoDateTime(text: string): string {
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
  if (text.length === 8) return date;
  return `${date}T${text.slice(9, 11)}:${text.slice(11, 13)}:${text.slice(13, 15)}${text.slice(15)}`;
}
