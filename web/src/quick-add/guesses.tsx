/** What the words left open, each with the other reading one press away. */
import type { Guess, GuessKind } from '../../../src/words/guess.ts';
import type { ParsedTask } from '../../../src/words/parse-task.ts';
import { screenStrings } from '../screen-strings.ts';

const { quickAdd: words } = screenStrings;

interface GuessesProps {
  readonly task: ParsedTask;
  /** Whether the person chose another reading. */
  readonly hasChosen: boolean;
  readonly inWords: (task: ParsedTask) => string;
  readonly readOther: (kind: GuessKind) => ParsedTask;
  readonly onChoose: (kind: GuessKind | undefined) => void;
}

export function Guesses({ task, hasChosen, inWords, readOther, onChoose }: GuessesProps) {
  // Which of day and month comes first has a button of its own, which remembers the answer.
  const guesses = task.guesses.filter(({ kind }, index, all) => kind !== 'order' && indexOf(all, kind) === index);
  if (guesses.length === 0 && !hasChosen) return null;
  return (
    <ul className="mt-2 space-y-1 text-sm text-soft">
      {guesses.map((guess) => (
        <li key={guess.kind} data-guess={guess.kind} className="flex flex-wrap items-center gap-x-2">
          {reasonOf(guess)} <OtherReading guess={guess} {...{ task, inWords, readOther, onChoose }} />
        </li>
      ))}
      {hasChosen && (
        <li>
          <button type="button" className="min-h-7 underline" onClick={() => onChoose(undefined)}>
            {words.asBefore}
          </button>
        </li>
      )}
    </ul>
  );
}

const indexOf = (guesses: readonly Guess[], kind: GuessKind) => guesses.findIndex((guess) => guess.kind === kind);

function reasonOf({ kind, correction, left = '' }: Guess): string {
  if (correction) return words.guesses.spelling(correction.written, named(correction.name));
  if (kind === 'left') return words.guesses.left(left);
  return words.guesses[kind === 'spelling' ? 'words' : kind];
}

const named = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

type OtherReadingProps = Omit<GuessesProps, 'hasChosen'> & { readonly guess: Guess };

function OtherReading({ guess, task, inWords, readOther, onChoose }: OtherReadingProps) {
  const other = readOther(guess.kind);
  const theirs = other.title === task.title ? inWords(other) : words.titled(other.title, inWords(other));
  if (other.title === task.title && theirs === inWords(task)) return null;
  return (
    <button type="button" className="min-h-7 text-left text-ink underline" onClick={() => onChoose(guess.kind)}>
      {words.instead(theirs)}
    </button>
  );
}
