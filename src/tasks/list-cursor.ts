/** Where a list goes on: opaque to clients, so that the order can change without breaking them. */
import { InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Task } from './task-state.ts';
import type { Place } from './tasks.store.ts';
import type { EntryPlace } from './timeline.store.ts';

export const cursorAfter = ({ list_rank, list_key, id }: Task): string => encode([list_rank, list_key, id]);

export function readCursor(text: string): Place {
  const [rank, key, id, ...rest] = decode(text);
  if (
    typeof rank === 'number' &&
    [0, 1, 2].includes(rank) &&
    Number.isSafeInteger(key) &&
    typeof id === 'string' &&
    isUuid(id) &&
    rest.length === 0
  ) {
    return { rank, key: Number(key), id };
  }
  throw notACursor();
}

/** In a timeline, newest first. */
export const cursorBefore = ({ at, id }: EntryPlace): string => encode([at.getTime(), id]);

export function readEntryCursor(text: string): EntryPlace {
  const [at, id, ...rest] = decode(text);
  const isPlace =
    Number.isSafeInteger(at) && Math.abs(Number(at)) <= LAST_MOMENT && typeof id === 'string' && isUuid(id);
  if (isPlace && rest.length === 0) return { at: new Date(Number(at)), id };
  throw notACursor();
}

/** PostgreSQL knows fewer years than JavaScript. */
const LAST_MOMENT = 253_402_300_799_999;

const notACursor = () =>
  new InvalidInput({
    type: 'value_error',
    loc: ['query', 'cursor'],
    msg: 'Input should be a cursor that a list gave out',
  });

const encode = (place: readonly unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function decode(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
