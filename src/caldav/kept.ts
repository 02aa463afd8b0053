/** What is kept of the text that an app sent, as it is stored. */
import { shortHash } from '../lib/short-hash.ts';
import { type RawComponent, readComponents } from './content-lines.ts';
import { FIELDS } from './todo-fields.ts';
import type { Kept } from './todo-reader.ts';

/** Stands for the text in the tag of a task. */
export const hashOfKept = (text: string): string => shortHash(text, 43);

/** Whether an archive has what could be stored here. It is written into the texts of its owner's apps, so it has to be lines. */
export function isKept(text: string): boolean {
  try {
    const kept: Kept = JSON.parse(text);
    const { rest, lines, keys, zones, categories } = kept;
    const texts = [
      rest,
      ...FIELDS.flatMap((name) => [lines[name], keys[name]]),
      ...Object.values(zones),
      ...categories,
    ];
    const isText = texts.every((value) => typeof value === 'string');
    const isRest =
      (kept.recurrence === null || typeof kept.recurrence === 'string') &&
      (kept.startsBefore === null || Number.isSafeInteger(kept.startsBefore)) &&
      typeof kept.isHigh === 'boolean';
    return isText && isRest && Array.isArray(categories) && areLines(kept);
  } catch {
    return false;
  }
}

/** Each text has to be whole by itself: the writer puts them in another order, and our own lines between them. */
function areLines({ rest, lines, zones }: Kept): boolean {
  const areInTodo = [rest, ...FIELDS.map((name) => lines[name])].every((text) => partsWithin('VTODO', text));
  return areInTodo && Object.values(zones).every((text) => isOneZone(partsWithin('VCALENDAR', text)));
}

/** Undefined if the text ends the component that it stands in. */
function partsWithin(name: string, text: string): readonly RawComponent[] | undefined {
  const [component, ...others] = readComponents(`BEGIN:${name}\r\n${text}END:${name}\r\n`);
  return others.length === 0 ? component?.parts : undefined;
}

const isOneZone = (parts: readonly RawComponent[] = []): boolean =>
  parts.length === 1 && parts[0]?.name === 'VTIMEZONE';
