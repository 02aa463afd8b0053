/**
 * Text that people and other agents wrote, as tool results show it. It must never look like the service's own words:
 * in a sentence it is quoted as JSON, so that it has no line breaks and no closing quote, and characters that hide or
 * reverse the text after them are replaced.
 */

/**
 * Controls, direction marks and overrides, invisible characters, separators of lines and fillers. Tab and line feed
 * stay, which JSON escapes, and so do the joiners of emoji and of Persian words.
 */
const DISGUISES = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
const REPLACEMENT = '\ufffd';

/** Scripts without words in tokenizers: a character costs two tokens or more, in all other scripts less than one. */
const UNUSUAL =
  /[^\p{ASCII}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Tamil}\p{Script=Thai}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu;
const UNUSUAL_WEIGHT = 3;

/** In bytes, and two more for a character that costs several tokens: half a token for each at most. */
export const sizeOf = (text: string): number => Buffer.byteLength(text) + 2 * (text.match(UNUSUAL)?.length ?? 0);

/** Cut to `most` characters, with an ellipsis. A character that costs a model several tokens counts as three. */
export function shown(text: string, most = Number.POSITIVE_INFINITY): string {
  const plain = text.replaceAll(DISGUISES, REPLACEMENT);
  if (plain.length * UNUSUAL_WEIGHT <= most) return plain;
  let [end, weight] = [0, 0];
  for (const character of plain) {
    weight += character.search(UNUSUAL) === -1 ? 1 : UNUSUAL_WEIGHT;
    if (weight > most) return `${plain.slice(0, end)}…`;
    end += character.length;
  }
  return plain;
}

export const quoted = (text: string, most?: number): string => JSON.stringify(shown(text, most));
