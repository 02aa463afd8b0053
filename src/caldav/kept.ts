/** What is kept of the text that an app sent, as it is stored. */
import { shortHash } from '../lib/short-hash.ts';
import { readComponents } from './content-lines.ts';
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

function areLines({ rest, lines, zones }: Kept): boolean {
  const body = [rest, ...FIELDS.map((name) => lines[name])].join('');
  const [calendar, ...others] = readComponents(
    `BEGIN:VCALENDAR\r\n${Object.values(zones).join('')}BEGIN:VTODO\r\n${body}END:VTODO\r\nEND:VCALENDAR\r\n`,
  );
  return others.length === 0 && calendar?.parts.filter(({ name }) => name === 'VTODO').length === 1;
}
