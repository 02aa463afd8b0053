/** Feasts on another date each year: those around Easter, and those on the nth weekday of a month. */
import { nthWeekday } from './days.ts';
import { addDays, type Day } from './wall-time.ts';

const S = "(?:['’]?s['’]?)?";

/** The Gregorian rule of Meeus, Jones and Butcher. */
function easter(year: number): Day {
  const [golden, century, ofCentury] = [year % 19, Math.floor(year / 100), year % 100];
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const moon = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const sunday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - moon - (ofCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * moon + 22 * sunday) / 451);
  const days = moon + sunday - 7 * shift + 114;
  return { year, month: Math.floor(days / 31), day: (days % 31) + 1 };
}

const [MONDAY, THURSDAY, SUNDAY] = [0, 3, 6];
const fromEaster = (days: number) => (year: number) => addDays(easter(year), days);
const nth =
  (place: number, weekday: number, month: number, days = 0) =>
  (year: number): Day => {
    const first = { year, month, day: 1 };
    return addDays(nthWeekday(first, place, weekday, first) ?? first, days);
  };

type Feast = readonly [source: string, dateIn: (year: number) => Day, isRegional?: 'regional'];
/** A regional feast is on another day in other countries. */
const FEASTS: readonly Feast[] = [
  ['easter monday', fromEaster(1)],
  ['easter saturday', fromEaster(-1)],
  ['easter(?: sunday| day)?', fromEaster(0)],
  ['good friday', fromEaster(-2)],
  ['maundy thursday', fromEaster(-3)],
  ['palm sunday', fromEaster(-7)],
  ['mothering sunday', fromEaster(-21)],
  ['ash wednesday', fromEaster(-46)],
  ['shrove tuesday|fat tuesday|pancake day|mardi gras', fromEaster(-47)],
  ['ascension day', fromEaster(39)],
  ['pentecost|whit sunday', fromEaster(49)],
  ['(?:whit|pentecost) monday', fromEaster(50)],
  ['corpus christi', fromEaster(60)],
  ['thanksgiving(?: day)?', nth(4, THURSDAY, 11), 'regional'],
  ['black friday', nth(4, THURSDAY, 11, 1)],
  ['cyber monday', nth(4, THURSDAY, 11, 4)],
  [`mother${S} day`, nth(2, SUNDAY, 5), 'regional'],
  [`father${S} day`, nth(3, SUNDAY, 6), 'regional'],
  ['labou?r day', nth(1, MONDAY, 9), 'regional'],
  ['memorial day', nth(-1, MONDAY, 5)],
  ['mlk day|martin luther king(?: jr\\.?)? day', nth(3, MONDAY, 1)],
  [`president${S} day`, nth(3, MONDAY, 2)],
];

export const MOVING_FEAST = `(?:${FEASTS.map(([source]) => source).join('|')})`;

const PATTERNS = FEASTS.map(([source, dateIn, regional]) => ({
  pattern: new RegExp(`^(?:${source})$`),
  dateIn,
  isRegional: regional !== undefined,
}));

export const movingFeastOf = (name: string) => PATTERNS.find(({ pattern }) => pattern.test(name));
