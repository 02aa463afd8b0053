/**
 * Splits an RFC 5545 recurrence rule (`RRULE:FREQ=WEEKLY;BYDAY=MO,WE`) into the fields of the object
 * form. This file checks only the syntax; `parse-rule.ts` checks the values.
 */
import { RuleError } from './rule.ts';
import type { Field } from './rule-fields.ts';

type PartName =
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

/** Enough for every list at its maximum length, and small enough for the patterns above to stay fast. */
const MAX_LENGTH = 8000;

/** The parts that the text contains, by the name of the field that they fill. */
export function parseRrule(text: string): ReadonlyMap<PartName, Field> {
  if (text.length > MAX_LENGTH) throw new RuleError('rrule', `rrule takes at most ${MAX_LENGTH} characters.`);
  const fields = new Map<PartName, Field>();
  const rule = text.trim().toUpperCase();
  for (const written of (rule.startsWith('RRULE:') ? rule.slice(6) : rule).split(';')) {
    const [name = '', value, ...rest] = written.split('=', 3);
    const part = PARTS.get(name);
    if (part === undefined || value === undefined) throw unknownPart(name);
    if (fields.has(part.field)) throw new RuleError('rrule', `${name} is written twice.`);
    const isWellFormed = rest.length === 0 && part.shape.test(value);
    if (!isWellFormed) throw new RuleError('rrule', `${name} has a value that RFC 5545 does not know.`);
    fields.set(part.field, { key: 'rrule', name, value: part.read(value) });
  }
  return fields;
}

/** The message repeats the part's name only if it looks like one, because the client may send any text. */
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

/** 20261231T235959Z → 2026-12-31T23:59:59Z, the format of the object form. */
function isoDateTime(text: string): string {
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6, 8)}`;
  if (text.length === 8) return date;
  return `${date}T${text.slice(9, 11)}:${text.slice(11, 13)}:${text.slice(13, 15)}${text.slice(15)}`;
}
