/**
 * Describes a time zone as VTIMEZONE, for calendars that do not know it by name. The clock changes are
 * listed one by one instead of as a rule: a list is right for every zone, including Morocco, whose
 * clocks change with Ramadan.
 */

/** [name, parameters, type, values…] and [name, properties, components], as jCal (RFC 7265) has them. */
export type Property = [name: string, parameters: Record<string, string>, type: string, ...values: unknown[]];
export type Component = [name: string, properties: Property[], components: Component[]];

/** For repeating events, and for calendars that stop refreshing; the others refresh every hour. */
const YEARS_AHEAD = 10;
/** Earlier offsets have odd minutes and seconds, and no reminder needs them. */
const FIRST_YEAR = 1970;

interface Change {
  readonly wall: string;
  readonly from: string;
  readonly to: string;
}

export function zoneComponent(zone: string, earliest: Temporal.PlainDateTime, now: Date): Component {
  const firstYear = Math.max(FIRST_YEAR, earliest.year - 1);
  const begin = Temporal.PlainDateTime.from({ year: firstYear, month: 1, day: 1 }).toZonedDateTime(zone);
  const lastYear = begin.withTimeZone(zone).year > now.getUTCFullYear() ? begin.year : now.getUTCFullYear();
  const offset = begin.offset;
  const observances = [observance([{ wall: wallText(begin), from: offset, to: offset }])];
  for (const changes of changesBetween(begin, lastYear + YEARS_AHEAD).values()) observances.push(observance(changes));
  return ['vtimezone', [['tzid', {}, 'text', zone]], observances];
}

/** Every change of the zone's clocks, grouped by the two offsets. */
function changesBetween(begin: Temporal.ZonedDateTime, lastYear: number): Map<string, Change[]> {
  const changes = new Map<string, Change[]>();
  for (let at = begin.getTimeZoneTransition('next'); at && at.year <= lastYear; at = at.getTimeZoneTransition('next')) {
    const from = at.subtract({ nanoseconds: 1 }).offset;
    const to = at.offset;
    // RFC 5545 §3.6.5: a change is written in the local time that was valid before it.
    const change = { wall: wallText(at.withTimeZone(from)), from, to };
    changes.set(`${from} ${to}`, [...(changes.get(`${from} ${to}`) ?? []), change]);
  }
  return changes;
}

function observance([first, ...others]: readonly Change[]): Component {
  if (!first) throw new Error('An observance needs at least one change.');
  const properties: Property[] = [
    ['dtstart', {}, 'date-time', first.wall],
    ['tzoffsetfrom', {}, 'utc-offset', first.from],
    ['tzoffsetto', {}, 'utc-offset', first.to],
  ];
  // One property per date: when ical.js reads a zone, it uses only the first date of a list.
  for (const { wall } of others) properties.push(['rdate', {}, 'date-time', wall]);
  return [secondsOf(first.to) > secondsOf(first.from) ? 'daylight' : 'standard', properties, []];
}

const wallText = (at: Temporal.ZonedDateTime): string => at.toPlainDateTime().toString({ smallestUnit: 'second' });

function secondsOf(offset: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3_600 + minutes * 60 + seconds);
}
