/**
 * The ladders of an account: its own, the ones of its labels, and its default. They are one document in the account's
 * row (`escalation/choose-ladder.ts`), so two changes at the same time wait for each other and lose nothing.
 */
import { findUser, lockUser, requireUser, updateUser } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import {
  type LadderBook,
  MOST_LABELS,
  MOST_LADDERS,
  type NamedChoice,
  type OwnLadder,
  readBook,
} from '../escalation/choose-ladder.ts';
import { type GivenLadder, readLadder, requireFit, requireLadder } from '../escalation/read-choice.ts';
import type { Caller, SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { type ArchivedBook, addArchived } from './archived-ladders.ts';

/** Plans the tasks of an account again, in the transaction that changes its ladders. */
export type Replan = (trx: Db, userId: string) => Promise<void>;

interface Change {
  readonly book: LadderBook;
  /** Whether a task can get other nudges by it. */
  readonly movesNudges: boolean;
}

export class LaddersService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #replan: Replan;
  readonly #wakeUp: () => void;

  constructor(db: Db, clock: Clock, replan: Replan, wakeUp: () => void) {
    this.#db = db;
    this.#clock = clock;
    this.#replan = replan;
    this.#wakeUp = wakeUp;
  }

  async list({ userId }: Caller): Promise<LadderBook> {
    return readBook(requireUser(await findUser(this.#db, userId)).ladders);
  }

  async create(caller: SessionCaller, { name, ...given }: GivenLadder & { readonly name: string }): Promise<OwnLadder> {
    const ladder = { id: newId(), name, ...requireLadder(readLadder(given), true) };
    await this.#change(caller, (book) => {
      if (book.own.length >= MOST_LADDERS) throw new AppError('too_many_ladders');
      return { book: { ...book, own: [...book.own, ladder] }, movesNudges: false };
    });
    return ladder;
  }

  async update(
    caller: SessionCaller,
    id: string,
    { name, rungs, end }: Partial<GivenLadder> & { readonly name?: string },
  ): Promise<OwnLadder> {
    const book = await this.#change(caller, (book) => {
      const before = getLadder(book, id);
      const ladder = readLadder({ rungs: rungs ?? before.rungs, end: end === undefined ? before.end : end });
      // Unless it is chosen for any task, it may be meant for tasks that must not be missed, which have shorter waits.
      const changed = { id, name: name ?? before.name, ...requireLadder(ladder, !isChosen(book, id)) };
      const own = book.own.map((one) => (one.id === id ? changed : one));
      return { book: { ...book, own }, movesNudges: rungs !== undefined || end !== undefined };
    });
    return getLadder(book, id);
  }

  /** Labels, the account and tasks that had it fall back to the next choice. */
  async delete(caller: SessionCaller, id: string): Promise<void> {
    await this.#change(caller, (book) => {
      getLadder(book, id);
      return {
        book: {
          own: book.own.filter((one) => one.id !== id),
          labels: book.labels.filter(({ ladder }) => !isLadder(ladder, id)),
          default: isLadder(book.default, id) ? null : book.default,
        },
        movesNudges: true,
      };
    });
  }

  /** Null: back to the default of the service. */
  async setDefault(caller: SessionCaller, choice: NamedChoice | null): Promise<LadderBook> {
    return this.#change(caller, (book) => {
      if (choice) requireFit(choice, book, false);
      return { book: { ...book, default: choice }, movesNudges: true };
    });
  }

  /** Null: the label chooses no ladder. */
  async setLabel(caller: SessionCaller, label: string, choice: NamedChoice | null): Promise<LadderBook> {
    return this.#change(caller, (book) => {
      if (choice) requireFit(choice, book, false);
      const others = book.labels.filter((one) => one.label !== label);
      if (choice && others.length >= MOST_LABELS) throw new AppError('too_many_labels', { sentence: TOO_MANY_LABELS });
      return { book: { ...book, labels: choice ? [...others, { label, ladder: choice }] : others }, movesNudges: true };
    });
  }

  /** Of an import: adds what the account does not have. It keeps the ids, by which the imported tasks name their ladders. */
  async restore(userId: string, archived: ArchivedBook): Promise<void> {
    await this.#change({ userId }, (book) => ({ book: addArchived(book, archived), movesNudges: true }));
  }

  async #change({ userId }: Pick<Caller, 'userId'>, decide: (book: LadderBook) => Change): Promise<LadderBook> {
    const changed = await transact(this.#db, async (trx) => {
      const { ladders } = requireUser(await lockUser(trx, userId));
      const { book, movesNudges } = decide(readBook(ladders));
      const stored = toStored(book);
      if (stored === ladders) return book;
      await updateUser(trx, userId, { ladders: stored }, this.#clock.now());
      if (movesNudges) await this.#replan(trx, userId);
      return book;
    });
    this.#wakeUp();
    return changed;
  }
}

const TOO_MANY_LABELS = `${MOST_LABELS} labels have a ladder already. Remove the ladder of another label first.`;

const toStored = (book: LadderBook): string | null =>
  book.own.length === 0 && book.labels.length === 0 && book.default === null ? null : JSON.stringify(book);

function getLadder({ own }: LadderBook, id: string): OwnLadder {
  const ladder = own.find((one) => one.id === id);
  if (!ladder) throw new AppError('not_found', { sentence: 'You have no such ladder.' });
  return ladder;
}

const isLadder = (choice: NamedChoice | null, id: string): boolean =>
  choice !== null && 'ladder_id' in choice && choice.ladder_id === id;

const isChosen = (book: LadderBook, id: string): boolean =>
  isLadder(book.default, id) || book.labels.some(({ ladder }) => isLadder(ladder, id));
