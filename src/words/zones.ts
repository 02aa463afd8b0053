/** A time on the clock of another place: "9am EST", "14:00 UTC+2", "2pm London time". It is converted, and a guess. */
import { type Groups, PHRASE_END, type Reader, wholeWords } from './remaining-text.ts';
import type { Schedule } from './schedule.ts';
import { formatIsoDate, formatIsoTime, toInstant, toTimeOfDay, toWallTime, type WallTime } from './wall-time.ts';

const ABBREVIATIONS: readonly (readonly [source: string, zone: string])[] = [
  ['e[sd]t', 'America/New_York'],
  ['c[sd]t', 'America/Chicago'],
  ['m[sd]t', 'America/Denver'],
  ['p[sd]t', 'America/Los_Angeles'],
  ['akst|akdt', 'America/Anchorage'],
  ['gmt|utc', 'UTC'],
  ['bst', 'Europe/London'],
  ['cest|cet|mesz|mez', 'Europe/Berlin'],
  ['eest|eet', 'Europe/Athens'],
  ['msk', 'Europe/Moscow'],
  ['jst', 'Asia/Tokyo'],
  ['kst', 'Asia/Seoul'],
  ['sgt', 'Asia/Singapore'],
  ['hkt', 'Asia/Hong_Kong'],
  ['ae[sd]t', 'Australia/Sydney'],
  ['aw[sd]t', 'Australia/Perth'],
  ['nz[sd]t', 'Pacific/Auckland'],
];
/** Also words: only in capitals, or where the moment ends. */
const SHORT: readonly (readonly [source: string, zone: string])[] = [
  ['et|eastern', 'America/New_York'],
  ['ct|central', 'America/Chicago'],
  ['mt|mountain', 'America/Denver'],
  ['pt|pacific', 'America/Los_Angeles'],
  ['ist', 'Asia/Kolkata'],
];
/** Before "time", beside the cities that name a zone. */
const PLACES: readonly (readonly [source: string, zone: string])[] = [
  ['eastern', 'America/New_York'],
  ['central', 'America/Chicago'],
  ['mountain', 'America/Denver'],
  ['pacific|california|san francisco|seattle', 'America/Los_Angeles'],
  ['ny|nyc|boston|washington', 'America/New_York'],
  ['uk|british|england', 'Europe/London'],
  ['german|germany|munich|hamburg|frankfurt', 'Europe/Berlin'],
  ['french|france', 'Europe/Paris'],
  ['central european', 'Europe/Berlin'],
  ['india|indian|delhi|mumbai|bangalore', 'Asia/Kolkata'],
  ['japan|japanese', 'Asia/Tokyo'],
  ['china|chinese|beijing', 'Asia/Shanghai'],
  ['universal', 'UTC'],
];

const CLOCK = String.raw`(?<=(?:\d\s?[ap]\.?m\.?|\d[ap]|\d[:.]\d\d|\d\s?h(?:\d\d)?|\bat\s\d{1,2}|o['’]clock|noon|midnight|uhr)\s?[(\[]?)`;
const UTC_OFFSET = String.raw`(?:utc|gmt)\s?(?<sign>[+–-])\s?(?<hours>1[0-4]|0?\d)(?::?(?<minutes>00|30|45))?`;

/** One pattern finds them all; the tables say what each name means. */
const names = (table: typeof PLACES) => table.map(([source]) => source).join('|');
const zoneIn = (table: typeof PLACES, name: string): string | undefined =>
  table.find(([source]) => new RegExp(`^(?:${source})$`).test(name))?.[1];

/** "new york" names America/New_York. */
function zoneOfPlace(name: string): string | undefined {
  const known = zoneIn(PLACES, name);
  if (known) return known;
  const city = `/${name.replaceAll(' ', '_')}`;
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase().endsWith(city));
}

function zoneOfOffset({ sign, hours = '', minutes = '00' }: Groups): string {
  return `${sign === '+' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`;
}

export const zoneReaders: readonly Reader<string>[] = [
  [wholeWords(String.raw`${CLOCK}${UTC_OFFSET}`), ({ groups }) => zoneOfOffset(groups ?? {})],
  [
    wholeWords(String.raw`${CLOCK}(?<name>${names(ABBREVIATIONS)})(?!\s?[+–-]\s?\d)`),
    ({ groups }) => zoneIn(ABBREVIATIONS, groups?.name ?? ''),
  ],
  [
    wholeWords(String.raw`${CLOCK}(?<name>${names(SHORT)})(?:(?<end>${PHRASE_END})|)`),
    ({ 0: words, index = 0, groups }, written) => {
      const isCapital = /^[A-Z]+$/.test(written.slice(index, index + words.length));
      return isCapital || groups?.end !== undefined ? zoneIn(SHORT, groups?.name ?? '') : undefined;
    },
  ],
  [
    wholeWords(
      String.raw`${CLOCK}(?:in )?(?<name>[a-z]{2,14}(?: [a-z]{2,12}){0,2}?)(?: (?:standard|daylight|summer|local))? time`,
    ),
    ({ groups }) => zoneOfPlace(groups?.name ?? ''),
  ],
];

/** The same moments on the person's own clock. Undefined where a rule cannot say them, as they fall on another day. */
export function onOwnClock(schedule: Schedule, from: string, zone: string): Schedule | undefined {
  const { due, recurrence } = schedule;
  if (!due) return undefined;
  const convert = (wall: WallTime) => toWallTime(toInstant(wall, from), zone);
  const moved = convert(due);
  if (!recurrence) return { ...schedule, due: moved };
  const days = (recurrence.by_time ?? []).map((time) => convert({ ...due, ...toTimeOfDay(time) }));
  const isSameDay = [moved, ...days].every((wall) => formatIsoDate(wall) === formatIsoDate(due));
  if (!isSameDay) return undefined;
  const by_time = days.map(formatIsoTime);
  return { ...schedule, due: moved, recurrence: { ...recurrence, ...(by_time.length > 0 && { by_time }) } };
}
