/**
 * Finds tasks by words in their title, notes, label and space. Pure, and quick enough for every key press: a task is
 * prepared once for as long as it does not change, and a search only compares prepared text.
 */
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

/** Upper and lower case and accents do not matter. */
const normalise = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function entryOf(task: Task): Entry {
  const known = prepared.get(task);
  if (known) return known;
  const due = task.due_at === null ? Number.POSITIVE_INFINITY : Date.parse(task.due_at);
  // The space before the title makes "begins a word" a plain search for " word".
  const entry = { task, title: normalise(` ${task.title}`), rest: normalise(`${task.notes ?? ''} ${task.kind}`), due };
  prepared.set(task, entry);
  return entry;
}

export function buildIndex(
  tasks: Iterable<Task>,
  spaces: readonly { readonly id: string; readonly name: string }[],
): SearchIndex {
  const entries = Array.from(tasks, entryOf).sort((a, b) => (a.due === b.due ? 0 : a.due - b.due));
  return { entries, spaceNames: new Map(spaces.map(({ id, name }) => [id, normalise(name)])) };
}

const RANKS = 4;

/** All words must match. Titles come before notes, and open tasks before closed ones. */
export function searchTasks({ entries, spaceNames }: SearchIndex, query: string, limit: number): SearchResult {
  const words = normalise(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return { tasks: [], found: 0 };
  const ranked: Task[][] = Array.from({ length: RANKS * 2 }, () => []);
  let found = 0;
  for (const entry of entries) {
    const space = spaceNames.get(entry.task.space_id ?? '') ?? '';
    const rank = rankOf(entry, space, words);
    if (rank === undefined) continue;
    found += 1;
    ranked[entry.task.status === 'open' ? rank : rank + RANKS]?.push(entry.task);
  }
  return { tasks: ranked.flat().slice(0, limit), found };
}

function rankOf({ title, rest }: Entry, space: string, words: readonly string[]): number | undefined {
  if (!words.every((word) => title.includes(word) || rest.includes(word) || space.includes(word))) return undefined;
  if (title.startsWith(` ${words.join(' ')}`)) return 0;
  if (words.every((word) => title.includes(` ${word}`))) return 1;
  return words.every((word) => title.includes(word)) ? 2 : 3;
}
