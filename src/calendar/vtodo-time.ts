/**
 * Reads the moments of an iCalendar file into date-times as our own API takes them. A zone is found
 * by its IANA name, by the name that Windows has for it, or by the rules that the file itself brings
 * along; a moment in a zone that is none of these is refused, since guessing would be hours wrong.
 */
import ICAL from 'ical.js';
import { findTimeZone } from '../lib/time-zone.ts';
import { UnreadableTodo } from './unreadable-todo.ts';
import { zoneOfWindows } from './windows-zones.ts';

export interface TodoMoment {
  /** ISO 8601; without an offset it is meant on its reader's wall clock. */
  readonly text: string;
  readonly hasTime: boolean;
}

type Zone = { readonly name: string } | { readonly rules: InstanceType<typeof ICAL.Timezone> };

const PLAIN_OFFSET = /^[+-]\d{2}:\d{2}$/;

export class TodoZones {
  readonly #components: ReadonlyMap<string, InstanceType<typeof ICAL.Component>>;
  readonly #known = new Map<string, Zone | undefined>();

  constructor(calendars: readonly InstanceType<typeof ICAL.Component>[]) {
    const components = calendars.flatMap((calendar) => calendar.getAllSubcomponents('vtimezone'));
    this.#components = new Map(components.map((zone) => [String(zone.getFirstPropertyValue('tzid')), zone]));
  }

  momentOf(property: InstanceType<typeof ICAL.Property>): TodoMoment {
    const [, , , value] = property.jCal as [string, object, string, unknown];
    const written = String(value);
    if (property.type === 'date') return { text: `${written}T00:00:00`, hasTime: false };
    const tzid = property.getFirstParameter('tzid');
    const isZoned = tzid !== undefined && tzid !== '' && !written.endsWith('Z');
    return { text: isZoned ? this.#withOffset(written, tzid) : written, hasTime: true };
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
      const known = findTimeZone(name) ?? zoneOfWindows(name);
      if (known !== undefined) return { name: known };
    }
    return component && { rules: new ICAL.Timezone(component) };
  }
}

/** Some programs put a path of their own before the name: `/example.org/2026/Europe/Berlin`. */
function* namesIn(tzid: string, location: string | undefined): Generator<string> {
  yield tzid;
  if (location !== undefined) yield location;
  const steps = tzid.split('/').filter((step) => step !== '');
  for (const count of [3, 2]) if (steps.length > count) yield steps.slice(-count).join('/');
}

/** An offset with seconds, from before there were zones, has no place in a date-time of ours. */
function zonedText(at: Temporal.ZonedDateTime): string {
  if (PLAIN_OFFSET.test(at.offset)) return `${at.toPlainDateTime().toString()}${at.offset}`;
  return at.toInstant().toString();
}
