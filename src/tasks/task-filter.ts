/** Decides which tasks a search finds. */
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { foldText } from '../lib/fold-text.ts';
import type { ShownTask } from './shown-tasks.store.ts';

export interface TaskFilter {
  /** All of these words are in the title or the notes, in any case. */
  readonly q?: string | undefined;
  readonly kind?: string | undefined;
  /** The name or the id of a space. */
  readonly space?: string | undefined;
  /** A date or a date-time. The end includes its whole day if it is a date. */
  readonly due_from?: string | undefined;
  readonly due_until?: string | undefined;
}

type Matches = (task: ShownTask) => boolean;

/** `spaces`: the names of the owner's spaces by id. */
export function matcherOf(filter: TaskFilter, zone: string, spaces: ReadonlyMap<string, string>): Matches {
  const conditions: Matches[] = [];
  const from = momentOf('due_from', filter.due_from, zone)?.start;
  const until = momentOf('due_until', filter.due_until, zone)?.end;
  if (from) conditions.push(({ due_at }) => due_at !== null && due_at >= from);
  if (until) conditions.push(({ due_at }) => due_at !== null && due_at < until);
  if (filter.kind !== undefined) conditions.push(isKind(foldText(filter.kind)));
  if (filter.space !== undefined) conditions.push(isInSpace(foldText(filter.space), spaces));
  if (filter.q !== undefined) conditions.push(hasWords(foldText(filter.q).split(/\s+/)));
  return (task) => conditions.every((condition) => condition(task));
}

const isKind =
  (kind: string): Matches =>
  (task) =>
    foldText(task.kind) === kind;

const isInSpace =
  (space: string, spaces: ReadonlyMap<string, string>): Matches =>
  ({ space_id }) =>
    space_id !== null && [space_id, foldText(spaces.get(space_id) ?? '')].includes(space);

const hasWords =
  (words: readonly string[]): Matches =>
  ({ title, notes }) => {
    const text = foldText(`${title}\n${notes ?? ''}`);
    return words.every((word) => text.includes(word));
  };

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The start of the date or date-time, and the first moment after it. */
function momentOf(name: string, text: string | undefined, zone: string): { start: Date; end: Date } | undefined {
  if (text === undefined) return undefined;
  const isDate = DATE.test(text);
  const written = parseDateTime(isDate ? `${text}T00:00` : text);
  if (!written) {
    const msg = 'Input should be a valid ISO 8601 date or date-time';
    throw new InvalidInput({ type: 'datetime_parsing', loc: ['query', name], msg });
  }
  const start = toInstant(written, zone);
  if (!isDate) return { start, end: new Date(start.getTime() + 1) };
  return { start, end: toInstant({ ...written, wall: written.wall.add({ days: 1 }) }, zone) };
}
