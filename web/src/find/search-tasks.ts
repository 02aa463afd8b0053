/**
 * Finds tasks by words in their title, notes, label and space. Pure, and quick enough for every key press: a task is
 * prepared once for as long as it does not change, and a search only compares prepared text.
 */
import { type FoldedWord, foldedText, foldedWords, foldLetters, hasWord } from '../../../src/words/fold-letters.ts';
import type { Task } from '../api/client.ts';

interface Entry {
  readonly task: Task;
  readonly title: string;
  /** The notes and the label. */
  readonly rest: string;
  readonly due: number;
}

export interface SearchIndex {
  readonly entries: readonly Entry[];
  readonly spaceNames: ReadonlyMap<string, string>;
}

export interface SearchResult {
  readonly tasks: readonly Task[];
  /** How many tasks match, shown or not. */
  readonly found: number;
}

/** Sync keeps the object of a task that did not change, so its entry is found again. */
const prepared = new WeakMap<Task, Entry>();

function entryOf(task: Task): Entry {
  const known = prepared.get(task);
  if (known) return known;
  const due = task.due_at === null ? Number.POSITIVE_INFINITY : Date.parse(task.due_at);
  // The space before the title makes "begins a word" a plain search for " word".
  const entry = {
    task,
    title: foldedText(` ${task.title}`),
    rest: foldedText(`${task.notes ?? ''} ${task.kind}`),
    due,
  };
  prepared.set(task, entry);
  return entry;
}

export function buildIndex(
  tasks: Iterable<Task>,
  spaces: readonly { readonly id: string; readonly name: string }[],
): SearchIndex {
  const entries = Array.from(tasks, entryOf).sort((a, b) => (a.due === b.due ? 0 : a.due - b.due));
  return { entries, spaceNames: new Map(spaces.map(({ id, name }) => [id, foldedText(name)])) };
}

const RANKS = 4;

/** All words must match. Titles come before notes, and open tasks before closed ones. */
export function searchTasks({ entries, spaceNames }: SearchIndex, query: string, limit: number): SearchResult {
  const words = foldedWords(query);
  const begin = ` ${foldLetters(query).trim()}`;
  if (words.length === 0) return { tasks: [], found: 0 };
  const ranked: Task[][] = Array.from({ length: RANKS * 2 }, () => []);
  let found = 0;
  for (const entry of entries) {
    const space = spaceNames.get(entry.task.space_id ?? '') ?? '';
    const rank = rankOf(entry, space, words, begin);
    if (rank === undefined) continue;
    found += 1;
    ranked[entry.task.status === 'open' ? rank : rank + RANKS]?.push(entry.task);
  }
  return { tasks: ranked.flat().slice(0, limit), found };
}

function rankOf(
  { title, rest }: Entry,
  space: string,
  words: readonly FoldedWord[],
  begin: string,
): number | undefined {
  if (!words.every((word) => hasWord(title, word) || hasWord(rest, word) || hasWord(space, word))) return undefined;
  if (title.startsWith(begin)) return 0;
  if (words.every((word) => word.some((spelling) => title.includes(` ${spelling}`)))) return 1;
  return words.every((word) => hasWord(title, word)) ? 2 : 3;
}
