/** Asks the readers of dates what they find in a text. */
import assert from 'node:assert/strict';
import type { DateContext, FoundDate } from '../../src/words/found-date.ts';
import { type Reader, RemainingText } from '../../src/words/remaining-text.ts';
import { formatIsoDate } from '../../src/words/wall-time.ts';

/** A text, and what is found in it. */
type Table = Readonly<Record<string, string>>;

export const readsAs = (table: Table, read: (text: string) => string): void =>
  assert.deepEqual(Object.fromEntries(Object.keys(table).map((text) => [text, read(text)])), table);

/** A Monday. */
const TODAY = { year: 2026, month: 3, day: 2 };

/** "2026-03-06 evening ?week"; "(name)" tells that words stay because they look like a name. */
export const found = (readersOf: (context: DateContext) => Reader<FoundDate>[], options: Partial<DateContext> = {}) => {
  let isName = false;
  const onName = () => {
    isName = true;
  };
  const readers = readersOf({ today: TODAY, dayFirst: true, choices: new Set(), onName, ...options });
  return (text: string): string => {
    isName = false;
    const date = new RemainingText(text, 'left').take(readers);
    return [...(date ? saidOf(date) : ['none']), isName && '(name)'].filter(Boolean).join(' ');
  };
};

const saidOf = ({ date, part, isNight, isStart, orToday, guesses }: FoundDate) => [
  formatIsoDate(date),
  part,
  isNight && 'night',
  isStart && 'start',
  orToday && 'or today',
  guesses && `?${[...new Set(guesses)]}`,
];
