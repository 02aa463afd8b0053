/**
 * Counts the segments of a text message. Pure. Each segment is paid for. It has 160 characters of GSM-7, but only 70 if
 * one character is outside of GSM-7, so look-alikes replace typographic characters, and emoji are left out.
 */
const BASIC = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿' +
    'abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** These count as two characters. */
const EXTENDED = new Set('^{}\\[~]|€');
const GSM = { single: 160, joined: 153 } as const;
const UCS2 = { single: 70, joined: 67 } as const;
const LOOK_ALIKES: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u2032]/g, "'"],
  [/[\u201c\u201d\u201e\u2033]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/\u2026/g, '...'],
  [/\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u{1f1e6}-\u{1f1ff}\ufe0f\u200b-\u200d]/gu, ''],
  [/\s+/g, ' '],
];

/** Characters that are still outside of GSM-7 afterwards belong to another script, which must stay readable. */
export function toCheap(text: string): string {
  const folded = LOOK_ALIKES.reduce((shown, [pattern, by]) => shown.replaceAll(pattern, by), text.normalize('NFC'));
  const withoutMarks = [...folded].map((char) =>
    isGsm7(char) || !/\p{Script=Latin}/u.test(char) ? char : char.normalize('NFKD').replaceAll(/\p{Mark}/gu, ''),
  );
  return withoutMarks.join('').trim();
}

export function countSegments(text: string): number {
  const isGsm = isGsm7(text);
  const size = sizeOf(text, isGsm);
  const { single, joined } = isGsm ? GSM : UCS2;
  return size <= single ? 1 : Math.ceil(size / joined);
}

export const roomOf = (segments: number, isGsm: boolean): number => {
  const { single, joined } = isGsm ? GSM : UCS2;
  return segments === 1 ? single : segments * joined;
};

export const isGsm7 = (text: string): boolean => [...text].every((char) => BASIC.has(char) || EXTENDED.has(char));

export const sizeOf = (text: string, isGsm: boolean): number =>
  isGsm ? [...text].reduce((size, char) => size + (EXTENDED.has(char) ? 2 : 1), 0) : text.length;
