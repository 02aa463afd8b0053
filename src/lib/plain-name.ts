/**
 * Cleans a name that one person chose, for a mail to another. The result cannot be a link, a header or a message:
 * letters, digits, emoji and a few signs, cut to 40 characters.
 */
const MAX_LENGTH = 40;
const NOT_IN_NAMES = /[^\p{L}\p{M}\p{N}\p{So} '’&(),!+-]+/gu;

/** Empty if nothing is left. */
export function plainName(text: string): string {
  const name = text.replaceAll(NOT_IN_NAMES, ' ').replaceAll(/ {2,}/g, ' ').trim();
  const characters = [...name];
  if (characters.length <= MAX_LENGTH) return name;
  const start = characters.slice(0, MAX_LENGTH - 1).join('');
  return `${start.trimEnd()}…`;
}
