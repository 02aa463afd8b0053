/**
 * Phrases that follow from lists: every weekday, month, misspelling and time in several forms. The dates beside the
 * names were looked up in a calendar. A meaning is written as in `phrases.ts`, with what is guessed at its end: `?half`.
 */
import type { Phrase } from './phrases.ts';

/** Its short name, code, next date, date in the next week, and first date from today on. */
const WEEKDAYS: readonly (readonly [
  name: string,
  short: string,
  code: string,
  next: string,
  after: string,
  first: string,
])[] = [
  ['monday', 'mon', 'mo', '2026-03-09', '2026-03-09', '2026-03-02'],
  ['tuesday', 'tue', 'tu', '2026-03-03', '2026-03-10', '2026-03-03'],
  ['wednesday', 'wed', 'we', '2026-03-04', '2026-03-11', '2026-03-04'],
  ['thursday', 'thu', 'th', '2026-03-05', '2026-03-12', '2026-03-05'],
  ['friday', 'fri', 'fr', '2026-03-06', '2026-03-13', '2026-03-06'],
  ['saturday', 'sat', 'sa', '2026-03-07', '2026-03-14', '2026-03-07'],
  ['sunday', 'sun', 'su', '2026-03-08', '2026-03-15', '2026-03-08'],
];

/** Of today's weekday it is a guess which week is meant: this one for a time that is ahead. */
const isToday = (first: string) => first === '2026-03-02';
const guessed = (kinds: readonly string[], first: string): string => {
  const all = [...kinds, ...(isToday(first) ? ['week'] : [])];
  return all.length > 0 ? ` | ?${all}` : '';
};

const weekdayPhrases = WEEKDAYS.flatMap(([name, short, code, next, after, first]): Phrase[] => [
  [`vet ${name}`, `vet | ${next}${guessed([], first)}`],
  [`vet on ${name}`, `vet | ${next}${guessed([], first)}`],
  [`${name} vet`, `vet | ${next}${guessed([], first)}`],
  [`vet next ${name}`, `vet | ${after}${next === after ? '' : ' | ?week'}`],
  [`vet ${name} 3pm`, `vet | ${first} 15:00${guessed([], first)}`],
  [`vet ${short} 14:30`, `vet | ${first} 14:30${guessed([], first)}`],
  [`vet ${short} 4`, `vet | ${first} 16:00${guessed(['half'], first)}`],
  [`dinner ${short} 7`, `dinner | ${first} 19:00${guessed([], first)}`],
  [`${name} 10 vet`, `vet | ${next} 10:00 | ?words,half`],
  [`${name} 3 eggs`, `3 eggs | ${next}${guessed([], first)}`],
  [`vet ${name} at noon`, `vet | ${first} 12:00${guessed([], first)}`],
  [`vet ${name} morning`, `vet | ${next} 09:00`],
  [`vet ${name} evening`, `vet | ${first} 19:00${guessed(['part'], first)}`],
  [`choir every ${name}`, `choir | ${first} | weekly ${code}`],
  [`choir every ${name} 8pm`, `choir | ${first} 20:00 | weekly ${code}`],
  [`choir ${name}s 8pm`, `choir | ${first} 20:00 | weekly ${code}`],
  [`choir every other ${name}`, `choir | ${first} | weekly/2 ${code}`],
]);

/** The year of its 14th and its short name. */
const MONTHS: readonly (readonly [name: string, short: string, date: string])[] = [
  ['january', 'jan', '2027-01-14'],
  ['february', 'feb', '2027-02-14'],
  ['march', 'mar', '2026-03-14'],
  ['april', 'apr', '2026-04-14'],
  ['may', 'may', '2026-05-14'],
  ['june', 'jun', '2026-06-14'],
  ['july', 'jul', '2026-07-14'],
  ['august', 'aug', '2026-08-14'],
  ['september', 'sep', '2026-09-14'],
  ['october', 'oct', '2026-10-14'],
  ['november', 'nov', '2026-11-14'],
  ['december', 'dec', '2026-12-14'],
];

const monthPhrases = MONTHS.flatMap(([name, short, date]): Phrase[] => {
  // January and February have passed, so which year is meant is a guess.
  const year = date.startsWith('2027') ? ' | ?year' : '';
  const day = date.slice(4);
  return [
    [`tax 14 ${name}`, `tax | ${date}${year}`],
    [`tax ${name} 14th`, `tax | ${date}${year}`],
    [`tax the 14th of ${name} 9am`, `tax | ${date} 09:00${year}`],
    [`tax 14 ${short} 2027`, `tax | 2027${day}`],
    [`tax ${short} 14, 2028`, `tax | 2028${day}`],
    [`tax every 14 ${name}`, `tax | ${date} | yearly d14 m${Number(date.slice(5, 7))}`],
  ];
});

/** What people write for a weekday when a letter is off, doubled, missing or swapped. */
const MISSPELT_DAYS: Readonly<Record<string, readonly string[]>> = {
  monday: ['mondy', 'modnay', 'monady', 'mnoday', 'mondday', 'monnday', 'mondya', 'omnday'],
  tuesday: ['tusday', 'tuseday', 'teusday', 'tuesdy', 'tuesdday', 'tueday', 'tuesdya', 'tuedsay'],
  wednesday: ['wendsday', 'wedensday', 'wendesday', 'wedneday', 'wednessday', 'wednedsay'],
  thursday: ['thrusday', 'thurday', 'thursdya', 'thurdsay', 'thusrday', 'thirsday', 'thurssday', 'hursday'],
  friday: ['firday', 'frday', 'fridy', 'fryday', 'fridya', 'frieday', 'friiday', 'rfiday'],
  saturday: ['saterday', 'satruday', 'saturdy', 'satuday', 'saturady', 'satturday', 'sautrday', 'saturdya'],
  sunday: ['sunady', 'sundy', 'snday', 'sunay', 'suday', 'sunnday', 'usnday', 'sundya'],
};

const misspeltDays = WEEKDAYS.flatMap(([name, , code, , , first]) =>
  (MISSPELT_DAYS[name] ?? []).flatMap((written): Phrase[] => [
    [`${written} 4pm haircut`, `haircut | ${first} 16:00${guessed(['spelling'], first)}`],
    [`gym every ${written} 11pm`, `gym | ${first} 23:00 | weekly ${code} | ?spelling`],
  ]),
);

const MISSPELT_MONTHS: readonly (readonly [written: string, date: string])[] = [
  ['janurary', '2027-01-14'],
  ['januray', '2027-01-14'],
  ['feburary', '2027-02-14'],
  ['marhc', '2026-03-14'],
  ['mrach', '2026-03-14'],
  ['apirl', '2026-04-14'],
  ['arpil', '2026-04-14'],
  ['aprill', '2026-04-14'],
  ['jnue', '2026-06-14'],
  ['junee', '2026-06-14'],
  ['jully', '2026-07-14'],
  ['jluy', '2026-07-14'],
  ['agust', '2026-08-14'],
  ['augst', '2026-08-14'],
  ['septmber', '2026-09-14'],
  ['setpember', '2026-09-14'],
  ['septembre', '2026-09-14'],
  ['ocotber', '2026-10-14'],
  ['octber', '2026-10-14'],
  ['novemeber', '2026-11-14'],
  ['novmber', '2026-11-14'],
  ['decmber', '2026-12-14'],
  ['decemeber', '2026-12-14'],
];

const misspeltMonths = MISSPELT_MONTHS.map(
  ([written, date]): Phrase => [
    `tax 14 ${written}`,
    `tax | ${date} | ?spelling${date.startsWith('2027') ? ',year' : ''}`,
  ],
);

/** Misspellings that can mean nothing else. */
const usualMisspellings: readonly Phrase[] = [
  ...['wednsday', 'wensday', 'wenesday'].flatMap((written): Phrase[] => [
    [`${written} 4pm haircut`, 'haircut | 2026-03-04 16:00'],
    [`gym every ${written} 11pm`, 'gym | 2026-03-04 23:00 | weekly we'],
  ]),
  ['tax 14 febuary', 'tax | 2027-02-14 | ?year'],
];

/** Words that are English, however near they are to a name. */
const ENGLISH =
  'sand|fir|mat|sum|war|tub|mop|match|marsh|larch|starch|arch|jury|tune|dune|judy|jane|sundae|sundry|toddy|toady|very|ever|emery|mayday|payday|birthday|holiday|doomsday|yesterday|member|remember|number|timber|gust|march|much|mark|fried|fridge|sunny|wedding|thirsty|thirds|setting|mood|fry|friend|saturate|tuna|money|moody'.split(
    '|',
  );

const englishWords = ENGLISH.flatMap((word): Phrase[] => [
  [`buy ${word} book 4pm`, `buy ${word} book | 2026-03-02 16:00`],
  [`see ${word}`, `see ${word}`],
]);

/** Times that need no other word, and what the clock shows. */
const SURE_TIMES: readonly (readonly [written: string, clock: string])[] = [
  ['6am', '06:00'],
  ['6 am', '06:00'],
  ['6:15am', '06:15'],
  ['6.15am', '06:15'],
  ['11 p.m.', '23:00'],
  ['12am', '00:00'],
  ['12pm', '12:00'],
  ['00:30', '00:30'],
  ['13:45', '13:45'],
  ['23:59', '23:59'],
  ['14.30', '14:30'],
  ['14.30 Uhr', '14:30'],
  ['15h', '15:00'],
  ['15h30', '15:30'],
  ['20 Uhr', '20:00'],
  ['five pm', '17:00'],
  ['eleven am', '11:00'],
  ['seven thirty pm', '19:30'],
  ['five fifteen am', '05:15'],
  ['half past six pm', '18:30'],
  ['quarter to nine am', '08:45'],
  ['a quarter past seven pm', '19:15'],
  ['twenty past six pm', '18:20'],
  ['noon', '12:00'],
  ['midday', '12:00'],
  ['midnight', '23:59'],
  ['at 0745', '07:45'],
  ['at 19.05', '19:05'],
];

const sureTimes = SURE_TIMES.flatMap(([written, clock]): Phrase[] => [
  [`ring Bo tomorrow ${written}`, `ring Bo | 2026-03-03 ${clock}`],
  [`ring Bo friday ${written}`, `ring Bo | 2026-03-06 ${clock}`],
]);

/** Times that leave open which half of the day is meant; 1 to 6 are in the afternoon, 7 to 11 in the morning. */
const OPEN_TIMES: readonly (readonly [written: string, clock: string])[] = [
  ['at 1', '13:00'],
  ['at 5', '17:00'],
  ['at 6', '18:00'],
  ['at 7', '07:00'],
  ['at 9', '09:00'],
  ['at 11', '11:00'],
  ['at five', '17:00'],
  ['at nine', '09:00'],
  ['at six thirty', '18:30'],
  ['at eight fifteen', '08:15'],
  ['3:30', '15:30'],
  ['8:45', '08:45'],
  ['half past four', '16:30'],
  ['half past eight', '08:30'],
  ['quarter to nine', '08:45'],
  ['a quarter past two', '14:15'],
  ['at ten past 4', '16:10'],
  ['around 3', '15:00'],
  ['@ 4', '16:00'],
];

const openTimes = OPEN_TIMES.map(
  ([written, clock]): Phrase => [`ring Bo tomorrow ${written}`, `ring Bo | 2026-03-03 ${clock} | ?half`],
);

/** Feasts with a fixed date, and when they come next. */
const FEASTS: readonly (readonly [name: string, date: string])[] = [
  ['christmas eve', '2026-12-24'],
  ['christmas', '2026-12-25'],
  ['christmas day', '2026-12-25'],
  ['xmas', '2026-12-25'],
  ['boxing day', '2026-12-26'],
  ["new year's eve", '2026-12-31'],
  ['new years eve', '2026-12-31'],
  ["new year's day", '2027-01-01'],
  ['groundhog day', '2027-02-02'],
  ["valentine's day", '2027-02-14'],
  ['valentines day', '2027-02-14'],
  ["women's day", '2026-03-08'],
  ["st patrick's day", '2026-03-17'],
  ['april fools', '2026-04-01'],
  ['earth day', '2026-04-22'],
  ['may day', '2026-05-01'],
  ['juneteenth', '2026-06-19'],
  ['canada day', '2026-07-01'],
  ['independence day', '2026-07-04'],
  ['bastille day', '2026-07-14'],
  ['halloween', '2026-10-31'],
  ['bonfire night', '2026-11-05'],
  ['veterans day', '2026-11-11'],
];

const feastPhrases = FEASTS.flatMap(([name, date]): Phrase[] => [
  [`call gran ${name}`, `call gran | ${date} | ?words`],
  [`call gran on ${name}`, `call gran | ${date}`],
  [`call gran by ${name} 6pm`, `call gran | ${date} 18:00`],
  [`plan ${name}`, `plan ${name}`],
]);

export const COMBINED: Readonly<Record<string, readonly Phrase[]>> = {
  weekdays: weekdayPhrases,
  months: monthPhrases,
  'misspelt days': misspeltDays,
  'misspelt months': misspeltMonths,
  'usual misspellings': usualMisspellings,
  'English words': englishWords,
  'sure times': sureTimes,
  'open times': openTimes,
  feasts: feastPhrases,
};
