import { createHash, randomUUIDv7 } from 'node:crypto';

/** UUID version 7 starts with the time, so new rows are next to each other in an index. */
export const newId = (): string => randomUUIDv7();

/**
 * Gives the items ids in their order, after an earlier id. New ids of the same millisecond are in no order by
 * themselves, and after a clock was set back they are lower.
 */
export function withAscendingIds<T>(items: readonly T[], after = ''): [id: string, item: T][] {
  const drawn = items.map(newId).sort();
  const ids = (drawn[0] ?? '') > after ? drawn : items.map((_, index) => idAfter(after, index + 1));
  return items.map((item, index) => [ids[index] as string, item]);
}

const LAST_DIGITS = 12;

/** The id that is so many places further. */
function idAfter(id: string, places: number): string {
  const end = Number.parseInt(id.slice(-LAST_DIGITS), 16) + places;
  return id.slice(0, -LAST_DIGITS) + (end % 16 ** LAST_DIGITS).toString(16).padStart(LAST_DIGITS, '0');
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

/** As many characters as tell the tasks of one account apart: the end of an id is random, its beginning is a time. */
export const ID_END_LENGTH = 8;

const ID_END = new RegExp(`^[0-9a-f]{${ID_END_LENGTH}}$`, 'i');

export const endOfId = (id: string): string => id.slice(-ID_END_LENGTH);

export const isEndOfId = (text: string): boolean => ID_END.test(text);

/** Lower than every id created at that moment or later. */
export function lowestIdAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The same words always give the same id. UUID version 8 is for custom schemes. */
export function idFromWords(...words: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(words)).digest('hex');
  const variant = '89ab'[Number.parseInt(hex[16] ?? '0', 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
