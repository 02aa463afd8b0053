/** Encodes the last item of a page as a cursor. Clients treat it as opaque, so the order of a list can change. */
import { InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { AgendaPosition } from './agenda/agenda-entries.ts';
import type { TaskCursor, TaskPosition } from './shown-tasks.store.ts';
import type { SearchCursor } from './task-search.service.ts';
import type { EntryCursor } from './timeline/timeline.store.ts';

export const encodeTaskCursor = ({ list_rank, list_key, id }: TaskPosition): string =>
  encode([list_rank, list_key, id]);

export const decodeTaskCursor = (text: string): TaskCursor => toTaskCursor(decode(text));

function toTaskCursor([rank, key, id, ...rest]: readonly unknown[]): TaskCursor {
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

export const encodeSearchCursor = ({ start, last }: SearchCursor): string =>
  encode([last?.rank ?? -1, ...positionsOf(last?.position), ...positionsOf(start)]);

const positionsOf = (cursor: TaskCursor | undefined) => (cursor ? [cursor.rank, cursor.key, cursor.id] : []);

export function decodeSearchCursor(text: string): SearchCursor {
  const [rank, ...positions] = decode(text);
  const [last, start] = [positions.slice(0, 3), positions.slice(3)];
  if (!Number.isSafeInteger(rank)) throw invalidCursor();
  return {
    start: start.length === 0 ? undefined : toTaskCursor(start),
    last: { rank: Number(rank), position: toTaskCursor(last) },
  };
}

export const encodeEntryCursor = ({ at, id }: EntryCursor): string => encode([at.getTime(), id]);

export function decodeEntryCursor(text: string): EntryCursor {
  const [at, id, ...rest] = decode(text);
  const isValid =
    Number.isSafeInteger(at) && Math.abs(Number(at)) <= MAX_TIME_MS && typeof id === 'string' && isUuid(id);
  if (isValid && rest.length === 0) return { at: new Date(Number(at)), id };
  throw invalidCursor();
}

export const encodeAgendaCursor = (position: AgendaPosition): string => encode(position);

export function decodeAgendaCursor(text: string): AgendaPosition {
  const [at, id, kind, ...rest] = decode(text);
  const isValid =
    Number.isSafeInteger(at) && Math.abs(Number(at)) <= MAX_TIME_MS && typeof id === 'string' && isUuid(id);
  if (isValid && Number.isInteger(kind) && rest.length === 0) return [Number(at), String(id), Number(kind)];
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
