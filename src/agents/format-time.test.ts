import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allDayDate, distanceInWords, localTime, shortMinute, shortTime, timeInWords } from './format-time.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const MINUTE = 60_000;

test('an instant is formatted in the zone, with the offset that applies at that time', () => {
  const [winter, summer] = [new Date('2026-03-28T23:30:00Z'), new Date('2026-03-29T23:30:00Z')];
  assert.equal(localTime(winter, 'Europe/Berlin'), '2026-03-29T00:30:00+01:00');
  assert.equal(localTime(summer, 'Europe/Berlin'), '2026-03-30T01:30:00+02:00');
  assert.equal(timeInWords(winter, 'Asia/Kathmandu'), 'Sunday, 29 March 2026 at 05:15');
  assert.equal(timeInWords(winter, 'UTC'), 'Saturday, 28 March 2026 at 23:30');
  assert.equal(shortMinute('2026-03-28T23:30:59.999Z', 'UTC'), '2026-03-28T23:30');
});

const DISTANCES: [minutes: number, words: string][] = [
  [0, 'now'],
  [-0.5, 'now'],
  [0.5, 'in less than a minute'],
  [1, 'in 1 minute'],
  [15, 'in 15 minutes'],
  [90, 'in 90 minutes'],
  [120, 'in 2 hours'],
  [26 * 60, 'in 26 hours'],
  [72 * 60, 'in 3 days'],
  [-5, '5 minutes ago'],
  [-72 * 60, '3 days ago'],
];
for (const [minutes, words] of DISTANCES) {
  test(`${minutes} minutes from now is "${words}"`, () => {
    assert.equal(distanceInWords(NOW, new Date(NOW.getTime() + minutes * MINUTE)), words);
  });
}

test('the due date of a task without a time is the date it was written with, in the zone of the user or in UTC', () => {
  const day = (text: string, zone: string) => allDayDate(new Date(text), zone).toString();
  assert.equal(day('2026-03-02T00:00:00-05:00', 'America/New_York'), '2026-03-02');
  assert.equal(day('2026-03-02T00:00:00Z', 'America/New_York'), '2026-03-02');
  assert.equal(day('2026-03-02T00:00:00+09:00', 'Asia/Tokyo'), '2026-03-02');
  assert.equal(day('2026-03-02T18:00:00Z', 'Asia/Tokyo'), '2026-03-03');
});

test('a moment that the wall clock shows twice keeps its offset, either time, and zones do not mix', () => {
  const short = (text: string, zone = 'Europe/Berlin') => shortTime(new Date(text), zone);
  assert.equal(short('2026-10-24T23:30:00Z'), '2026-10-25T01:30');
  const texts = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map((text) => short(text));
  assert.deepEqual(new Set(texts).size, 2);
  for (const [index, text] of texts.entries()) {
    const read = text.includes('+') ? text : `${text}+02:00`;
    assert.equal(Date.parse(read), Date.UTC(2026, 9, 25, index, 30), text);
  }
  assert.equal(short('2026-10-25T01:30:00Z', 'Asia/Tokyo'), '2026-10-25T10:30');
});
