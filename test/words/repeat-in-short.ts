/** A rule that was found in a text, in short, with what is left of the text: "weekly/2 mo,th x5 | ?days | gym". */
import { takeRepeat } from '../../src/words/find-rule.ts';
import type { GuessKind } from '../../src/words/guess.ts';
import { RemainingText } from '../../src/words/remaining-text.ts';

export function repeatInShort(text: string, ...choices: GuessKind[]): string {
  const rest = new RemainingText(text, 'left');
  const found = takeRepeat(rest, new Set(choices));
  if (!found) return `none | ${rest.words()}`;
  const { rule, parts, times, duration, guesses = [] } = found;
  const { freq, interval, by_weekday, by_month_day, by_month, by_set_pos, count, from, between } = rule;
  const words = [
    interval ? `${freq}/${interval}` : freq,
    by_weekday?.join(),
    by_month_day && `d${by_month_day}`,
    by_month && `m${by_month}`,
    by_set_pos && `p${by_set_pos}`,
    count && `x${count}`,
    from && 'after',
    between && `within ${between.join('-')}`,
    parts?.join(),
    times && `@${times}`,
    duration && `for ${duration.count} ${duration.unit}`,
  ];
  const guessed = guesses.length > 0 && `?${guesses}`;
  return [words.filter(Boolean).join(' '), guessed, rest.words()].filter(Boolean).join(' | ');
}

/** What each text of a table is read as. */
export const readIn = (table: Readonly<Record<string, string>>, ...choices: GuessKind[]): Record<string, string> =>
  Object.fromEntries(Object.keys(table).map((text) => [text, repeatInShort(text, ...choices)]));
