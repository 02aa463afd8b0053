/** The filters of `calendar-query` (RFC 4791 §9.7), as a predicate over a task as it is written for apps. */
import { type ContentLine, lineValue, type RawComponent, unescapeText } from './content-lines.ts';
import { unknownFilter } from './dav-refusal.ts';
import type { EntryTimes } from './todo-writer.ts';
import { childOf, nameIn, type XmlElement } from './xml-reader.ts';
import { CALDAV } from './xml-writer.ts';

export interface FilteredEntry {
  readonly calendar: RawComponent;
  readonly times: EntryTimes;
}

export interface Filter {
  /** Whether every task matches, so that no text has to be looked at. */
  readonly takesAll: boolean;
  matches(entry: FilteredEntry): boolean;
}

const named = (name: string): string => nameIn(CALDAV, name);
const NOT_DEFINED = named('is-not-defined');
const TIME_RANGE = named('time-range');
const TEXT_MATCH = named('text-match');
const DEEPEST = 4;
const MOST_CONDITIONS = 50;

type Test = (component: RawComponent, times: EntryTimes) => boolean;

/** Throws a `DavRefusal` for a filter that we cannot follow. Without a filter every task matches. */
export function readFilter(filter: XmlElement | undefined): Filter {
  const outer = childOf(filter, named('comp-filter'));
  if (!outer) return { takesAll: true, matches: () => true };
  const counter = { left: MOST_CONDITIONS };
  const test = compTest(outer, counter, 1);
  const root = attributeOf(outer, 'name');
  const inner = outer.children;
  const isPlain = root === 'VCALENDAR' && inner.length <= 1 && inner.every((child) => isPlainTodo(child));
  return {
    takesAll: isPlain,
    matches: ({ calendar, times }) => (root === calendar.name ? test(calendar, times) : isAbsent(outer)),
  };
}

const isPlainTodo = (child: XmlElement): boolean =>
  child.name === named('comp-filter') && attributeOf(child, 'name') === 'VTODO' && child.children.length === 0;

const attributeOf = ({ attributes }: XmlElement, name: string): string => (attributes[name] ?? '').toUpperCase();

const isAbsent = (element: XmlElement): boolean => childOf(element, NOT_DEFINED) !== undefined;

function count(counter: { left: number }): void {
  counter.left -= 1;
  if (counter.left < 0) throw unknownFilter();
}

/** What has to hold for one component. */
function compTest(element: XmlElement, counter: { left: number }, depth: number): Test {
  count(counter);
  if (depth > DEEPEST) throw unknownFilter();
  const tests = element.children.map((child): Test => {
    switch (child.name) {
      case NOT_DEFINED:
        return () => false;
      case TIME_RANGE: {
        const range = readRange(child);
        return (component, times) => component.name !== 'VTODO' || overlaps(range, times);
      }
      case named('prop-filter'):
        return propTest(child, counter);
      case named('comp-filter'): {
        const name = attributeOf(child, 'name');
        const test = compTest(child, counter, depth + 1);
        return ({ parts }, times) => {
          const inside = parts.filter((part) => part.name === name);
          return isAbsent(child) ? inside.length === 0 : inside.some((part) => test(part, times));
        };
      }
      default:
        throw unknownFilter();
    }
  });
  return combine(element, tests);
}

const combine = (element: XmlElement, tests: readonly Test[]): Test =>
  element.attributes.test === 'anyof'
    ? (component, times) => tests.length === 0 || tests.some((test) => test(component, times))
    : (component, times) => tests.every((test) => test(component, times));

function propTest(element: XmlElement, counter: { left: number }): Test {
  count(counter);
  const name = attributeOf(element, 'name');
  const linesOf = (component: RawComponent) => component.lines.filter((line) => line.name === name);
  if (isAbsent(element)) return (component) => linesOf(component).length === 0;
  const tests = element.children.map((child): ((line: ContentLine, times: EntryTimes) => boolean) => {
    switch (child.name) {
      case TEXT_MATCH: {
        const matches = textTest(child, counter);
        return (line) => matches(unescapeText(lineValue(line)));
      }
      case TIME_RANGE: {
        const [range, time] = [readRange(child), timeNamed(name)];
        return (_line, times) => isWithin(range, times[time]);
      }
      case named('param-filter'):
        return paramTest(child, counter);
      default:
        throw unknownFilter();
    }
  });
  return (component, times) => linesOf(component).some((line) => tests.every((test) => test(line, times)));
}

function paramTest(element: XmlElement, counter: { left: number }): (line: ContentLine) => boolean {
  count(counter);
  const name = attributeOf(element, 'name');
  const match = childOf(element, TEXT_MATCH);
  const test = match ? textTest(match, counter) : () => true;
  return (line) => {
    const parameters = line.text.slice(0, line.text.length - lineValue(line).length - 1).split(';');
    const found = parameters.find((parameter) => parameter.toUpperCase().startsWith(`${name}=`));
    if (isAbsent(element)) return found === undefined;
    return found !== undefined && test(found.slice(name.length + 1).replaceAll('"', ''));
  };
}

const COLLATIONS: readonly (string | undefined)[] = [undefined, 'i;ascii-casemap', 'i;unicode-casemap', 'i;octet'];

function textTest({ attributes, text }: XmlElement, counter: { left: number }): (value: string) => boolean {
  count(counter);
  if (!COLLATIONS.includes(attributes.collation)) throw unknownFilter();
  const folded = attributes.collation === 'i;octet' ? (value: string) => value : (value: string) => value.toLowerCase();
  const wanted = folded(text);
  const isNegated = attributes['negate-condition'] === 'yes';
  const isWhole = attributes['match-type'] === 'equals';
  return (value) => (isWhole ? folded(value) === wanted : folded(value).includes(wanted)) !== isNegated;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

function readRange({ attributes }: XmlElement): Range {
  return { from: instantOf(attributes.start, -Infinity), to: instantOf(attributes.end, Infinity) };
}

function instantOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const at = Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(at)) throw unknownFilter();
  return at;
}

const isWithin = ({ from, to }: Range, at: number | null): boolean => at !== null && at >= from && at < to;

const TIMES: Readonly<Record<string, keyof EntryTimes>> = {
  DTSTART: 'start',
  DUE: 'due',
  COMPLETED: 'completed',
  CREATED: 'created',
};

function timeNamed(name: string): keyof EntryTimes {
  const time = TIMES[name];
  if (time === undefined) throw unknownFilter();
  return time;
}

/** RFC 4791 §9.9, the table for VTODO. */
function overlaps({ from, to }: Range, { start, due, completed, created }: EntryTimes): boolean {
  if (start !== null && due !== null) return (from < due || from <= start) && (to > start || to >= due);
  if (due !== null) return from < due && to >= due;
  if (completed !== null) return (from <= created || from <= completed) && (to >= created || to >= completed);
  return to > created;
}
