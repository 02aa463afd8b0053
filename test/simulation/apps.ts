/**
 * An app on the person's phone or desk that syncs by CalDAV: it keeps a copy of every task with its tag, and changes the
 * copy without asking. One of the two kinds proves by If-Match what it knew and asks for changes by token, as Thunderbird
 * and DAVx5 do; the other sends what it has and compares tags, as Tasks.org does.
 */
import type { ModelTask, Rule } from './model/task.ts';
import { DAY_MS, instantOf, startOfDay, wallAt } from './model/zone.ts';

export interface App {
  readonly owner: string;
  readonly name: string;
  readonly isStrict: boolean;
  /** By list: the token, and the copies by the names of their addresses. */
  readonly lists: Map<string, { token: string; readonly copies: Map<string, Copy> }>;
  /** What its user has written and the service has not answered for. */
  readonly drafts: Draft[];
}

export interface Copy {
  readonly taskId: string;
  readonly list: string;
  readonly name: string;
  readonly tag: string;
  readonly text: string;
  /** What its user did to it since. */
  readonly change?: AppChange;
}

/** The ways in which apps say "done", by the letters of `src/caldav/planned-change.ts`. */
export type DoneForm = 'A' | 'B' | 'C' | 'D' | 'E';

export type AppChange =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'due'; readonly due: number }
  | DoneChange
  | { readonly kind: 'reopen' }
  | { readonly kind: 'delete' };

export interface DoneChange {
  readonly kind: 'done';
  readonly form: DoneForm;
  /** How many dates the app goes on in its series. */
  readonly dates: number;
  /** With form A, the app leaves a copy of the occurrence behind. */
  readonly detaches?: boolean;
  /** Its user changed that too, in one go. */
  readonly title?: string;
}

export interface Draft {
  readonly list: string;
  readonly name: string;
  readonly text: string;
}

/** What an app shows of a task. */
export interface Facts {
  readonly title: string;
  /** A day, a second, or nothing. */
  readonly due: string;
  readonly status: 'open' | 'done';
}

const START = 'BEGIN:VTODO\r\n';
const END = 'END:VTODO\r\n';

export const factsOf = (text: string): Facts => ({
  title: textIn(text, 'SUMMARY') ?? '',
  due: dueKey(text),
  status: textIn(text, 'STATUS') === 'COMPLETED' ? 'done' : 'open',
});

export const factsOfTask = ({ title, due, hasTime, status }: ModelTask): Facts => ({
  title,
  due: due === null ? '' : hasTime ? String(Math.floor(due / 1_000)) : new Date(due).toISOString().slice(0, 10),
  status: status === 'done' ? 'done' : 'open',
});

export const isSame = (a: Facts, b: Facts): boolean => a.title === b.title && a.due === b.due && a.status === b.status;

export const tell = ({ title, due, status }: Facts): string => `“${title}”, ${status}, due ${due || 'never'}`;

/** The line of a property of the task, without its name. */
function lineOf(text: string, name: string): string | undefined {
  const todo = text.slice(text.indexOf(START) + START.length, text.indexOf(END)).replaceAll(/\r\n[ \t]/g, '');
  return todo
    .split('\r\n')
    .find((line) => new RegExp(`^${name}[;:]`).test(line))
    ?.slice(name.length);
}

const textIn = (text: string, name: string): string | undefined => lineOf(text, name)?.replace(/^[^:]*:/, '');

function withLine(text: string, name: string, line: string | null): string {
  const [before = '', todo = '', after = ''] = [
    text.slice(0, text.indexOf(START) + START.length),
    text.slice(text.indexOf(START) + START.length, text.indexOf(END)),
    text.slice(text.indexOf(END)),
  ];
  const rest = todo.replace(new RegExp(`^${name}[;:].*\\r\\n(?:[ \\t].*\\r\\n)*`, 'm'), '');
  return `${before}${rest}${line === null ? '' : `${name}${line}\r\n`}${after}`;
}

const compact = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}`;
const dayLine = (day: number): string => `;VALUE=DATE:${compact(day).slice(0, 8)}`;

/** The wall time as if it were UTC, and the zone of a date-time. */
function readDate(line: string): { readonly wall: number; readonly zone: string | undefined } {
  const [, year, month, day, hour, minute, second] = /(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d))?Z?$/.exec(line) ?? [];
  const wall = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour ?? 0), Number(minute ?? 0));
  const zone = line.endsWith('Z') ? 'UTC' : /TZID=([^:;]+)/.exec(line)?.[1];
  return { wall: wall + Number(second ?? 0) * 1_000, zone };
}

function dueKey(text: string): string {
  const line = lineOf(text, 'DUE');
  if (line === undefined) return '';
  const { wall, zone } = readDate(line);
  return zone === undefined ? new Date(wall).toISOString().slice(0, 10) : String(instantOf(zone, wall) / 1_000);
}

export const isAllDay = (text: string): boolean => /VALUE=DATE:/.test(lineOf(text, 'DUE') ?? '');

export const dueOfText = (text: string): number | null => {
  const key = dueKey(text);
  return key === '' ? null : key.includes('-') ? Date.parse(key) : Number(key) * 1_000;
};

/** As the model has rules; an app sees no other ones. */
export function ruleOfText(text: string): Rule | null {
  const rule = textIn(text, 'RRULE');
  const freq = /FREQ=(DAILY|WEEKLY)/.exec(rule ?? '')?.[1]?.toLowerCase();
  if (freq !== 'daily' && freq !== 'weekly') return null;
  return { freq, interval: Number(/INTERVAL=(\d+)/.exec(rule ?? '')?.[1] ?? 1), from: 'due' };
}

export const labelOfText = (text: string): string => textIn(text, 'CATEGORIES')?.split(',')[0] ?? 'todo';

/** The line of a date after the one that it has; undefined if the app cannot tell it by adding days. */
function nextDate(text: string, zone: string, dates = 1): string | undefined {
  const [rule, line] = [ruleOfText(text), lineOf(text, 'DUE')];
  if (!rule || line === undefined) return undefined;
  const date = readDate(line);
  const next = date.wall + dates * rule.interval * (rule.freq === 'daily' ? 1 : 7) * DAY_MS;
  if (date.zone === undefined) return dayLine(next);
  // Clocks skip some times.
  if (date.zone !== zone || wallAt(zone, instantOf(zone, next)) !== next) return undefined;
  return line.endsWith('Z') ? `:${compact(next)}Z` : `;TZID=${zone}:${compact(next)}`;
}

/** How the app can say that this is done. */
export function formsOf(text: string, zone: string): DoneForm[] {
  if (!ruleOfText(text)) return ['B'];
  return [1, 2].some((dates) => nextDate(text, zone, dates) === undefined)
    ? ['B', 'C', 'D']
    : ['A', 'A', 'B', 'C', 'D', 'E'];
}

/** The text that the app stores for a change. */
export function textAfter({ text }: Copy, change: AppChange, zone: string): string {
  switch (change.kind) {
    case 'title':
      return withLine(text, 'SUMMARY', `:${change.title}`);
    case 'due':
      return withLine(text, 'DUE', isAllDay(text) ? dayLine(startOfDay(change.due)) : `:${compact(change.due)}Z`);
    case 'done': {
      const titled = change.title === undefined ? text : withLine(text, 'SUMMARY', `:${change.title}`);
      return doneText(titled, change.form, nextDate(text, zone, change.dates) ?? '');
    }
    case 'reopen':
      return withLine(withLine(withLine(text, 'STATUS', ':NEEDS-ACTION'), 'COMPLETED', null), 'PERCENT-COMPLETE', null);
    case 'delete':
      return text;
  }
}

function doneText(text: string, form: DoneForm, next: string): string {
  const completed = withLine(text, 'STATUS', ':COMPLETED');
  switch (form) {
    case 'A':
      return withLine(text, 'DUE', next);
    case 'B':
      return completed;
    case 'C': {
      const [uid, due] = [lineOf(text, 'UID'), lineOf(text, 'DUE')];
      const override = `UID${uid}\r\nRECURRENCE-ID${due}\r\nSTATUS:COMPLETED\r\n`;
      return text.replace(END, () => `${END}${START}${override}${END}`);
    }
    case 'D':
      return withLine(completed, 'RRULE', null);
    case 'E':
      return withLine(text, 'X-KDE-LIBKCAL-DTRECURRENCE', next);
  }
}

/** The series that form D goes on with, under a name of its own. */
export function laterSeries(copy: Copy, uid: string, zone: string): Draft {
  const moved = withLine(withLine(copy.text, 'DUE', nextDate(copy.text, zone) ?? ''), 'UID', `:${uid}`);
  return { list: copy.list, name: `${uid}.ics`, text: withLine(moved, 'X-CRESCENDO-BASE', null) };
}

/** The copy of the occurrence that some apps leave behind with form A. */
export function detachedCopy(copy: Copy, uid: string): Draft {
  const done = withLine(withLine(withLine(copy.text, 'STATUS', ':COMPLETED'), 'RRULE', null), 'UID', `:${uid}`);
  return { list: copy.list, name: `${uid}.ics`, text: withLine(done, 'X-CRESCENDO-BASE', null) };
}

export function newDraft(list: string, uid: string, title: string, due: number | null, rule: Rule | null): Draft {
  const lines = [
    `UID:${uid}`,
    `SUMMARY:${title}`,
    ...(due === null ? [] : [`DUE:${compact(due)}Z`]),
    ...(rule ? [`RRULE:FREQ=${rule.freq.toUpperCase()};INTERVAL=${rule.interval}`] : []),
    'STATUS:NEEDS-ACTION',
  ];
  const todo = lines.map((line) => `${line}\r\n`).join('');
  const text = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//An app\r\n${START}${todo}${END}END:VCALENDAR\r\n`;
  return { list, name: `${uid}.ics`, text };
}
