/** The words that no reader has taken yet; in the end they are the title. */
import { spaced } from './lexicon.ts';
import { type Correction, correctionsIn } from './spelling.ts';
import { tidyTyping } from './tidy-typing.ts';

/**
 * Stands where words were taken, so that the words on both sides of it are not read together. A control character,
 * because a text with a character above U+00FF makes the browser compile every pattern a second time.
 */
export const GAP = '\u0001';

/** Keeps the "on" before it in the title: "turn the oven on at 6". */
const OWN = '\u0003';
const OWN_ON = / on $/i;

/** Stands for words that no reader may take: a quotation or an address. */
const KEPT = '\u0002';
const RESERVED = new RegExp(`[${GAP}${OWN}${KEPT}]`, 'g');
const KEEP = /"[^"]+"|“[^”]+”|https?:\/\/\S+/g;

/**
 * What follows an end of the moment: nothing, a mark, a number, or a word that joins. Where a noun follows, the words
 * before it describe it: "the 2nd floor", "monthly report", "look at 3 houses".
 */
export const PHRASE_END = String.raw`(?=\s*(?:$|[,;:.!?)\]&/+–—${GAP}${KEPT}-]|\p{Extended_Pictographic})|\s+(?:[\d@(]|(?:at|on|in|by|from|for|with|to|until|till|through|thru|and|or|of|every|each|if|when|before|after|during|starting|ending|this|next|today|to(?:morrow|night)|noon|just|only|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b))`;

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
/** `read` gets the text that was matched, which is in lower case, and the same text as it was written. */
export type Reader<T> = readonly [pattern: RegExp, read: (match: RegExpMatchArray, written: string) => T | undefined];

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
const toLower = (text: string) => text.replaceAll(/[A-Z]/g, (capital) => capital.toLowerCase());

/** Of a long text only this much at either end is read: what stands within it tells a story. */
const READ_LENGTH = 300;

/** The beginning, what is not read, and the end. */
function threeParts(text: string): [head: string, middle: string, tail: string] {
  if (text.length <= 2 * READ_LENGTH) return [text, '', ''];
  const start = text.lastIndexOf(' ', READ_LENGTH) + 1 || READ_LENGTH;
  const last = text.length - READ_LENGTH;
  const end = Math.max(last, text.indexOf(' ', last));
  return [text.slice(0, start), text.slice(start, end), text.slice(end)];
}

/** How misspelt names are treated: corrected, corrected to the other name that is as near, or left. */
export type Spelling = 'corrected' | 'other' | 'left';

/** Told apart from a name that was written so by a capital within it, which no pattern sees. */
function markedName({ written, name, other }: Correction, spelling: Spelling, index: number): string {
  const chosen = spelling === 'other' ? (other ?? written) : name;
  const first = /^[A-Z]/.test(written) ? chosen.charAt(0).toUpperCase() : chosen.charAt(0);
  return first + chosen.slice(1, index + 1) + chosen.charAt(index + 1).toUpperCase() + chosen.slice(index + 2);
}

/**
 * As `matchAll`, which makes a copy of the pattern for each text: more than half of the time that reading took. No words
 * are none to take, so it ends with a match of nothing.
 */
function allMatches(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match?.[0]; match = pattern.exec(text)) found.push(match);
  return found;
}

export class RemainingText {
  readonly #kept: readonly string[];
  readonly #corrections = new Map<string, Correction>();
  readonly #taken: Correction[] = [];
  #text: string;
  #lowered = { text: '', lower: '' };

  constructor(text: string, spelling: Spelling = 'corrected') {
    const plain = text.replaceAll(RESERVED, ' ').replaceAll(/\s+/g, ' ');
    const [head, middle, tail] = threeParts(plain);
    this.#kept = [...(head.match(KEEP) ?? []), ...(middle ? [middle] : []), ...(tail.match(KEEP) ?? [])];
    const written = head.replaceAll(KEEP, KEPT) + (middle && KEPT) + tail.replaceAll(KEEP, KEPT);
    this.#text = this.#correct(tidyTyping(written), spelling).replace(MORNING_AND_EVENING, writeHalves);
  }

  #correct(text: string, spelling: Spelling): string {
    if (spelling === 'left') return text;
    let [corrected, end] = ['', 0];
    for (const [index, { index: start, ...correction }] of correctionsIn(text).entries()) {
      const name = markedName(correction, spelling, index);
      this.#corrections.set(name, correction);
      corrected += text.slice(end, start) + name;
      end = start + correction.written.length;
    }
    return corrected + text.slice(end);
  }

  /** The misspelt names that were understood. */
  get corrections(): readonly Correction[] {
    return this.#taken;
  }

  #restoreSpelling(text: string): string {
    let restored = text;
    for (const [name, { written }] of this.#corrections) restored = restored.replaceAll(name, written);
    return restored;
  }

  /** Takes the words that end last, because a later moment corrects an earlier one. Of those, the most words. */
  take<T>(readers: readonly Reader<T>[]): T | undefined {
    let best: { start: number; end: number; value: T } | undefined;
    const lower = this.#lower();
    for (const [pattern, read] of readers) {
      for (const match of allMatches(lower, pattern)) {
        const [start, end] = [match.index, match.index + match[0].length];
        const isBetter = !best || end > best.end || (end === best.end && start < best.start);
        const value = isBetter ? read(match, this.#text) : undefined;
        if (value !== undefined) best = { start, end, value };
      }
    }
    if (best) this.#cut(best.start, best.end);
    return best?.value;
  }

  #cut(start: number, end: number): void {
    const [before, taken] = [this.#text.slice(0, start), this.#text.slice(start, end)];
    for (const [name, correction] of this.#corrections) if (taken.includes(name)) this.#taken.push(correction);
    this.#text = `${before}${OWN_ON.test(before) && /^(?:at|in)\s/i.test(taken) ? OWN : ''}${GAP}${this.#text.slice(end)}`;
  }

  /** Kept until words are taken, because every group of readers asks for it. */
  #lower(): string {
    if (this.#lowered.text !== this.#text) this.#lowered = { text: this.#text, lower: toLower(this.#text) };
    return this.#lowered.lower;
  }

  matches(pattern: RegExp): boolean {
    return pattern.test(this.#text);
  }

  /** What `search` finds among the words that are left. A misspelt name that nobody took is a word of the title. */
  find(search: (text: string) => string | undefined): string | undefined {
    return search(this.#restoreSpelling(this.#text));
  }

  has<T>(readers: readonly Reader<T>[]): boolean {
    const lower = this.#lower();
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
    const [before, taken] = [this.#text, this.#taken.length];
    const value = read();
    if (value !== undefined) return value;
    this.#text = before;
    this.#taken.length = taken;
    return undefined;
  }

  /** What is left. Small words that led to what was taken, "on" or "and", went with it. */
  words(): string {
    const kept = this.#kept.values();
    return this.#restoreSpelling(this.#text)
      .replace(REMIND_ME, '')
      .replace(LED_BY_GAP, '')
      .replaceAll(LEADS_TO_GAP, GAP)
      .replaceAll(EMPTY_BRACKETS, ' ')
      .replaceAll(MARK_AFTER_GAP, GAP)
      .replaceAll(new RegExp(`[${OWN}${GAP}]`, 'g'), ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/g, '')
      .replaceAll(/ ([,;?])/g, '$1')
      .replaceAll(KEPT, () => kept.next().value ?? '');
  }
}

const REMIND_ME = new RegExp(
  String.raw`^\s*(?:(?:hey|hi|ok|please|pls|plz|(?:can|could|would)\s+you)[\s,]+){0,3}(?:remind me|(?:set|create|add|make)\s+(?:me\s+)?a\s+reminder|remember|don['’]?t (?:let me )?forget|i (?:need|have) to remember)[\s${GAP},]*(?:(?:for|at|on)\s*${GAP}[\s${GAP}]*)?(?:(?:to|about|that|of|2)\s+)?`,
  'i',
);
/** "gently remind me tomorrow to call". */
const LED_BY_GAP = new RegExp(String.raw`^\s*${GAP}[\s${GAP},]*(?:to|about)\s+(?=[a-z])(?!do\s+list)`, 'i');
const EMPTY_BRACKETS = new RegExp(String.raw`\([\s${GAP}]*${GAP}[\s${GAP}]*\)|\[[\s${GAP}]*${GAP}[\s${GAP}]*\]`, 'g');
/** The full stop of a sentence that ended with the moment. */
const MARK_AFTER_GAP = new RegExp(String.raw`${GAP}[.!]+(?=\s*(?:$|${GAP}))`, 'g');
const LEADS_TO_GAP = new RegExp(
  String.raw`(?:(?:^|\s)(?:on|at|by|from|due|starting|beginning|until|till|every|and|the|to|no\s+later\s+than|all[\s-]day|@|,|-|–))*\s*${GAP}(?:\s*(?:,|and)(?=\s*(?:${GAP}|$)))?`,
  'gi',
);
