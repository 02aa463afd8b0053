/** Finds what a task says beside its moment: `#label`, `@space`, `// notes`, `!!`, "just once" and "3 days before". */
import { numberOf } from './lexicon.ts';
import { PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';

/** "the important email" is an email; "important" as the last or the first word is a mark. */
export const MUST_NOT_MISS: Reader<boolean> = [
  /(?<=^|\s)(?:!{1,3}|must[\s-]not[\s-]miss)(?=\s|$)|(?<=[\s\p{L}\d)])!{2,3}(?=\s*$)|(?<=\s)important!*\s*$|^\s*important\s*[:!]/giu,
  () => true,
];
export const ONCE: Reader<boolean> = [
  wholeWords('just once|only once|remind (?:me )?once|notify once|once only'),
  () => true,
];

const MAX_LEAD_DAYS = 30;
/** A date or time follows: "3 days before 24 dec" is a day of its own. */
const MOMENT_FOLLOWS = /^\s+(?:the\s+)?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow)/;
export const LEAD: Reader<number> = [
  wholeWords(
    String.raw`(?<led>(?:with )?(?:a )?heads[\s-]?up |(?:(?<=^\s*)|(?=remind me \S+ \S+ \S+\s*$))remind me )?(?<count>\d{1,2}|a|one|two|three) (?<unit>day|week)s? (?:before|ahead|earlier|heads[\s-]?up|in advance)(?:(?<ends>${PHRASE_END})|)`,
  ),
  ({ 0: words, groups, index = 0, input = '' }) => {
    const { led, count = '', unit, ends } = groups ?? {};
    // "call the doctor a week before the wedding" is the task itself.
    if (led === undefined && ends === undefined) return undefined;
    if (led === undefined && MOMENT_FOLLOWS.test(input.slice(index + words.length, index + words.length + 20)))
      return undefined;
    return Math.min(numberOf(count) * (unit === 'week' ? 7 : 1), MAX_LEAD_DAYS);
  },
];

interface Cut<T> {
  readonly text: string;
  readonly value: T;
}

const NOTES = /(?:^|\s)\/\/(?!\/)\s*(\S.*)$/s;

/** Everything after the first `//` that stands by itself. Undefined where nothing is left for the title. */
export function cutNotes(text: string): Cut<string> | undefined {
  const found = NOTES.exec(text);
  const title = text.slice(0, found?.index).trim();
  return found && title !== '' ? { text: title, value: (found[1] ?? '').trim() } : undefined;
}

/** The service's limit for the label of a task. */
const MAX_LABEL_LENGTH = 100;
const LABEL = /(?<=^|\s)#(\p{L}[\p{L}\p{M}\d_-]*)(?=[\s,.;!?)]|$)/u;

/** The first `#label`. A task has one label; `#12` is a number. */
export function cutLabel(text: string): Cut<string> | undefined {
  const found = LABEL.exec(text);
  const label = found?.[1] ?? '';
  if (!found || label.length > MAX_LABEL_LENGTH) return undefined;
  const rest = cut(text, found);
  return rest === '' ? undefined : { text: rest, value: label };
}

export interface NamedSpace {
  readonly id: string;
  readonly name: string;
}

const SPACE = /(?<=^|\s)@(\p{L}[\p{L}\p{M}\d_'’-]*)(?=[\s,.;!?)]|$)/gu;
const fold = (name: string): string => name.toLowerCase().replaceAll(/[\s_'’-]+/g, '');
/** These are read as times. */
const TIME_WORDS =
  /^(?:noon|midday|midnight|night|lunch|lunchtime)$|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$/i;

/** The first `@name` that is one of the spaces. Without one, `unknown` is a name that is none of them. */
export function cutSpace(text: string, spaces: readonly NamedSpace[]): Partial<Cut<NamedSpace>> & { unknown?: string } {
  let unknown: string | undefined;
  for (const found of text.matchAll(SPACE)) {
    const name = found[1] ?? '';
    const space = spaces.find((one) => fold(one.name) === fold(name));
    const rest = space && cut(text, found);
    if (space && rest) return { text: rest, value: space };
    if (!space && !TIME_WORDS.test(name)) unknown ??= name;
  }
  return unknown === undefined ? {} : { unknown };
}

const cut = (text: string, { index = 0, 0: mark }: RegExpMatchArray): string =>
  `${text.slice(0, index).trimEnd()} ${text.slice(index + mark.length).trimStart()}`.trim();
