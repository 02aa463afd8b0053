/** The words that no reader has taken yet; in the end they are the title. */
import { spaced } from './lexicon.ts';

/**
 * Stands where words were taken, so that the words on both sides of it are not read together. A control character,
 * because a text with a character above U+00FF makes the browser compile every pattern a second time.
 */
export const GAP = '\u0001';

/** Keeps the "on" before it in the title: "turn the oven on at 6". */
const OWN = '\u0003';
const OWN_ON = /\son\s+$/i;

/** Stands for words that no reader may take: a quotation or an address. */
const KEPT = '\u0002';
const RESERVED = new RegExp(`[${GAP}${OWN}${KEPT}]`, 'g');
const KEEP = /"[^"]+"|“[^”]+”|https?:\/\/\S+/g;

/**
 * What follows an end of the moment: nothing, a mark, a number, or a word that joins. Where a noun follows, the words
 * before it describe it: "the 2nd floor", "monthly report", "look at 3 houses".
 */
export const PHRASE_END = String.raw`(?=\s*(?:$|[,;:.!?)\]&/+–—${GAP}${KEPT}-]|\p{Extended_Pictographic})|\s+(?:[\d@(]|(?:at|on|in|by|from|for|with|to|until|till|through|thru|and|or|of|every|each|if|when|before|after|starting|ending|this|next|today|to(?:morrow|night)|noon|just|only|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b))`;

const CLOCK = String.raw`(?:at\s+)?(\d{1,2}(?:[:.]\d\d)?)\s+`;
/** "8 in the morning and 10 at night", where each part of the day belongs to its own time. */
const MORNING_AND_EVENING = new RegExp(
  String.raw`\b${CLOCK}(in the|every|each)\s+morning\s*(?:,|&|,?\s*and)\s*${CLOCK}(?:in the|every|each|at)\s+(?:evening|night)\b`,
  'i',
);
const writeHalves = (_: string, early: string, lead: string, late: string) =>
  `${early}am and ${late}pm${/in/i.test(lead) ? '' : ' every day'}`;

/** What the named groups of a pattern matched, in lower case. */
export type Groups = Readonly<Record<string, string | undefined>>;
export type Reader<T> = readonly [pattern: RegExp, read: (match: RegExpMatchArray) => T | undefined];

/**
 * The letters and numbers of all scripts, in a few ranges. `\p{L}` has hundreds, and with the flag for any case a
 * hundred patterns took a fast computer a quarter of a second when the first letter was typed.
 */
const LETTER = String.raw`a-z\d\u00aa\u00b2\u00b3\u00b5\u00b9\u00ba\u00bc-\u00be\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u2c00-\u2dff\u3005-\u3007\u3040-\ud7ff\uf900-\ufdff\ufe70-\ufefc\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc\u{10000}-\u{1efff}\u{20000}-\u{3ffff}`;

/** A pattern for whole words, in lower case as the text it reads, in which a space stands for any white space. "tomorrow's" and "friday-night" are other words. */
export const wholeWords = (source: string): RegExp =>
  new RegExp(
    String.raw`(?<![${LETTER}_.:/@#=$€£-])(?:${spaced(source)})(?![${LETTER}_]|[:./-]\d|['’.-][${LETTER}])`,
    'gu',
  );

/** Only A to Z, as the patterns need it: some other capitals have a longer text in lower case. */
const toLower = (text: string) => text.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

export class RemainingText {
  readonly #kept: readonly string[];
  #text: string;

  constructor(text: string) {
    this.#kept = text.match(KEEP) ?? [];
    const written = text.replaceAll(RESERVED, ' ').replaceAll(KEEP, KEPT);
    this.#text = written.replace(MORNING_AND_EVENING, writeHalves);
  }

  get text(): string {
    return this.#text;
  }

  /** Takes the words that end last, because a later moment corrects an earlier one. Of those, the most words. */
  take<T>(readers: readonly Reader<T>[]): T | undefined {
    let best: { start: number; end: number; value: T } | undefined;
    const lower = toLower(this.#text);
    for (const [pattern, read] of readers) {
      for (const match of lower.matchAll(pattern)) {
        const [start, end] = [match.index, match.index + match[0].length];
        const isBetter = !best || end > best.end || (end === best.end && start < best.start);
        const value = isBetter ? read(match) : undefined;
        if (value !== undefined) best = { start, end, value };
      }
    }
    if (best) {
      const [before, taken] = [this.#text.slice(0, best.start), this.#text.slice(best.start, best.end)];
      this.#text = `${before}${OWN_ON.test(before) && /^(?:at|in)\s/i.test(taken) ? OWN : ''}${GAP}${this.#text.slice(best.end)}`;
    }
    return best?.value;
  }

  has<T>(readers: readonly Reader<T>[]): boolean {
    const lower = toLower(this.#text);
    return readers.some(([pattern]) => lower.search(pattern) >= 0);
  }

  /** Takes the words of the first group of readers that finds any. */
  takeFirst<T>(groups: readonly (readonly Reader<T>[])[]): T | undefined {
    for (const readers of groups) {
      const value = this.take(readers);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** Puts the words back if nothing was made of them. */
  attempt<T>(read: () => T | undefined): T | undefined {
    const before = this.#text;
    const value = read();
    if (value === undefined) this.#text = before;
    return value;
  }

  /** What is left. Small words that led to what was taken, "on" or "and", went with it. */
  words(): string {
    const kept = this.#kept.values();
    return this.#text
      .replace(REMIND_ME, '')
      .replaceAll(LEADS_TO_GAP, GAP)
      .replaceAll(EMPTY_BRACKETS, ' ')
      .replace(MARK_AFTER_GAP, '')
      .replaceAll(new RegExp(`[${OWN}${GAP}]`, 'g'), ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/g, '')
      .replaceAll(/\s+([,;?])/g, '$1')
      .replaceAll(KEPT, () => kept.next().value ?? '');
  }
}

const REMIND_ME = new RegExp(
  String.raw`^\s*(?:please\s+)?(?:remind me|remember|don['’]?t forget|i (?:need|have) to remember)[\s${GAP},]*(?:(?:to|about|that|of)\s+)?`,
  'i',
);
const EMPTY_BRACKETS = new RegExp(String.raw`\([\s${GAP}]*${GAP}[\s${GAP}]*\)|\[[\s${GAP}]*${GAP}[\s${GAP}]*\]`, 'g');
/** The full stop of a sentence that ended with the moment. */
const MARK_AFTER_GAP = new RegExp(String.raw`${GAP}\s*[.!]+\s*$`);
const LEADS_TO_GAP = new RegExp(
  String.raw`(?:(?:^|\s)(?:on|at|by|from|due|starting|beginning|until|till|every|and|the|to|no\s+later\s+than|@|,|-|–))*\s*${GAP}(?:\s*(?:,|and)(?=\s*(?:${GAP}|$)))?`,
  'gi',
);
