/**
 * Parses the `recurrence` of a task, in its object form or as an RFC 5545 string, into a `Rule`.
 *
 * An object of neither form is free-form: it is stored as sent and does not repeat. An object of a
 * known form is either fully valid or rejected. A known key is never silently dropped, because a
 * reminder that repeats differently from what its owner asked for is worse than an error.
 */
import { parseRrule } from './parse-rrule.ts';
import {
  type ClockFrequency,
  type ClockRule,
  type DayFrequency,
  type DayRule,
  type Frequency,
  isClockRule,
  namesNoDay,
  type Rule,
  RuleError,
} from './rule.ts';
import {
  type Field,
  readFrom,
  readHours,
  readNumber,
  readNumbers,
  readTimes,
  readUntil,
  readWeekdays,
} from './rule-fields.ts';
import { ObjectFields, type ObjectKey, readAgreed } from './spellings.ts';

type FieldName = Exclude<ObjectKey, 'rrule' | 'freq'> | 'weekStart';
type FieldsOf = (name: FieldName) => readonly Field[];

/** The largest ordinal: a month has at most five Mondays, a year 53. */
const LARGEST_NTH: Record<DayFrequency, number> = { daily: 0, weekly: 0, monthly: 5, yearly: 53 };
const DAY_PARTS = ['byWeekday', 'byMonthDay', 'byMonth', 'bySetPos', 'byTime'] as const;

/**
 * Returns undefined for a free-form object (neither a known frequency nor an `rrule` string). Throws a
 * RuleError for a known form with invalid keys.
 */
export function parseRule(value: Readonly<Record<string, unknown>>): Rule | undefined {
  const fields = new ObjectFields(value);
  const text = readAgreed(
    fields.get('rrule').filter((field) => typeof field.value === 'string'),
    (field) => field.value,
  );
  if (typeof text === 'string') return parseString(text, fields.get('from'));
  const freq = fields.frequency();
  if (freq === undefined) return undefined;
  // Only the string form can set the first day of the week.
  const fieldsOf: FieldsOf = (name) => (name === 'weekStart' ? [] : fields.get(name));
  if (isClockFrequency(freq)) return readClockRule(freq, fieldsOf);
  const rule = readDayRule(freq, fieldsOf);
  return { ...rule, clampToMonthEnd: (freq === 'monthly' || freq === 'yearly') && namesNoDay(rule) };
}

function parseString(text: string, from: readonly Field[]): Rule {
  const fields = parseRrule(text);
  const freq = fields.get('freq')?.value;
  if (!isFrequency(freq)) throw new RuleError('rrule', `FREQ must be one of ${FREQUENCIES.join(', ').toUpperCase()}.`);
  if (fields.has('count') && fields.has('until')) {
    throw new RuleError('rrule', 'COUNT and UNTIL cannot stand together.');
  }
  const fieldsOf: FieldsOf = (name) => {
    if (name === 'from') return from;
    const field = isOfObjectOnly(name) ? undefined : fields.get(name);
    return field ? [field] : [];
  };
  return isClockFrequency(freq) ? readClockRule(freq, fieldsOf) : readDayRule(freq, fieldsOf);
}

const isOfObjectOnly = (name: FieldName): name is 'byTime' | 'between' | 'perDay' =>
  name === 'byTime' || name === 'between' || name === 'perDay';

/** Whether a rule has keys that mean nothing here, such as `exdates`. It repeats as if they were not there. */
export function hasUnreadKeys(value: Readonly<Record<string, unknown>>): boolean {
  const fields = new ObjectFields(value);
  const isString = fields.get('rrule').some((field) => typeof field.value === 'string');
  if (fields.hasOthersThan(isString ? ['rrule', 'from'] : undefined)) return true;
  const rule = parseRule(value);
  const hours = rule && isClockRule(rule) ? rule.hours : null;
  const isUnread = (key: 'between' | 'perDay', read: unknown) => fields.get(key).length > 0 && read == null;
  return isUnread('between', hours) || isUnread('perDay', hours?.most);
}

function readDayRule(freq: DayFrequency, fieldsOf: FieldsOf): DayRule {
  const rule: DayRule = {
    freq,
    ...readAnyRule(fieldsOf),
    byWeekday: readAgreed(fieldsOf('byWeekday'), (field) => readWeekdays(field, LARGEST_NTH[freq])),
    byMonthDay: readAgreed(fieldsOf('byMonthDay'), (field) => readNumbers(field, { min: -31, max: 31 })),
    byMonth: readAgreed(fieldsOf('byMonth'), (field) => readNumbers(field, { min: 1, max: 12 })),
    bySetPos: readAgreed(fieldsOf('bySetPos'), (field) => readNumbers(field, { min: -366, max: 366 })),
    byTime: readAgreed(fieldsOf('byTime'), readTimes),
    weekStart: readAgreed(fieldsOf('weekStart'), (field) => readWeekdays(field, 0))[0]?.day ?? 1,
    clampToMonthEnd: false,
  };
  checkCombination(rule, fieldsOf);
  return rule;
}

/** The days and times of such a rule follow from its first moment alone. */
function readClockRule(freq: ClockFrequency, fieldsOf: FieldsOf): ClockRule {
  for (const { key, name, value } of DAY_PARTS.flatMap(fieldsOf)) {
    const isEmpty = Array.isArray(value) && value.length === 0;
    if (!isEmpty) throw new RuleError(key, `${name} has no place in an hourly or minutely rule.`);
  }
  const rule = { freq, ...readAnyRule(fieldsOf) };
  const hours = rule.from === 'completion' ? readHours(fieldsOf('between'), fieldsOf('perDay')) : null;
  return { ...rule, hours };
}

function readAnyRule(fieldsOf: FieldsOf) {
  return {
    interval: readAgreed(fieldsOf('interval'), (field) => readNumber(field, { min: 1, max: 1000 })) ?? 1,
    until: readAgreed(fieldsOf('until'), readUntil),
    count: readAgreed(fieldsOf('count'), (field) => readNumber(field, { min: 1, max: 10_000 })),
    from: readAgreed(fieldsOf('from'), readFrom),
  };
}

/** Rejects the combinations that RFC 5545 forbids, and times of the day that count from completion. */
function checkCombination(rule: DayRule, fieldsOf: FieldsOf): void {
  const reject = (name: FieldName, why: string) => {
    const [field] = fieldsOf(name);
    throw new RuleError(field?.key ?? name, `${field?.name ?? name} ${why}`);
  };
  if (rule.freq === 'weekly' && rule.byMonthDay.length > 0) reject('byMonthDay', 'has no place in a weekly rule.');
  const chosen = rule.byWeekday.length + rule.byMonthDay.length + rule.byMonth.length;
  if (rule.bySetPos.length > 0 && chosen === 0) {
    reject('bySetPos', 'chooses among weekdays, days or months, and none is given.');
  }
  if (rule.byTime.length > 0 && rule.from === 'completion') {
    reject('byTime', 'has no place in a rule that counts from completion.');
  }
}

const isClockFrequency = (freq: Frequency): freq is ClockFrequency => freq === 'hourly' || freq === 'minutely';

const FREQUENCIES: readonly Frequency[] = ['minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'];

const isFrequency = (freq: unknown): freq is Frequency => FREQUENCIES.includes(freq as Frequency);
