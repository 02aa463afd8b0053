/**
 * Whether the keys at hand are those of the data. A service with other keys could check no second
 * factor and would seal what nobody opens later, so it is better not started at all.
 */

/** `named` are the keys that the database names, `known` those at hand. One in common is enough: the others may be to come. */
export const isKeyOfData = (named: readonly string[], known: readonly string[]): boolean =>
  named.length === 0 || named.some((id) => known.includes(id));

/** `place` is where the keys at hand come from: a setting or a file. */
export const otherKeyLine = (place: string, named: readonly string[]): string =>
  `${place} is not the key of this database, which was sealed with ${namesOf(named)}`;

export const missingKeyLine = (file: string, named: readonly string[] = []): string =>
  `There is no ${file}, and this database was sealed with ${named.length === 0 ? 'a key' : namesOf(named)}`;

export const KEY_REMEDY =
  'Bring the right key back (from a backup, or see whether DATABASE_URL and DATA_DIR belong together): without it no ' +
  'second factor works. Only if it is lost for good: crescendo keys forget.';

const namesOf = (ids: readonly string[]) => `${ids.length === 1 ? 'key' : 'one of the keys'} ${ids.join(', ')}`;
