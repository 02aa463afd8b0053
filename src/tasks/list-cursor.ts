/** Where a list goes on: opaque to clients, so that the order can change without breaking them. */
import { InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Task } from './task-state.ts';
import type { Place } from './tasks.store.ts';

export const cursorAfter = ({ list_rank, list_key, id }: Task): string =>
  Buffer.from(JSON.stringify([list_rank, list_key, id])).toString('base64url');

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
  throw new InvalidInput({
    type: 'value_error',
    loc: ['query', 'cursor'],
    msg: 'Input should be a cursor that a list gave out',
  });
}

function decode(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
