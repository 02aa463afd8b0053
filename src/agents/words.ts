/** Instants as a model reads them best: in the user's zone, with the offset for machines and in words for people. */
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');

export const zonedAt = (instant: Date, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);

interface Told {
  readonly local: string;
  readonly words: string;
}

/** The moments of the last answers: a list names the same few again and again, and asking the zone is what costs. */
const told = new Map<string, Told>();
const MOST_TOLD = 5_000;

function tell(instant: Date, zone: string): Told {
  const key = `${instant.getTime()} ${zone}`;
  const known = told.get(key);
  if (known) return known;
  const moment = zonedAt(instant, zone);
  const local = moment.toString({ timeZoneName: 'never', smallestUnit: 'second' });
  const answer = { local, words: `${dateInWords(moment)} at ${local.slice(11, 16)}` };
  if (told.size >= MOST_TOLD) told.clear();
  told.set(key, answer);
  return answer;
}

/** `2026-03-02T10:15:00+01:00` */
export const localTime = (instant: Date, zone: string): string => tell(instant, zone).local;

/** `Monday, 2 March 2026 at 10:15` */
export const timeInWords = (instant: Date, zone: string): string => tell(instant, zone).words;

/** `Monday, 2 March 2026` */
export const dateInWords = ({ dayOfWeek, day, month, year }: Temporal.PlainDate | Temporal.ZonedDateTime): string =>
  `${WEEKDAYS[dayOfWeek - 1]}, ${day} ${MONTHS[month - 1]} ${year}`;

const UNITS: readonly [name: string, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `in 3 hours`, `5 minutes ago`, `now`: the largest unit of which there are at least two. */
export function distanceInWords(from: Date, to: Date): string {
  const ms = to.getTime() - from.getTime();
  const distance = Math.abs(ms);
  if (distance < 60_000) return ms <= 0 ? 'now' : 'in less than a minute';
  const [name, unit] = UNITS.find(([, size]) => distance >= size * 2) ?? ['minute', 60_000];
  const count = Math.round(distance / unit);
  const amount = `${count} ${name}${count === 1 ? '' : 's'}`;
  return ms > 0 ? `in ${amount}` : `${amount} ago`;
}

/**
 * The day of a task without a time. The API tells an instant; it was written either in the user's
 * zone or, by programs, in UTC, and stands at midnight in the one it was written in.
 */
export function dayOf(instant: Date, zone: string): Temporal.PlainDate {
  const [local, utc] = [zonedAt(instant, zone), zonedAt(instant, 'UTC')];
  const isMidnight = (moment: Temporal.ZonedDateTime) => moment.hour === 0 && moment.minute === 0;
  return (!isMidnight(local) && isMidnight(utc) ? utc : local).toPlainDate();
}
