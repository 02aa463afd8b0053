/**
 * What a task and a VTODO have in common, in a form in which the two are compared. A key is equal if and only if the
 * field means the same.
 */
import { shortHash } from '../lib/short-hash.ts';
import type { Task } from '../tasks/task-state.ts';

/** The groups of properties that are fields of a task here. */
export const FIELDS = ['title', 'notes', 'due', 'rule', 'label', 'status'] as const;
export type FieldName = (typeof FIELDS)[number];
export type FieldKeys = Readonly<Record<FieldName, string>>;

/** The columns that the text is written from. */
export const WRITTEN = [
  'id',
  'title',
  'notes',
  'kind',
  'due_at',
  'due_written',
  'has_time',
  'recurrence',
  'series_first',
  'status',
  'completed_at',
  'created_at',
  'occurrence_started_at',
  'run_started_at',
] as const;

export type WrittenTask = Pick<Task, (typeof WRITTEN)[number]>;

export type DueColumns = Pick<Task, 'due_at' | 'due_written' | 'has_time'>;

/** The label of a task that has none. */
export const NO_LABEL = 'todo';

/** Some programs read a control character as the end of a line, and the text after it as a property. */
export const withoutControls = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, ' ');

/** Apps trim texts. */
export const textKey = (text: string | null): string => withoutControls(text ?? '').trim();

/** The day of a task without a time, the second of one with a time, and nothing without a date. */
export function dueKeyOf({ due_at, due_written, has_time }: DueColumns): string {
  if (due_at === null || due_written === null) return '';
  return has_time ? secondOf(due_at) : due_written.slice(0, 10);
}

export const secondOf = (moment: Date): string => String(Math.floor(moment.getTime() / 1_000));

/** A second before 1970 begins with a minus. */
export const isDay = (key: string): boolean => /^\d{4}-/.test(key);

/** Apps write the parts of a rule in any order, and some leave out what is the default. */
export function ruleKey(rrule: string): string {
  const parts = rrule
    .toUpperCase()
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== 'INTERVAL=1' && part !== 'WKST=MO')
    .map((part) => part.replace(/^(BY[A-Z]+=)(.*)$/, (_, name: string, list: string) => name + sorted(list)));
  return parts.sort().join(';');
}

const sorted = (list: string): string => list.split(',').sort().join(',');

/** The same series, whatever is left of it: some apps count COUNT down. */
export const isSameSeries = (key: string, other: string): boolean => withoutEnd(key) === withoutEnd(other);

const withoutEnd = (key: string): string =>
  key
    .split(';')
    .filter((part) => !/^(?:COUNT|UNTIL)=/.test(part))
    .join(';');

const HASH_LENGTH = 8;
const hash = (text: string): string => shortHash(text, HASH_LENGTH);

/**
 * Tells what an app had before its user changed something. Every VTODO carries it in a property of its own, and apps
 * that keep unknown properties send it back, so a change is told from an old copy even without If-Match.
 */
export const BASE = 'X-CRESCENDO-BASE';

export const writeBase = (keys: FieldKeys): string => `1.${FIELDS.map((name) => hash(keys[name])).join('.')}`;

/** Hashes by field. */
export type Base = Readonly<Record<FieldName, string>>;

export function readBase(text: string | undefined): Base | undefined {
  const [version, ...hashes] = (text ?? '').trim().split('.');
  if (version !== '1' || hashes.length !== FIELDS.length) return undefined;
  return Object.fromEntries(FIELDS.map((name, index) => [name, hashes[index]])) as Base;
}

export const baseOf = (keys: FieldKeys): Base => readBase(writeBase(keys)) as Base;

export const isChanged = (base: Base, keys: FieldKeys, name: FieldName): boolean => base[name] !== hash(keys[name]);
