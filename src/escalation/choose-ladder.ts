/**
 * Which ladder holds for a task: the one chosen for the task, else for its label, else for the account, else the
 * default. Pure.
 *
 * An account's ladders are one document, the ladder book, so that a task is planned with what its owner's row brings,
 * and a change of the book replans the tasks like any other setting (`plan-settings.ts`). A choice whose ladder was
 * deleted counts as no choice.
 */
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Ladder } from './ladder.ts';
import { PRESETS, type PresetName } from './presets.ts';

export interface OwnLadder extends Ladder {
  readonly id: string;
  readonly name: string;
}

/** A ladder that has a name: one of the service's, or one of the account's own. */
export type NamedChoice = { readonly preset: PresetName } | { readonly ladder_id: string };
/** A task can also have rungs that have no name. */
export type LadderChoice = NamedChoice | Ladder;

export interface LadderBook {
  readonly own: readonly OwnLadder[];
  /** Not an object: labels are any text, `__proto__` too. */
  readonly labels: readonly { readonly label: string; readonly ladder: NamedChoice }[];
  readonly default: NamedChoice | null;
}

/** Of an account. */
export const MOST_LADDERS = 50;
/** That have a ladder. */
export const MOST_LABELS = 100;

export const EMPTY_BOOK: LadderBook = { own: [], labels: [], default: null };

/** Reading a full book takes about 0.2 ms, and a batch of tasks of one account reads it for each. */
const readBooks = new BoundedMap<string, LadderBook>(100);

export function readBook(stored: string | null): LadderBook {
  if (stored === null) return EMPTY_BOOK;
  const known = readBooks.get(stored);
  if (known) return known;
  const book = JSON.parse(stored) as LadderBook;
  readBooks.set(stored, book);
  return book;
}

/** As they are stored with the task. */
export interface TaskLadder {
  readonly kind: string;
  /** JSON: what was chosen for the task. */
  readonly ladder: string | null;
  /** Counts instead of `kind`, which somebody else has changed since. */
  readonly ladder_label: string | null;
}

export interface ChosenLadder {
  readonly ladder: Ladder;
  readonly from: 'task' | 'label' | 'account' | 'service';
  /** Null for the default of the service. */
  readonly choice: LadderChoice | null;
}

const DEFAULT: ChosenLadder = { ladder: PRESETS.default, from: 'service', choice: null };

export function chooseLadder(task: TaskLadder, storedBook: string | null): ChosenLadder {
  if (task.ladder === null && storedBook === null) return DEFAULT;
  const book = readBook(storedBook);
  const label = task.ladder_label ?? task.kind;
  return (
    findChosen(task.ladder === null ? null : (JSON.parse(task.ladder) as LadderChoice), 'task', book) ??
    findChosen(book.labels.find((one) => one.label === label)?.ladder ?? null, 'label', book) ??
    findChosen(book.default, 'account', book) ??
    DEFAULT
  );
}

function findChosen(
  choice: LadderChoice | null,
  from: ChosenLadder['from'],
  book: LadderBook,
): ChosenLadder | undefined {
  const ladder = choice === null ? undefined : findLadder(choice, book);
  return ladder && { ladder, from, choice };
}

/** Undefined if the ladder was deleted. */
export function findLadder(choice: LadderChoice, { own }: Pick<LadderBook, 'own'>): Ladder | undefined {
  if ('preset' in choice) return PRESETS[choice.preset];
  if ('ladder_id' in choice) return own.find(({ id }) => id === choice.ladder_id);
  return choice;
}
