/**
 * What every reader of another app's file returns: tasks in the archive's form, remarks about what was not understood,
 * and a note for everything that is left out on purpose. A reader is pure: bytes in, entries out.
 */
import { InvalidInput } from '../../lib/errors.ts';
import { idFromWords } from '../../lib/ids.ts';
import { fitTitle, joinNotes } from '../../words/fit-title.ts';

export const SOURCES = [
  'todoist',
  'ticktick',
  'tasks_org',
  'google_tasks',
  'vikunja',
  'remember_the_milk',
  'icalendar',
  'crescendo',
] as const;
export type Source = (typeof SOURCES)[number];

/** What a file has and a task here has no place for. */
export const LEFT_OUT = [
  'subtasks',
  'attachments',
  'sections',
  'durations',
  'priorities',
  'people',
  'reminders',
  'tags',
  'events',
  'deleted',
  'locations',
  'long_notes',
  'account',
] as const;
export type LeftOut = (typeof LEFT_OUT)[number];

export interface ForeignTask {
  readonly kind: 'task';
  /** Its list or project in the other app. */
  readonly list: string | null;
  /** Where it stands in the file: `row 12`. */
  readonly at: string;
  /** In the archive's form. It is validated later, like every archived task. */
  readonly task: Readonly<Record<string, unknown>>;
}

export interface Remark {
  readonly kind: 'remark';
  readonly at: string;
  readonly title: string | null;
  /** A sentence about what was not understood, and what becomes of it. */
  readonly says: string;
}

/** Counted, not listed. */
interface Omission {
  readonly kind: 'left_out';
  readonly what: LeftOut;
}

export type ReadEntry = ForeignTask | Remark | Omission;

export interface ReaderContext {
  /** The time zone of the account, for date-times without one. */
  readonly zone: string;
  readonly now: Date;
}

export const remark = (at: string, title: string | null, says: string): Remark => ({
  kind: 'remark',
  at,
  title,
  says,
});

export const leftOut = (what: LeftOut): ReadEntry => ({ kind: 'left_out', what });

export const leftOutTimes = (what: LeftOut, count: number): ReadEntry[] =>
  Array.from({ length: count }, () => leftOut(what));

/** The file as a whole cannot be read. `place` is where: `row 12`, `data.json`. */
export const unreadable = (msg: string, place?: string) =>
  new InvalidInput({ type: 'file_invalid', loc: ['body'], msg: place === undefined ? msg : `${msg} (${place})` });

/** The fields that a task of another app can have. Instants and due dates are texts, as in the archive. */
export interface ForeignFields {
  readonly title: string;
  /** Parts of the notes, each on lines of its own. */
  readonly notes?: readonly (string | null | undefined)[];
  readonly tags?: readonly string[];
  readonly due?: { readonly text: string; readonly hasTime: boolean } | undefined;
  readonly recurrence?: Readonly<Record<string, unknown>> | undefined;
  /** How long before it is due, in minutes. */
  readonly headsUpMinutes?: readonly number[];
  /** The other app calls it unimportant. */
  readonly isLow?: boolean;
  readonly createdAt?: string | undefined;
  readonly completedAt?: string | undefined;
  readonly isDone?: boolean;
}

/** Far more than the notes hold, so that cutting them to their length costs little. */
const LONGEST_TEXT = 25_000;
const MOST_HEADS_UPS = 5;
const LONGEST_LABEL = 100;
const DAY_MINUTES = 1_440;
const LONGEST_HEADS_UP_DAYS = 30;

/** `key` identifies the task in its source: the same key is the same task in every import. */
export function toArchived(
  key: readonly string[],
  fields: ForeignFields,
  now: Date,
): Readonly<Record<string, unknown>> {
  const { due, recurrence, isLow = false, isDone = false } = fields;
  const { title, rest } = fitTitle(oneLine(fields.title.slice(0, LONGEST_TEXT)));
  const { kind, note } = labelFields(fields.tags ?? []);
  const notes = [...(fields.notes ?? []), note];
  const closedAt = fields.completedAt ?? now.toISOString();
  const createdAt = fields.createdAt ?? (isDone ? closedAt : undefined);
  return {
    id: idFromWords(...key),
    title,
    notes: joinNotes(rest, ...notes.map((part) => cleanText((part ?? '').slice(0, LONGEST_TEXT)).trim())),
    ...(kind !== undefined && { kind }),
    due_at: due?.text ?? null,
    has_time: due?.hasTime ?? false,
    recurrence: isDone || due === undefined ? null : (recurrence ?? null),
    ...headsUpFields(fields.headsUpMinutes ?? []),
    mode: isLow ? 'notify_once' : 'escalate',
    ...(createdAt !== undefined && { created_at: createdAt, updated_at: createdAt }),
    ...(isDone && {
      status: 'done',
      completed_at: closedAt,
      closed_at: closedAt,
      outcomes: [{ outcome: 'done', recorded_at: closedAt }],
    }),
  };
}

/** A task has one label. If the other app has several, the first is the label and the notes list all of them. */
export function labelFields(tags: readonly string[]): { readonly kind?: string; readonly note: string } {
  const [kind, ...others] = tags.map(toLabel).filter((tag) => tag !== '');
  if (kind === undefined) return { note: '' };
  return { kind, note: others.length > 0 ? `Labels: ${[kind, ...others].join(', ')}` : '' };
}

/** A day or more becomes days, which come at the start of the person's day; what is shorter stays in minutes. */
export function headsUpFields(minutes: readonly number[]) {
  const before = [...new Set(minutes)].filter((one) => one >= 1).sort((a, b) => b - a);
  const days = before.filter((one) => one >= DAY_MINUTES);
  const short = before.filter((one) => one < DAY_MINUTES).slice(0, MOST_HEADS_UPS);
  const [first] = days;
  return {
    ...(first !== undefined && {
      lead_time_days: Math.min(LONGEST_HEADS_UP_DAYS, Math.floor(first / DAY_MINUTES)),
    }),
    ...(short.length > 0 && { heads_ups: short.map((one) => ({ minutes: one })) }),
  };
}

/** What no text of a task may contain. */
export const cleanText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

const oneLine = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ').trim();

function toLabel(tag: string): string {
  const label = oneLine(tag);
  return label.length <= LONGEST_LABEL ? label : [...label].slice(0, LONGEST_LABEL).join('').trim();
}

/** Tells apart tasks of one file that have the same text: the second of them is always the second. */
export class Repetitions {
  readonly #seen = new Map<string, number>();

  /** The words, and the number of the repetition from the second on. */
  keyOf(...words: readonly string[]): string[] {
    const key = JSON.stringify(words);
    const count = this.#seen.get(key) ?? 0;
    this.#seen.set(key, count + 1);
    return count === 0 ? [...words] : [...words, String(count + 1)];
  }
}

/** ISO 8601 of an instant in milliseconds; undefined for none, and for one outside of the calendar. */
export function instantText(milliseconds: unknown): string | undefined {
  if (typeof milliseconds !== 'number' || !Number.isFinite(milliseconds) || milliseconds <= 0) return undefined;
  return milliseconds < LAST_INSTANT ? new Date(milliseconds).toISOString() : undefined;
}

const LAST_INSTANT = Date.parse('9999-12-30T00:00:00Z');

/** The wall-clock time of an instant in a zone, without an offset: `2026-10-05T07:00:00`. */
export const wallText = (instant: string, zone: string): string =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: 'second' });
