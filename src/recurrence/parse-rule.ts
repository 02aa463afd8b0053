/**
 * Parses the `recurrence` of a task, in its object form or as an RFC 5545 string, into a `Rule`.
 *
 * An object of neither form is free-form: it is stored as sent and does not repeat. An object of a
 * known form is either fully valid or rejected. A known key is never silently dropped, because a
 * reminder that repeats differently from what its owner asked for is worse than an error.
 */
import { type PartName, parseRrule } from './parse-rrule.ts';
import { type Frequency, namesNoDay, type Rule, RuleError } from './rule.ts';
import { type Field, readFrom, readNumber, readNumbers, readUntil, readWeekdays } from './rule-fields.ts';

type FieldName = Exclude<PartName, 'freq'> | 'from';
type FieldOf = (name: FieldName) => Field;

const FREQUENCIES = new Map<unknown, Frequency>(
  (['daily', 'weekly', 'monthly', 'yearly'] as const).map((freq) => [freq, freq]),
);
/** The largest ordinal: a month has at most five Mondays, a year 53. */
const LARGEST_NTH: Record<Frequency, number> = { daily: 0, weekly: 0, monthly: 5, yearly: 53 };
const OBJECT_KEYS: Record<Exclude<FieldName, 'weekStart'>, string> = {
  interval: 'interval',
  count: 'count',
  until: 'until',
  byWeekday: 'by_weekday',
  byMonthDay: 'by_month_day',
  byMonth: 'by_month',
  bySetPos: 'by_set_pos',
  from: 'from',
};

/**
 * Returns undefined for a free-form object (neither a known `freq` nor an `rrule` string). Throws a
 * RuleError for a known form with invalid keys.
 */
export function parseRule(value: Readonly<Record<string, unknown>>): Rule | undefined {
  const text = ownValue(value, 'rrule');
  if (typeof text === 'string') return parseString(text, objectField(value, 'from'));
  const freq = frequencyOf(ownValue(value, 'freq'));
  if (freq === undefined) return undefined;
  const rule = readRule(freq, (name) => objectField(value, name));
  return { ...rule, clampToMonthEnd: (freq === 'monthly' || freq === 'yearly') && namesNoDay(rule) };
}

function parseString(text: string, from: Field): Rule {
  const fields = parseRrule(text);
  const freq = frequencyOf(fields.get('freq')?.value);
  if (freq === undefined) throw new RuleError('rrule', 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY.');
  if (fields.has('count') && fields.has('until')) {
    throw new RuleError('rrule', 'COUNT and UNTIL cannot stand together.');
  }
  const absent: Field = { key: 'rrule', name: 'rrule', value: undefined };
  return readRule(freq, (name) => (name === 'from' ? from : (fields.get(name) ?? absent)));
}

function readRule(freq: Frequency, fieldOf: FieldOf): Rule {
  const rule: Rule = {
    freq,
    interval: readNumber(fieldOf('interval'), { min: 1, max: 1000 }) ?? 1,
    byWeekday: readWeekdays(fieldOf('byWeekday'), LARGEST_NTH[freq]),
    byMonthDay: readNumbers(fieldOf('byMonthDay'), { min: -31, max: 31 }),
    byMonth: readNumbers(fieldOf('byMonth'), { min: 1, max: 12 }),
    bySetPos: readNumbers(fieldOf('bySetPos'), { min: -366, max: 366 }),
    until: readUntil(fieldOf('until')),
    count: readNumber(fieldOf('count'), { min: 1, max: 10_000 }),
    from: readFrom(fieldOf('from')),
    weekStart: readWeekdays(fieldOf('weekStart'), 0)[0]?.day ?? 1,
    clampToMonthEnd: false,
  };
  checkCombination(rule, fieldOf);
  return rule;
}

/** Rejects the combinations that RFC 5545 forbids. */
function checkCombination(rule: Rule, fieldOf: FieldOf): void {
  if (rule.freq === 'weekly' && rule.byMonthDay.length > 0) {
    const { key, name } = fieldOf('byMonthDay');
    throw new RuleError(key, `${name} has no place in a weekly rule.`);
  }
  const chosen = rule.byWeekday.length + rule.byMonthDay.length + rule.byMonth.length;
  if (rule.bySetPos.length > 0 && chosen === 0) {
    const { key, name } = fieldOf('bySetPos');
    throw new RuleError(key, `${name} chooses among weekdays, days or months, and none is given.`);
  }
}

function frequencyOf(value: unknown): Frequency | undefined {
  return typeof value === 'string' ? FREQUENCIES.get(value.toLowerCase()) : undefined;
}

function objectField(value: Readonly<Record<string, unknown>>, name: FieldName): Field {
  // Only the string form can set the first day of the week.
  if (name === 'weekStart') return { key: name, name, value: undefined };
  const key = OBJECT_KEYS[name];
  return { key, name: key, value: ownValue(value, key) };
}

/** Ignores inherited keys, which the client did not send. */
function ownValue(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
