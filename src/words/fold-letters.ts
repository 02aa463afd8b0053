/**
 * The one rule by which every search compares letters: case, accents and ligatures do not count, and ä, ö, ü, ø, å are
 * found both without their mark and spelled out, so that "mull", "muell" and "MÜLL" all find "Müll".
 */

/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ς: 'σ',
};
const SPELLED_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const anyOf = (letters: object) => new RegExp(`[${Object.keys(letters).join('')}]`, 'g');
const [LETTER, SPELLED] = [anyOf(LETTERS), anyOf(SPELLED_OUT)];

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with the controls.
const ASCII = /^[\x00-\x7f]*$/;
/** Accents, and the points of Hebrew and Arabic. In other scripts, marks are vowels and belong to the word. */
const MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]+/g;
/** Normalizing sorts a run of marks in quadratic time. No language has more than 30 in a row (UAX #15). */
const MARKS_TO_DROP = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Without case, accents and ligatures. */
export function foldLetters(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.replace(MARKS_TO_DROP, '$1').normalize('NFKD').replace(MARKS, '').toLowerCase();
  return plain.normalize('NFC').replace(LETTER, (letter) => LETTERS[letter] ?? letter);
}

/** The same with ä as ae. */
function spellOut(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const composed = text.replace(MARKS_TO_DROP, '$1').normalize('NFC').toLowerCase();
  return foldLetters(composed.replace(SPELLED, (letter) => SPELLED_OUT[letter] ?? letter));
}

/** A text in all the spellings by which it is found. */
export function foldedText(text: string): string {
  const plain = foldLetters(text);
  return MAY_BE_SPELLED.test(text) ? `${plain}\n${spellOut(text)}` : plain;
}

/** With the marks and the sign of which such letters may be composed. */
const MAY_BE_SPELLED = /[äöüøå\u212b]|\u0308|\u030a/i;

/** A word of a search in its spellings: a folded text has the word if it has one of them. */
export type FoldedWord = readonly string[];

export function foldedWords(query: string): FoldedWord[] {
  const words = query.trim().split(/\s+/).filter(Boolean);
  return words.map((word) => [...new Set([foldLetters(word), spellOut(word)])]);
}

export const hasWord = (folded: string, word: FoldedWord): boolean =>
  word.some((spelling) => folded.includes(spelling));

const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;

/** Whether a word of the text begins with it. */
export const beginsWord = (folded: string, word: FoldedWord): boolean =>
  word.some((spelling) => {
    for (let at = folded.indexOf(spelling); at >= 0; at = folded.indexOf(spelling, at + 1)) {
      if (at === 0 || !LETTER_OR_DIGIT.test(folded.charAt(at - 1))) return true;
    }
    return false;
  });
