/** Labels: the kind of a task, as a word with a colour. The browser stores the colours, the service the words. */
import type { Task } from '../api/client.ts';
import { Store, useStore } from '../data/store.ts';

/** The service's word for a task without a label. */
export const NO_LABEL = 'todo';
export const COLOUR_COUNT = 8;

const KEY = 'crescendo-label-colours';

type Colours = Readonly<Record<number, number>>;

const chosen = new Store<Colours>(readColours());

function readColours(): Colours {
  try {
    const stored: unknown = JSON.parse(globalThis.localStorage?.getItem(KEY) ?? '{}');
    return typeof stored === 'object' && stored !== null ? (stored as Colours) : {};
  } catch {
    return {};
  }
}

/** Stored by number, so that a browser that was signed out keeps no words of the account. */
function hashOf(label: string): number {
  let hash = 0;
  for (const letter of label) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 2_147_483_647;
  return hash;
}

export function chooseColour(label: string, colour: number): void {
  chosen.set({ ...chosen.value, [hashOf(label)]: colour });
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen.value));
  } catch {
    // A browser that stores nothing shows the colour until the page is closed.
  }
}

export const useLabelColours = (): Colours => useStore(chosen);

/** A label without a chosen colour gets one computed from its letters: the same in every browser. */
export function colourOf(label: string, colours: Colours): number {
  const hash = hashOf(label);
  const own = colours[hash];
  return own !== undefined && own >= 0 && own < COLOUR_COUNT ? own : hash % COLOUR_COUNT;
}

/** The labels of the tasks with how many have each, in alphabetical order. */
export function countLabels(tasks: Iterable<Pick<Task, 'kind'>>): [label: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { kind } of tasks) if (kind !== NO_LABEL) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}
