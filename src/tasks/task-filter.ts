/** Decides which tasks a search finds. */
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { foldText } from '../lib/fold-text.ts';
import { beginsWord, type FoldedWord, foldedText, foldedWords, hasWord } from '../words/fold-letters.ts';
import type { ShownTask } from './shown-tasks.store.ts';

export interface TaskFilter {
  /** Words of the title, the notes or the kind, compared by `words/fold-letters.ts`. */
  readonly q?: string | undefined;
  /** Whether a task needs all of the words, or is found with some of them too. */
  readonly match?: 'all' | 'some' | undefined;
  readonly kind?: string | undefined;
  /** The name or the id of a space. */
  readonly space?: string | undefined;
  /** A date or a date-time. The end includes its whole day if it is a date. */
  readonly due_from?: string | undefined;
  readonly due_until?: string | undefined;
}

type Matches = (task: ShownTask) => boolean;

/** How well a task matches: lower is better. Undefined if it does not. */
export type Rank = (task: ShownTask) => number | undefined;

/** Whether a task of this rank has all words. */
export const hasAllWords = (rank: number): boolean => rank < RANKS_PER_WORD;

/** `spaces`: the names of the owner's spaces by id. */
export function rankOf(filter: TaskFilter, zone: string, spaces: ReadonlyMap<string, string>): Rank {
  const conditions: Matches[] = [];
  const from = momentOf('due_from', filter.due_from, zone)?.start;
  const until = momentOf('due_until', filter.due_until, zone)?.end;
  if (from) conditions.push(({ due_at }) => due_at !== null && due_at >= from);
  if (until) conditions.push(({ due_at }) => due_at !== null && due_at < until);
  if (filter.kind !== undefined) conditions.push(isKind(foldText(filter.kind)));
  if (filter.space !== undefined) conditions.push(isInSpace(foldText(filter.space), spaces));
  const byWords = filter.q === undefined ? () => 0 : rankByWords(foldedWords(filter.q), filter.match === 'some');
  return (task) => (conditions.every((condition) => condition(task)) ? byWords(task) : undefined);
}

const isKind =
  (kind: string): Matches =>
  (task) =>
    foldText(task.kind) === kind;

const isInSpace =
  (space: string, spaces: ReadonlyMap<string, string>): Matches =>
  ({ space_id }) =>
    space_id !== null && [space_id, foldText(spaces.get(space_id) ?? '')].includes(space);

const RANKS_PER_WORD = 2;
const USUAL_KIND = 'todo';

/** First by how many words are missing, then by whether those found are all in the title. */
function rankByWords(words: readonly FoldedWord[], mayMiss: boolean): Rank {
  const telling = mayMiss ? words.filter(isTelling) : [];
  return (task) => {
    const [title, rest] = [foldedText(task.title), foldedText(restOf(task))];
    const isHere = (word: FoldedWord) => hasWord(title, word) || hasWord(rest, word);
    if (words.every(isHere)) return words.every((word) => hasWord(title, word)) ? 0 : 1;
    const found = telling.filter((word) => beginsWord(title, word) || beginsWord(rest, word));
    if (found.length === 0) return undefined;
    const missing = Math.max(1, words.length - found.length);
    return missing * RANKS_PER_WORD + (found.every((word) => beginsWord(title, word)) ? 0 : 1);
  };
}

const restOf = ({ notes, kind }: ShownTask): string => [notes ?? '', kind === USUAL_KIND ? '' : kind].join('\n');

const FILLERS = new Set(
  'the and for with from about that this have will der die das und mit für von les des une'.split(' '),
);

/** Words that are in nearly every text say nothing if the others are missing. */
const isTelling = ([word = '']: FoldedWord): boolean => !(FILLERS.has(word) || /^[a-z]{1,2}$/.test(word));

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
