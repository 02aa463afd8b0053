/** Labels: the kind of a task, as a word with a colour. The account has the colours that the person chose. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, type LabelColour, type Task, unwrap } from '../api/client.ts';
import { alphabetical } from '../data/alphabetical.ts';

/** The service's word for a task without a label. */
export const NO_LABEL = 'todo';
/** As the service names them. A label without a colour of its own gets one by its place here. */
export const COLOURS = ['gold', 'orange', 'red', 'purple', 'blue', 'teal', 'green', 'olive'] as const;
export type Colour = LabelColour['colour'];

/** Colours that this browser has not sent yet: those from when each browser kept its own, and that some wait. */
export const [KEPT_KEY, WAITING_KEY] = ['crescendo-label-colours', 'crescendo-colours-waiting'] as const;

export const hasColoursToSend = (): boolean =>
  [KEPT_KEY, WAITING_KEY].some((key) => localStorage.getItem(key) !== null);

let changesSent: Promise<void> = Promise.resolve();

/** What is read before a change is stored would show the colours from before it. */
export function readLabelsAfter(changes: Promise<void>): void {
  changesSent = changes;
}

export const labelsOptions = queryOptions({
  queryKey: ['labels'],
  queryFn: () => changesSent.then(() => unwrap(api.GET('/v1/labels'))),
  // Every row that appears would ask again. Changes elsewhere are announced: see `live.ts`.
  staleTime: 60_000,
});

export const useLabelColours = (): readonly LabelColour[] => useQuery(labelsOptions).data ?? [];

export function hashOf(label: string): number {
  let hash = 0;
  for (const letter of label) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 2_147_483_647;
  return hash;
}

/** A label without a chosen colour gets one computed from its letters: the same in every browser. */
export function colourOf(label: string, colours: readonly LabelColour[]): Colour {
  const chosen = colours.find((one) => one.label === label)?.colour;
  return chosen ?? (COLOURS[hashOf(label) % COLOURS.length] as Colour);
}

/** The labels of the tasks with how many have each, in alphabetical order. */
export function countLabels(tasks: Iterable<Pick<Task, 'kind'>>): [label: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { kind } of tasks) if (kind !== NO_LABEL) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return alphabetical(counts, ([label]) => label);
}
