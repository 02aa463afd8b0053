/** Encodes the last item of a page as a cursor. Clients treat it as opaque, so the order of a list can change. */
import { InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { TaskCursor, TaskPosition } from './shown-tasks.store.ts';
import type { EntryCursor } from './timeline/timeline.store.ts';

export const encodeTaskCursor = ({ list_rank, list_key, id }: TaskPosition): string =>
  encode([list_rank, list_key, id]);

export function decodeTaskCursor(text: string): TaskCursor {
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
  throw invalidCursor();
}

export const encodeEntryCursor = ({ at, id }: EntryCursor): string => encode([at.getTime(), id]);

export function decodeEntryCursor(text: string): EntryCursor {
  const [at, id, ...rest] = decode(text);
  const isValid =
    Number.isSafeInteger(at) && Math.abs(Number(at)) <= MAX_TIME_MS && typeof id === 'string' && isUuid(id);
  if (isValid && rest.length === 0) return { at: new Date(Number(at)), id };
  throw invalidCursor();
}

/** The end of the year 9999. PostgreSQL's range of years is smaller than JavaScript's. */
const MAX_TIME_MS = 253_402_300_799_999;

const invalidCursor = () =>
  new InvalidInput({
    type: 'value_error',
    loc: ['query', 'cursor'],
    msg: 'Input should be a cursor that a list gave out',
  });

const encode = (position: readonly unknown[]): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function decode(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(value) && encode(value) === text ? value : [];
  } catch {
    return [];
  }
}
