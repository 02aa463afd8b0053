/** The words that no reader has taken yet; in the end they are the title. */

/** Stands where words were taken, so that the words on both sides of it are not read together. */
export const GAP = '\uE000';

const MAX_TITLE_LENGTH = 200;

export type Reader<T> = readonly [pattern: RegExp, read: (match: RegExpMatchArray) => T | undefined];

/** A pattern for whole words, in any case. */
export const wholeWords = (source: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_.:/-])(?:${source})(?![\p{L}\p{N}_]|[:./-]\d)`, 'giu');

export class RemainingText {
  #text: string;

  constructor(text: string) {
    this.#text = text;
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
    if (best) this.#text = `${this.#text.slice(0, best.start)}${GAP}${this.#text.slice(best.end)}`;
    return best?.value;
  }

  /** Takes the words of the first reader that finds any. */
  takeFirst<T>(readers: readonly Reader<T>[]): T | undefined {
    for (const reader of readers) {
      const value = this.take([reader]);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** Small words that led to what was taken, "on" or "and", go with it. */
  title(whole: string): string {
    const bare = this.#text
      .replace(REMIND_ME, '')
      .replaceAll(LEADS_TO_GAP, ' ')
      .replaceAll(GAP, ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/^[\s,;:–—-]+|[\s,;:–—-]+$/g, '')
      .replaceAll(/\s+([,;])/g, '$1');
    return (bare || whole.trim()).slice(0, MAX_TITLE_LENGTH);
  }
}

const REMIND_ME = new RegExp(
  String.raw`^\s*(?:please\s+)?(?:remind me|remember|don['’]?t forget|i (?:need|have) to remember)[\s${GAP},]*(?:(?:to|about|that|of)\s+)?`,
  'i',
);
const LEADS_TO_GAP = new RegExp(
  String.raw`(?:(?:^|\s)(?:on|at|by|from|due|starting|beginning|until|till|every|and|the|to|@|,|-|–))*\s*${GAP}(?:\s*(?:,|and)(?=\s*(?:${GAP}|$)))?`,
  'gi',
);
