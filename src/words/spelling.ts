/**
 * Corrects misspelt names of days and months, so that "wendsday 4pm" is never read as today. A corrected name is a
 * guess, and words that are English in their own right stay: a wrong correction is worse than none.
 */

import { MONTH, TOMORROW, WEEKDAY } from './lexicon.ts';

export interface Correction {
  readonly written: string;
  readonly name: string;
  /** Another name that is just as near. */
  readonly other?: string;
}

const NAMES =
  'monday tuesday wednesday thursday friday saturday sunday january february march april august september october november december tomorrow tonight today every june july morning afternoon evening'.split(
    ' ',
  );
const KNOWN = new Set([...NAMES, ...NAMES.map((name) => `${name}s`)]);
/** The usual misspellings are read as they are written, so correcting them would leave no other reading. */
const READ_AS_WRITTEN = new RegExp(`^(?:${WEEKDAY}|${MONTH}|${TOMORROW})$`);

/** English words and names of people a letter away from a name. */
const OWN_WORDS = new Set(
  'sundae sundry sundew sunder match marsh larch parch starch marches marched arch merch mach marco marc marcy marci augusta toady toddy tody very ever emery avery eery evert mourning morning mornings evenings afternoons adorning warning'.split(
    ' ',
  ),
);

/**
 * The days as other calendars name them. This and the next are Maps, because a plain object would also have inherited
 * keys such as `constructor`.
 */
const FOREIGN_NAMES = new Map(
  Object.entries({
    montag: 'monday',
    dienstag: 'tuesday',
    mittwoch: 'wednesday',
    donnerstag: 'thursday',
    freitag: 'friday',
    samstag: 'saturday',
    sonnabend: 'saturday',
    sonntag: 'sunday',
    maandag: 'monday',
    dinsdag: 'tuesday',
    woensdag: 'wednesday',
    donderdag: 'thursday',
    vrijdag: 'friday',
    zaterdag: 'saturday',
    zondag: 'sunday',
    lundi: 'monday',
    mardi: 'tuesday',
    mercredi: 'wednesday',
    jeudi: 'thursday',
    vendredi: 'friday',
    samedi: 'saturday',
    dimanche: 'sunday',
    lunes: 'monday',
    martes: 'tuesday',
    miercoles: 'wednesday',
    jueves: 'thursday',
    viernes: 'friday',
    sabado: 'saturday',
  }),
);

/** Misspelt short names, beside a number only: most are words or names of their own elsewhere. */
const SHORT_NAMES = new Map(
  Object.entries({
    mno: 'monday',
    mnd: 'monday',
    tus: 'tuesday',
    tuse: 'tuesday',
    teus: 'tuesday',
    tusd: 'tuesday',
    wde: 'wednesday',
    wdn: 'wednesday',
    wen: 'wednesday',
    wends: 'wednesday',
    thr: 'thursday',
    thrs: 'thursday',
    thrus: 'thursday',
    frd: 'friday',
    satr: 'saturday',
    snu: 'sunday',
    setp: 'september',
    spet: 'september',
    otc: 'october',
  }),
);
/** Misspelt units, after "every" only. */
const UNIT_NAMES = new Map(
  Object.entries({
    dya: 'day',
    ady: 'day',
    dayy: 'day',
    weke: 'week',
    wek: 'week',
    weeek: 'week',
    mnth: 'month',
    monht: 'month',
    motnh: 'month',
    yaer: 'year',
    yera: 'year',
    horu: 'hour',
    huor: 'hour',
    mornign: 'morning',
    moring: 'morning',
    evning: 'evening',
    wekday: 'weekday',
    weekdya: 'weekday',
    wekend: 'weekend',
  }),
);
const AFTER_EVERY = /\b(?:ever?y|each|evey)(?:\s(?:\d{1,2}|other|second|two|three|four|six))?\s$/i;
const GRAS = /^\s+gras\b/i;
const BEFORE_NUMBER = /^,?\s+(?:at\s+)?\d/;
const AFTER_NUMBER = /\d(?:st|nd|rd|th)?\s+$/;

const MAX_CORRECTIONS = 4;
const LONGEST = Math.max(...NAMES.map(({ length }) => length)) + 3;

/** How many letters are off; two swapped ones count as one. Counts no further than 3. */
function distance(one: string, two: string): number {
  const rest = one.length - two.length;
  if (Math.abs(rest) > 2) return 3;
  let start = 0;
  while (start < one.length && one[start] === two[start]) start += 1;
  if (start === one.length || start === two.length) return Math.abs(rest);
  const [first, second] = [one.slice(start), two.slice(start)];
  const isSwap = first[0] === second[1] && first[1] === second[0] && first.length > 1;
  const ways = [
    stepsTo(first.slice(1), second.slice(1)),
    stepsTo(first.slice(1), second),
    stepsTo(first, second.slice(1)),
    ...(isSwap ? [stepsTo(first.slice(2), second.slice(2))] : []),
  ];
  return 1 + Math.min(...ways);
}

/** The rest may be one step off at most; more is too far anyway. */
function stepsTo(one: string, two: string): number {
  if (one === two) return 0;
  let start = 0;
  while (start < one.length && one[start] === two[start]) start += 1;
  const [first, second] = [one.slice(start), two.slice(start)];
  const isSwap =
    first.length > 1 && first[0] === second[1] && first[1] === second[0] && first.slice(2) === second.slice(2);
  const isOne = isSwap || first.slice(1) === second.slice(1) || first.slice(1) === second || first === second.slice(1);
  return isOne ? 1 : 2;
}

/** Only the same letters in another order, or one of them doubled. */
const isShuffled = (word: string, name: string): boolean => {
  const letters = (text: string) => [...new Set(text)].sort().join('');
  return word.length >= name.length && letters(word) === letters(name);
};

/** Long names may be two letters off. The shortest only swap or double letters: "jury" is no month. */
function isNear(word: string, name: string): boolean {
  const off = distance(word, name);
  if (off === 0 || off > 2) return false;
  const isSameStart = word[0] === name[0] || (word[0] === name[1] && word[1] === name[0]);
  if (name.length <= 5)
    return (
      off === 1 && isSameStart && (name === 'every' || isShuffled(word, name) || name === 'april' || name === 'march')
    );
  return off === 1 || (name.length >= 8 && isSameStart);
}

/** "wednes" and "satur"; other beginnings of a name are words: "sun", "mark". */
const CUT_OFF = /^(?:mond|tuesd|wedne?s?|thursd?|frid|satur?d?|sund)$/;

function correct(word: string): Omit<Correction, 'written'> | undefined {
  if (word.length < 4 || word.length > LONGEST || KNOWN.has(word) || OWN_WORDS.has(word)) return undefined;
  if (READ_AS_WRITTEN.test(word)) return undefined;
  const foreign = FOREIGN_NAMES.get(word);
  if (foreign) return { name: foreign };
  const whole = CUT_OFF.test(word) && NAMES.find((name) => name.startsWith(word));
  if (whole) return { name: whole };
  const near = NAMES.filter((name) => isNear(word, name));
  if (near.length === 0) {
    const singular = word.endsWith('s') ? correct(word.slice(0, -1)) : undefined;
    return singular && { ...singular, name: `${singular.name}s` };
  }
  const score = (name: string) => distance(word, name) * 2 + (name[0] === word[0] ? 0 : 1);
  near.sort((a, b) => score(a) - score(b));
  const [name = '', other] = near;
  return other !== undefined && score(other) === score(name) ? { name, other } : { name };
}

function correctionAt(text: string, index: number, written: string): Omit<Correction, 'written'> | undefined {
  const word = written.toLowerCase();
  const [before, after] = [
    text.slice(Math.max(0, index - 15), index),
    text.slice(index + word.length, index + word.length + 8),
  ];
  const unit = UNIT_NAMES.get(word);
  if (unit && AFTER_EVERY.test(before)) return { name: unit };
  const short = SHORT_NAMES.get(word);
  if (short && (BEFORE_NUMBER.test(after) || AFTER_NUMBER.test(before))) return { name: short };
  return GRAS.test(after) ? undefined : correct(word);
}

/** Every word that can be corrected, with its place. */
export function correctionsIn(text: string): (Correction & { readonly index: number })[] {
  const found: (Correction & { readonly index: number })[] = [];
  for (const { 0: written, index } of text.matchAll(
    /(?<![\p{L}\d_@#/.'’-])[A-Za-z]{3,12}(?![\p{L}\d_@'’]|[.-]\p{L})/gu,
  )) {
    const correction = correctionAt(text, index, written);
    if (correction) found.push({ written, index, ...correction });
    if (found.length === MAX_CORRECTIONS) break;
  }
  return found;
}
