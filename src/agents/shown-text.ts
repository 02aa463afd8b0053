/**
 * Text that people and other agents wrote, as tool results show it. It must never look like the service's own words:
 * in a sentence it is quoted as JSON, so that it has no line breaks and no closing quote, and characters that hide or
 * turn around what follows are replaced.
 */

/**
 * Controls, direction marks and overrides, invisible characters, separators of lines and fillers. Tab and line feed
 * stay, which JSON escapes, and so do the joiners of emoji and of Persian words.
 */
const DISGUISES = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
const REPLACEMENT = '\ufffd';

/** Cut to so many characters, with an ellipsis. */
export function shown(text: string, most = Number.POSITIVE_INFINITY): string {
  const plain = text.replaceAll(DISGUISES, REPLACEMENT);
  if (plain.length <= most) return plain;
  return `${plain
    .slice(0, most)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}

export const quoted = (text: string, most?: number): string => JSON.stringify(shown(text, most));

export const hasDisguise = (text: string): boolean => text.search(DISGUISES) !== -1;
