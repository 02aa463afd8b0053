/** The ladders of an imported document, added to the ones that the account has. Pure. */
import {
  findLadder,
  type LadderBook,
  MOST_LABELS,
  MOST_LADDERS,
  type NamedChoice,
} from '../escalation/choose-ladder.ts';
import { type GivenLadder, type GivenName, readLadder, readNamedChoice } from '../escalation/read-choice.ts';

export interface ArchivedBook {
  readonly own: readonly (GivenLadder & { readonly id: string; readonly name: string })[];
  readonly labels: readonly { readonly label: string; readonly ladder: GivenName }[];
  readonly default: GivenName | null;
}

/** What the account has chosen stays. A choice of a ladder that is not there is left out, as if it was deleted. */
export function addArchived(book: LadderBook, archived: ArchivedBook): LadderBook {
  const own = [...book.own];
  for (const { id, name, ...ladder } of archived.own)
    if (own.length < MOST_LADDERS && !own.some((one) => one.id === id)) own.push({ id, name, ...readLadder(ladder) });
  const read = (name: GivenName): NamedChoice | null => {
    const isOne = (name.preset === undefined) !== (name.ladder_id === undefined);
    const choice = isOne ? readNamedChoice(name) : null;
    return choice && findLadder(choice, { own }) ? choice : null;
  };
  const labels = [...book.labels];
  for (const { label, ladder } of archived.labels) {
    const choice = read(ladder);
    const isNew = labels.length < MOST_LABELS && !labels.some((one) => one.label === label);
    if (choice && isNew) labels.push({ label, ladder: choice });
  }
  return { own, labels, default: book.default ?? (archived.default && read(archived.default)) };
}
