/**
 * Converts the date-times of an iCalendar file to the form that the API accepts. A time zone is found by
 * its IANA name, its Windows name, or its VTIMEZONE in the file. A date-time in any other zone is
 * refused, since a guess could be hours wrong.
 */
import ICAL from 'ical.js';
import { findTimeZone } from '../lib/time-zone.ts';
import { findWindowsZone } from './windows-zones.ts';

/** A task that is refused. The message is for its owner and never repeats a value of the file. */
export class UnreadableTodo extends Error {
  override readonly name = 'UnreadableTodo';
}

export interface TodoMoment {
  /** ISO 8601; without an offset it means the importing owner's wall clock. */
  readonly text: string;
  readonly hasTime: boolean;
}

type Zone = { readonly name: string } | { readonly rules: InstanceType<typeof ICAL.Timezone> };

type Property = InstanceType<typeof ICAL.Property>;

const DAY_SECONDS = 86_400;
/** Five years, in which Ramadan, when some clocks change, moves through much of the year. */
const WEEKS_COMPARED = 261;
const PLAIN_OFFSET = /^[+-]\d{2}:\d{2}$/;

export class TodoZones {
  readonly #components: ReadonlyMap<string, InstanceType<typeof ICAL.Component>>;
  /** By both zones and the first year. */
  readonly #parallel = new Map<string, boolean>();
  readonly #known = new Map<string, Zone | undefined>();

  constructor(calendars: readonly InstanceType<typeof ICAL.Component>[]) {
    const components = calendars.flatMap((calendar) => calendar.getAllSubcomponents('vtimezone'));
    this.#components = new Map(components.map((zone) => [String(zone.getFirstPropertyValue('tzid')), zone]));
  }

  momentOf(property: Property): TodoMoment {
    const written = writtenIn(property);
    if (property.type === 'date') return { text: `${written}T00:00:00`, hasTime: false };
    const tzid = tzidOf(property);
    return { text: tzid === undefined ? written : this.#withOffset(written, tzid), hasTime: true };
  }

  /** RFC 5545 §3.3.6: days are added on the wall clock of the zone, then hours as elapsed time. */
  momentAfter(property: Property, days: number, seconds: number): TodoMoment {
    const isDate = property.type === 'date';
    const hasTime = !isDate || seconds % DAY_SECONDS !== 0;
    const [, wall = '', utc = ''] = /^(.*?)(Z?)$/.exec(writtenIn(property)) ?? [];
    const ends = Temporal.PlainDateTime.from(wall).add({ days });
    const tzid = tzidOf(property);
    if (isDate || tzid === undefined) return { text: `${ends.add({ seconds }).toString()}${utc}`, hasTime };
    const at = Temporal.Instant.from(this.#withOffset(ends.toString(), tzid)).add({ seconds });
    return { text: at.toString(), hasTime };
  }

  /**
   * Whether a series in the zone of this property keeps its wall-clock time in the other zone. Compares
   * the two week by week for some years: clocks that change together in these keep doing so.
   */
  keepsTimeIn(property: Property, zone: string): boolean {
    const written = writtenIn(property);
    const tzid = written.endsWith('Z') ? 'UTC' : tzidOf(property);
    if (property.type === 'date' || tzid === undefined) return true;
    const year = written.slice(0, 4);
    const key = `${tzid} ${zone} ${year}`;
    const known = this.#parallel.get(key) ?? this.#runsParallel(tzid, zone, `${year}-01-01T12:00:00`);
    this.#parallel.set(key, known);
    return known;
  }

  #runsParallel(tzid: string, zone: string, from: string): boolean {
    const begin = Temporal.PlainDateTime.from(from);
    const distances = Array.from({ length: WEEKS_COMPARED }, (_, weeks) => {
      const wall = begin.add({ weeks });
      const there = Temporal.Instant.from(this.#withOffset(wall.toString(), tzid));
      return wall.until(there.toZonedDateTimeISO(zone).toPlainDateTime()).total('minutes');
    });
    return distances.every((distance) => distance === distances[0]);
  }

  #withOffset(written: string, tzid: string): string {
    const zone = this.#find(tzid);
    if (!zone) throw new UnreadableTodo('Its time zone is not known, and the file does not describe it');
    try {
      const wall = Temporal.PlainDateTime.from(written);
      if ('name' in zone) return zonedText(wall.toZonedDateTime(zone.name));
      const offset = zone.rules.utcOffset(ICAL.Time.fromDateTimeString(written));
      return `${wall.subtract({ seconds: offset }).toString()}Z`;
    } catch (error) {
      throw new UnreadableTodo('It has a date-time that cannot be read', { cause: error });
    }
  }

  #find(tzid: string): Zone | undefined {
    if (!this.#known.has(tzid)) this.#known.set(tzid, this.#resolve(tzid));
    return this.#known.get(tzid);
  }

  #resolve(tzid: string): Zone | undefined {
    const component = this.#components.get(tzid);
    const location = component?.getFirstPropertyValue('x-lic-location');
    for (const name of namesIn(tzid, typeof location === 'string' ? location : undefined)) {
      const known = findTimeZone(name) ?? findWindowsZone(name);
      if (known !== undefined) return { name: known };
    }
    return component && { rules: new ICAL.Timezone(component) };
  }
}

function writtenIn(property: Property): string {
  const [, , , value] = property.jCal as [string, object, string, unknown];
  return String(value);
}

/** Undefined for a date-time in UTC or without a zone. */
function tzidOf(property: Property): string | undefined {
  const tzid = property.getFirstParameter('tzid');
  return tzid === undefined || tzid === '' || writtenIn(property).endsWith('Z') ? undefined : tzid;
}

/** Some programs put a path of their own in front of the name: `/example.org/2026/Europe/Berlin`. */
function* namesIn(tzid: string, location: string | undefined): Generator<string> {
  yield tzid;
  if (location !== undefined) yield location;
  const parts = tzid.split('/').filter((part) => part !== '');
  for (const count of [3, 2]) if (parts.length > count) yield parts.slice(-count).join('/');
}

/** Historical offsets can have seconds, which our date-times cannot express. */
function zonedText(at: Temporal.ZonedDateTime): string {
  if (PLAIN_OFFSET.test(at.offset)) return `${at.toPlainDateTime().toString()}${at.offset}`;
  return at.toInstant().toString();
}
