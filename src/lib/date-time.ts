/**
 * Parses date-times as the API defines them: ISO 8601, the offset optional, every part in range. `new Date`
 * would turn 30 February into a day of March, and read a missing offset in the zone of the process.
 */
export interface WrittenDateTime {
  /** Date and time exactly as written. */
  readonly wall: Temporal.PlainDateTime;
  /** `Z` or `+02:00`, also if it was written without its colon; null means the zone of the user. */
  readonly offset: string | null;
}

const SHAPE = /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:([Zz])|([+-]\d{2}):?(\d{2}))?$/;
const OFFSET_IN_RANGE = /^(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Outside of this range an instant has no four-digit year in UTC. */
const FIRST = Temporal.PlainDateTime.from('0001-01-01T00:00');
const LAST = Temporal.PlainDateTime.from('9999-12-31T23:59:59.999999999');

/** Seconds are optional. A leap second is refused: our clocks never show one. */
export function parseDateTime(text: string): WrittenDateTime | undefined {
  const [, date, time, utc, hours, minutes] = SHAPE.exec(text) ?? [];
  if (date === undefined || time === undefined || time.slice(6, 8) === '60') return undefined;
  const offset = utc?.toUpperCase() ?? (hours === undefined ? null : `${hours}:${minutes}`);
  if (offset !== null && !OFFSET_IN_RANGE.test(offset)) return undefined;
  try {
    const wall = Temporal.PlainDateTime.from(`${date}T${time}`, { overflow: 'reject' });
    return hasFourDigitYearInUtc(wall, offset) ? { wall, offset } : undefined;
  } catch {
    return undefined;
  }
}

function hasFourDigitYearInUtc(wall: Temporal.PlainDateTime, offset: string | null): boolean {
  // An offset changes the year by one at most. The calculation below takes most of the parsing time.
  if (wall.year > FIRST.year && wall.year < LAST.year) return true;
  // Without an offset the zone is not known yet; a margin of one day covers every zone.
  const margin = offset === null ? 24 * 60 : 0;
  const utc = wall.subtract({ minutes: offsetMinutes(offset) });
  return (
    Temporal.PlainDateTime.compare(utc.subtract({ minutes: margin }), FIRST) >= 0 &&
    Temporal.PlainDateTime.compare(utc.add({ minutes: margin }), LAST) <= 0
  );
}

function offsetMinutes(offset: string | null): number {
  if (offset === null || offset === 'Z') return 0;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4, 6));
  return offset.startsWith('-') ? -minutes : minutes;
}

/** Without an offset, the date-time is read in the given zone; a time inside a DST gap moves later. */
export function toInstant({ wall, offset }: WrittenDateTime, zone: string): Date {
  const zoned = wall.toZonedDateTime(offset === null ? zone : 'UTC', { disambiguation: 'compatible' });
  return new Date(zoned.epochMilliseconds - offsetMinutes(offset) * 60_000);
}
