import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatIsoDate, formatIsoTime } from '../time/wall-time.ts';
import { type ParsedPart, parseTask } from './parse-task.ts';

/** Monday, 2 March 2026, 10:00 in Amsterdam. */
const NOW = Date.parse('2026-03-02T09:00:00Z');
const ZONE = 'Europe/Amsterdam';

function read(text: string, ...ignored: ParsedPart[]): string {
  const parsed = parseTask(text, NOW, ZONE, new Set(ignored));
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays } = parsed;
  const when = due === null ? '-' : formatIsoDate(due) + (hasTime ? ` ${formatIsoTime(due)}` : '');
  const marks = [mustNotMiss && '!', once && 'once', leadDays !== null && `${leadDays}d`].filter(Boolean).join(' ');
  return [title, when, recurrence ? JSON.stringify(recurrence) : '-', marks].join(' | ').replace(/ \| $/, '');
}

const SENTENCES: readonly [string, string][] = [
  ['pay rent every 1st 9am', 'pay rent | 2026-04-01 09:00 | {"freq":"monthly","by_month_day":[1]}'],
  ['buy milk', 'buy milk | - | -'],
  ['buy milk tomorrow', 'buy milk | 2026-03-03 | -'],
  ['call mum tomorrow at 5pm', 'call mum | 2026-03-03 17:00 | -'],
  ['call mum at 9am', 'call mum | 2026-03-03 09:00 | -'],
  ['call mum at 11', 'call mum | 2026-03-02 11:00 | -'],
  ['dentist on 14 April 14:30', 'dentist | 2026-04-14 14:30 | -'],
  [
    'stand-up every weekday at 9:30',
    'stand-up | 2026-03-03 09:30 | {"freq":"weekly","by_weekday":["mo","tu","we","th","fr"]}',
  ],
  ['gym every mon, wed and fri 18:00', 'gym | 2026-03-02 18:00 | {"freq":"weekly","by_weekday":["mo","we","fr"]}'],
  ['water the plants every 3 days', 'water the plants | 2026-03-02 | {"freq":"daily","interval":3}'],
  ['bins every other tuesday 7am', 'bins | 2026-03-03 07:00 | {"freq":"weekly","interval":2,"by_weekday":["tu"]}'],
  ['report every last friday 16:00', 'report | 2026-03-27 16:00 | {"freq":"monthly","by_weekday":["-1fr"]}'],
  ['salaries every last day of the month', 'salaries | 2026-03-31 | {"freq":"monthly","by_month_day":[-1]}'],
  ['invoices every 1st and 15th', 'invoices | 2026-03-15 | {"freq":"monthly","by_month_day":[1,15]}'],
  [
    "Ada's birthday every 10 December",
    'Ada\'s birthday | 2026-12-10 | {"freq":"yearly","by_month":[12],"by_month_day":[10]}',
  ],
  ['take the medication every morning', 'take the medication | 2026-03-03 08:00 | {"freq":"daily"}'],
  ['take the medication daily at 9pm !', 'take the medication | 2026-03-02 21:00 | {"freq":"daily"} | !'],
  ['filter every 3 months after done', 'filter | 2026-03-02 | {"freq":"monthly","interval":3,"from":"completion"}'],
  [
    'antibiotics every day at 8pm until 12 March',
    'antibiotics | 2026-03-02 20:00 | {"freq":"daily","until":"2026-03-12"}',
  ],
  ['passport 20 May 3 days before', 'passport | 2026-05-20 | - | 3d'],
  ['parcel at 4pm just once', 'parcel | 2026-03-02 16:00 | - | once'],
  ['take the bread out in 20 minutes', 'take the bread out | 2026-03-02 10:20 | -'],
];

for (const [text, expected] of SENTENCES) {
  test(`"${text}" is parsed`, () => assert.equal(read(text), expected));
}

test('rejected parts stay in the title', () => {
  assert.equal(read('read every day a page', 'recurrence'), 'read every day a page | - | -');
  assert.equal(read('watch Tomorrow Never Dies', 'due'), 'watch Tomorrow Never Dies | - | -');
});

test('a text without other words keeps its words as the title', () => {
  assert.equal(read('tomorrow'), 'tomorrow | 2026-03-03 | -');
});
