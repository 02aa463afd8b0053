/** Words of a title that say when, and that no reader took. */
import { test } from 'node:test';
import { answersAre } from '../../test/words/marked-text.ts';
import { GAP } from './remaining-text.ts';
import { unreadIn } from './unread-words.ts';

/** A tilde stands where words were taken. */
const unread = (text: string, hasDate = true, hasTime = true) =>
  unreadIn(text.replaceAll('~', GAP), { hasDate, hasTime })?.replaceAll(GAP, '~');

/** Each of the words is found between others. */
const areFound = (phrases: string) =>
  answersAre(
    (text) => unread(`x ${text} to y`),
    Object.fromEntries(phrases.split('|').map((words) => [words.trim(), [words.trim()]])),
  );

/** Of the texts each is found as a whole where it is all that there is. */
const areFoundAlone = (phrases: string) =>
  answersAre(unread, Object.fromEntries(phrases.split('|').map((words) => [words, [words]])));

const noneIsFound = (phrases: string) => answersAre(unread, { none: phrases.split('|') });

test('days that stay are named, with “last” where it belongs to them', () => {
  areFound('monday|Tuesdays|last friday|last Sundays|last mon|last wed|tomorrow|tonight|today|MONDAY');
  answersAre(unread, {
    'last mon': ['x last mon'],
    mon: ['x mon, y'],
    tue: ['x tue'],
    tues: ['x tues'],
    wed: ['x wed'],
    thu: ['x thu'],
    thur: ['x thur'],
    thurs: ['x thurs'],
    fri: ['x fri'],
    none: [
      'x fri y',
      'x sat',
      'xmonday',
      'mondayx',
      'mondays’x',
      "monday's",
      'monday-x',
      '-monday',
      'monday/5',
      '_monday',
      '#monday',
      'émonday',
      'mondayé',
      '5monday',
      'monday_',
      'monday5',
    ],
  });
});

test('clock times that stay are named', () => {
  areFound(
    "5pm|5 am|12:30 p.m.|9.15pm|9;15 pm|5 p m|5pn|5 om|17 uhr|6 o'clock|6 o’clock|6oclock|7:30|23:59|19;05|09:00|00:00",
  );
  answersAre(unread, {
    'at 5': ['x at 5', 'x at 5, y', 'x at 5.', 'x at 5!', 'x at 5?', 'x at 5 no y', 'x at 5 or y', 'x at 5  or'],
    '@12': ['x @12'],
    '@ 5': ['x @ 5'],
    none: ['x at 5 nope', 'x at 5 y', 'x 5', 'x 24:30', 'x 7:60', 'x 7:5', 'x 5pmx', 'x 1:30:20'],
  });
});

test('dates that stay are named', () => {
  areFound(
    '3rd of may|21st june|2nd june|4th of the month|5th month|twenty first of march|thirty-first may|twenty second of july|twenty-third may|twenty fourth of may|twenty fifth may|twenty sixth may|twenty seventh may|twenty eighth may|twenty ninth may',
  );
  areFound(
    'sixth of may|seventh of may|eighth of may|ninth of may|tenth of may|eleventh of may|twelfth of may|thirteenth of may|fourteenth of may|fifteenth of may|sixteenth of may|seventeenth of may|eighteenth of may|nineteenth of may|twentieth of may|thirtieth of may',
  );
  areFound('may 3rd|may the 3rd|june 12|3 june|30. april|on the 3rd|by the 21st|until the tenth');
  areFound(
    'may 2027|spring 2026|summer 2026|autumn 2026|winter 2026|in 2027|in the fall|in autumn|in spring|in the summer|in winter',
  );
  areFound('january|february|september|october|november|december');
  answersAre(unread, {
    '3.12.': ['x 3.12.', 'x 3.12. y'],
    none: ['x 3.12', 'x 3.12.y', 'x the 3rd', 'x may', 'x 123 y'],
  });
});

const UNITS =
  'second seconds sec secs minute minutes min mins hour hours hr hrs day days night nights week weeks month months year years';
const NUMBERS =
  '7|123|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|sixty|ninety|few|couple|couple of|several';

test('rhythms and numbers of times that stay are named', () => {
  areFound(
    UNITS.split(' ')
      .map((unit) => `every 2 ${unit}`)
      .join('|'),
  );
  areFound(
    NUMBERS.split('|')
      .map((number) => `in ${number} weeks`)
      .join('|'),
  );
  areFound(
    'every monday|each tuesdays|every sonday|every other day|every second week|every last week|each first month|every third working day|every fourth work day|every 2nd business day|every 31st day|every single night|every 3 days|every dya|every weke|every mnth|every morning|every evening|each afternoons|every weekend|every spring|every summer|every autumn|every winter|every season',
  );
  areFound(
    'once a week|twice an hour|thrice per month|three times each day|3x every week|two to three times in a week|twice this month|once next year|5 times a day',
  );
  areFound('alternate days|in half a year|every so often|2x a week|3x week|4x per week|4x per  week');
  noneIsFound('x every fxday|x every abcdefghijday|x every thing|x every xx days|x 3 times y|x once y|x everyday');
});

test('spans and parts of the day that stay are named', () => {
  areFound(
    'in 3 days|in 2 or 3 weeks|in 2 to 3 weeks|2 days from|3 weeks before|an hour after|two days later|5 days prior|a year ago|in 5-10 minutes|in 5 – 10 days',
  );
  areFound(
    'this week|next weekend|the month|same quarter|following year|coming week|on week|over the weekend|next week after next|the week after next|week after next|weekend after next|the month after next|same time|this time|mid week|midweek',
  );
  areFound(['in', 'during', 'at', 'after', 'before', 'by', 'around'].map((word) => `${word} the morning`).join('|'));
  areFound(
    'morning afternoon evening night lunch lunchtime dinner breakfast work school bed bedtime noon midnight'
      .split(' ')
      .map((part) => `by early ${part}`)
      .join('|'),
  );
  areFound(
    'in the late evening|with breakfast|with lunch|with dinner|in a bit|in a while|in a moment|in a minute|in an sec|while awake',
  );
  areFound(
    'until noon|till the midnight|til morning|until afternoon|until evening|until the night|till bedtime|until 9',
  );
  areFound(
    'morning and evening|mornings, and nights|noon and night|evening and afternoons|evening at 7|morning at 8|night at 10',
  );
  areFound(
    'at easter|on ramadan|by eid|before hanukkah|after passover|during diwali|for lent|until easter|every eid|each lent',
  );
  areFound('except christmas|except on easter|except for new year');
  areFound(
    "heute|morgen|übermorgen|ubermorgen|demain|aujourd'hui|aujourd’hui|hoy|mañana|manana|oggi|domani|vandaag|jede|jeden|jeder|jedes",
  );
  areFound('9-17 uhr|9 – 17h|9-5 h|3 to 5 times per week');
  noneIsFound(
    'x the week of y|x at the workbench|x in the mornings early|x with tea|x mid y|x until y|x except y|x christmas eve',
  );
});

test('some words count at the beginning or the end of a text, or beside what was taken, only', () => {
  areFoundAlone('christmas eve|new year eve|new years eve|new year’s eve|in 5|in 12');
  answersAre(unread, {
    'before 5': ['before 5 call'],
    'after 10': ['after 10 call'],
    until: ['x until ~', 'x until  ~'],
    till: ['x till~'],
    til: ['x til ~ y'],
    mid: ['x mid ~'],
    'quarter to six': ['x quarter to six', 'x quarter to six, y', 'x quarter to six ~'],
    'half past 7': ['x half past 7'],
    'ten to 5': ['x ten to 5 ~'],
    'twenty past two': ['twenty past two'],
    none: [
      'x in 5 y',
      'x before 5 call',
      'before 5',
      'before 5 6',
      'x quarter to six y',
      'x new year eve',
      'x until y',
      'x mid y',
    ],
  });
});

test('of several words the first are named, and of those that begin there the first kind', () =>
  answersAre(unread, { friday: ['friday, no, monday'], tomorrow: ['x tomorrow 5pm'] }));

test('words of a title are none: a count, a name, or what describes a noun', () =>
  answersAre(unread, {
    none: [
      'buy 2 may flowers',
      'order 10 pm cables',
      'watch 28 Days Later',
      'x Sunday Night Football',
      'read USA Today',
      'eat Anna Tuesday',
      'watch Tom’s Monday',
      'prepare the friday meeting',
      ...'my our your his her their a'.split(' ').map((word) => `prepare ${word} friday meeting`),
      'prepare The friday meeting',
      'prepare the  friday meeting',
    ],
    friday: [
      'prepare the friday',
      'prepare the x friday meeting',
      'prepare lathe friday meeting',
      'prepare friday meeting',
      'eat Anna friday',
    ],
    Friday: [
      'Anna Friday',
      ' Anna Friday',
      'Friday',
      'eat anna Friday',
      'eat Anna x Friday',
      'eat R Friday',
      'eat ANNA, Friday',
    ],
    TODAY: ['CALL TODAY'],
    'every Monday': ['gym every Monday, no', 'meet Anna every Monday'],
    'last Friday': ['x last Friday'],
    '3rd of May': ['check 3rd of May'],
  }));

test('“last friday” is the past without a date, and may be when with one', () => {
  answersAre((text) => unread(text, false, false), {
    none: ['notes of last friday', 'Last friday notes'],
    friday: ['x friday'],
  });
  answersAre(unread, { 'last friday': ['notes of last friday'] });
});

test('a number before a day that was read is an hour that may be meant, if no time was read', () => {
  const hour = (text: string) => unread(text, true, false);
  answersAre(hour, {
    '7': ['wake 7 ~', 'wake 7~', '7 ~'],
    '12': ['wake 12 ~'],
    '10': ['wake 10 ~'],
    '9-11': ['open 9-11 ~'],
    '9 - 12': ['open 9 - 12 ~'],
    '9–5': ['open 9–5 ~'],
    none: [
      'wake 13 ~',
      'wake 0 ~',
      'Apollo 7 x ~',
      'APOLLO 7 ~',
      'wake 7',
      'wake 7  ~',
      'wake, 7 ~',
      ...'for of to room platform gate level chapter page size version bus line route floor unit part episode season step number no v'
        .split(' ')
        .map((word) => `x ${word} 7 ~`),
    ],
  });
  answersAre((text) => unread(text, true, true), { none: ['wake 7 ~'] });
  answersAre((text) => unread(text, false, false), { none: ['wake 7 ~'] });
});
