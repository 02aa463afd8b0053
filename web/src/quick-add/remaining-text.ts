/** The words that no reader has taken yet; in the end they are the title. */

/** Stands where words were taken, so that the words on both sides of it are not read together. */
export const GAP = '\uE000';

/** Keeps the "on" before it in the title: "turn the oven on at 6". */
const OWN = '\uE002';
const OWN_ON = /\son\s+$/i;

/** Stands for words that no reader may take: a quotation or an address. */
const KEPT = '\uE001';
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

const MAX_TITLE_LENGTH = 200;

export type Reader<T> = readonly [pattern: RegExp, read: (match: RegExpMatchArray) => T | undefined];

/** A pattern for whole words, in any case. "tomorrow's" and "friday-night" are other words. */
export const wholeWords = (source: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_.:/@#=$€£-])(?:${source})(?![\p{L}\p{N}_]|[:./-]\d|['’.-]\p{L})`, 'giu');

export class RemainingText {
  readonly #kept: readonly string[];
  #text: string;

  constructor(text: string) {
    this.#kept = text.match(KEEP) ?? [];
    this.#text = text.replaceAll(KEEP, KEPT).replace(MORNING_AND_EVENING, writeHalves);
  }

  get text(): string {
    return this.#text;
  }

  /** Takes the words that end last, because a later moment corrects an earlier one. Of those, the most words. */
  take<T>(readers: readonly Reader<T>[]): T | undefined {
    let best: { start: number; end: number; value: T } | undefined;
    for (const [pattern, read] of readers) {
      for (const match of this.#text.matchAll(pattern)) {
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
    return readers.some(([pattern]) => this.#text.search(pattern) >= 0);
  }

  /** Takes the words of the first reader that finds any. */
  takeFirst<T>(readers: readonly Reader<T>[]): T | undefined {
    for (const reader of readers) {
      const value = this.take([reader]);
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

  /** Small words that led to what was taken, "on" or "and", go with it. */
  title(whole: string): string {
    const kept = this.#kept.values();
    const bare = this.#text
      .replace(REMIND_ME, '')
      .replaceAll(LEADS_TO_GAP, GAP)
      .replaceAll(EMPTY_BRACKETS, ' ')
      .replace(MARK_AFTER_GAP, '')
      .replaceAll(new RegExp(`[${OWN}${GAP}]`, 'g'), ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/g, '')
      .replaceAll(/\s+([,;?])/g, '$1')
      .replaceAll(KEPT, () => kept.next().value ?? '');
    return (bare || whole.trim()).slice(0, MAX_TITLE_LENGTH);
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
