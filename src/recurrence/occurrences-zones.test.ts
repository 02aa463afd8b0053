/** The expected instants were worked out by hand from the transitions in the tz database. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sized } from '../../test/support/size.ts';
import { nextOccurrence } from './occurrences.ts';
import { parseRule } from './parse-rule.ts';
import { type DayRule, isClockRule } from './rule.ts';

interface Case {
  readonly guarantee: string;
  readonly first: string;
  readonly rule: Record<string, unknown>;
  /** The occurrences after the first, in UTC. */
  readonly following: readonly string[];
}

const CASES: Case[] = [
  {
    guarantee: 'New York: 02:30 occurs at 03:30 on the day without a 02:30, and at 02:30 again the day after',
    first: '2026-03-06T02:30[America/New_York]',
    rule: { freq: 'daily' },
    following: ['2026-03-07T07:30Z', '2026-03-08T07:30Z', '2026-03-09T06:30Z'],
  },
  {
    guarantee: 'New York: 01:30 occurs once, at the first of the two, on the day that has it twice',
    first: '2026-10-30T01:30[America/New_York]',
    rule: { freq: 'daily' },
    following: ['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z'],
  },
  {
    guarantee: 'New York: 03:00 is 03:00 on both sides of the change',
    first: '2026-03-07T03:00[America/New_York]',
    rule: { rrule: 'FREQ=DAILY' },
    following: ['2026-03-08T07:00Z', '2026-03-09T07:00Z'],
  },
  {
    guarantee: 'London: a Sunday 01:30 keeps its wall time through summer time',
    first: '2026-03-22T01:30[Europe/London]',
    rule: { freq: 'weekly', by_weekday: 'su' },
    following: ['2026-03-29T01:30Z', '2026-04-05T00:30Z'],
  },
  {
    guarantee: 'London: a Sunday 01:30 occurs in summer time when the clocks go back',
    first: '2026-10-18T01:30[Europe/London]',
    rule: { rrule: 'FREQ=WEEKLY;BYDAY=SU' },
    following: ['2026-10-25T00:30Z', '2026-11-01T01:30Z'],
  },
  {
    guarantee: 'Lord Howe: a gap of half an hour moves 02:15 to 02:45',
    first: '2026-10-02T02:15[Australia/Lord_Howe]',
    rule: { freq: 'daily' },
    following: ['2026-10-02T15:45Z', '2026-10-03T15:45Z', '2026-10-04T15:15Z'],
  },
  {
    guarantee: 'Lord Howe: of two 01:45 half an hour apart, the first is used',
    first: '2026-04-03T01:45[Australia/Lord_Howe]',
    rule: { freq: 'daily' },
    following: ['2026-04-03T14:45Z', '2026-04-04T14:45Z', '2026-04-05T15:15Z'],
  },
  {
    guarantee: 'São Paulo: a gap at midnight moves 00:30 to 01:30 of the same day',
    first: '2018-11-02T00:30[America/Sao_Paulo]',
    rule: { freq: 'daily' },
    following: ['2018-11-03T03:30Z', '2018-11-04T03:30Z', '2018-11-05T02:30Z'],
  },
  {
    guarantee: 'São Paulo: 23:30 occurs once on the evening that has it twice',
    first: '2019-02-14T23:30[America/Sao_Paulo]',
    rule: { freq: 'daily' },
    following: ['2019-02-16T01:30Z', '2019-02-17T01:30Z', '2019-02-18T02:30Z'],
  },
  {
    guarantee: 'São Paulo: no summer time from 2019 on',
    first: '2018-11-04T00:30[America/Sao_Paulo]',
    rule: { freq: 'yearly', by_month: 11, by_weekday: '1su' },
    following: ['2019-11-03T03:30Z', '2020-11-01T03:30Z'],
  },
  {
    guarantee: 'Apia: the occurrence of the skipped day moves to the next day, which has only one',
    first: '2011-12-28T09:00[Pacific/Apia]',
    rule: { freq: 'daily' },
    following: ['2011-12-29T19:00Z', '2011-12-30T19:00Z', '2011-12-31T19:00Z'],
  },
  {
    guarantee: 'Apia: a Friday reminder is not lost when a Friday is skipped',
    first: '2011-12-16T09:00[Pacific/Apia]',
    rule: { freq: 'weekly' },
    following: ['2011-12-23T19:00Z', '2011-12-30T19:00Z', '2012-01-05T19:00Z'],
  },
  {
    guarantee: 'Kathmandu: a time shortly after midnight is on the previous day in UTC',
    first: '2026-02-26T00:10[Asia/Kathmandu]',
    rule: { freq: 'daily' },
    following: ['2026-02-26T18:25Z', '2026-02-27T18:25Z', '2026-02-28T18:25Z'],
  },
  {
    guarantee: 'New York: twice a day keeps both wall times when clocks change',
    first: '2026-03-07T08:00[America/New_York]',
    rule: { freq: 'daily', by_time: ['08:00', '20:00'] },
    following: ['2026-03-08T01:00Z', '2026-03-08T12:00Z', '2026-03-09T00:00Z', '2026-03-09T12:00Z'],
  },
  {
    guarantee: 'New York: of two times, one in the gap that moves past the other comes after it',
    first: '2026-03-07T02:15[America/New_York]',
    rule: { freq: 'daily', by_time: ['02:15', '03:05'] },
    following: ['2026-03-07T08:05Z', '2026-03-08T07:05Z', '2026-03-08T07:15Z', '2026-03-09T06:15Z'],
  },
  {
    guarantee: 'New York: a time in the gap that moves onto another time occurs once',
    first: '2026-03-07T03:30[America/New_York]',
    rule: { freq: 'daily', by_time: ['02:30', '03:30'] },
    following: ['2026-03-08T07:30Z', '2026-03-09T06:30Z', '2026-03-09T07:30Z'],
  },
  {
    guarantee: 'Apia: the times of the skipped day and of the next one occur once each, in order',
    first: '2011-12-29T08:00[Pacific/Apia]',
    rule: { freq: 'daily', by_time: ['08:00', '20:00'] },
    following: ['2011-12-30T06:00Z', '2011-12-30T18:00Z', '2011-12-31T06:00Z', '2011-12-31T18:00Z'],
  },
  {
    guarantee: 'Kathmandu: the 15-minute gap at the start of 1986 moves 00:05 to 00:20',
    first: '1985-12-30T00:05[Asia/Kathmandu]',
    rule: { freq: 'daily' },
    following: ['1985-12-30T18:35Z', '1985-12-31T18:35Z', '1986-01-01T18:20Z'],
  },
];

function parse(written: Record<string, unknown>): DayRule {
  const rule = parseRule(written);
  assert.ok(rule && !isClockRule(rule));
  return rule;
}

for (const { guarantee, first, rule, following } of CASES) {
  const start = Temporal.ZonedDateTime.from(first);
  // As it is written: a zoned time inside a gap has moved out of it.
  const series = { first: Temporal.PlainDateTime.from(first), zone: start.timeZoneId };
  const begin = new Date(start.epochMilliseconds);

  test(guarantee, () => {
    let after = begin;
    for (const expected of following) {
      const next = nextOccurrence(parse(rule), series, after);
      assert.equal(next?.toISOString(), new Date(expected).toISOString());
      after = next;
    }
  });

  test(`${guarantee}, from any moment in between`, () => {
    const moments = following.map((text) => Date.parse(text));
    const tenMinutes = 600_000;
    // Ten minutes are fine enough for every change of a clock; years of them only in a full run.
    const step = sized(Math.max(tenMinutes, (Number(moments.at(-1)) - begin.getTime()) / 1_000), tenMinutes);
    for (let after = begin.getTime(), index = 0; index < moments.length; after += step) {
      while (after >= Number(moments[index])) index++;
      const expected = moments[index];
      if (expected === undefined) return;
      assert.equal(
        nextOccurrence(parse(rule), series, new Date(after))?.getTime(),
        expected,
        new Date(after).toISOString(),
      );
    }
  });
}

test('a skipped day still counts towards the count of a series', () => {
  const series = { first: Temporal.PlainDateTime.from('2011-12-29T09:00'), zone: 'Pacific/Apia' };
  const next = (count: number, after: string) =>
    nextOccurrence(parse({ freq: 'daily', count }), series, new Date(after))?.toISOString();
  assert.equal(next(2, '2011-12-29T19:00Z'), '2011-12-30T19:00:00.000Z');
  assert.equal(next(3, '2011-12-30T19:00Z'), undefined);
  assert.equal(next(4, '2011-12-30T19:00Z'), '2011-12-31T19:00:00.000Z');
});

test('the next occurrence after a moment before the series is its first one', () => {
  const series = { first: Temporal.PlainDateTime.from('2026-03-08T02:30'), zone: 'America/New_York' };
  const next = nextOccurrence(parse({ freq: 'daily' }), series, new Date('2020-01-01T00:00Z'));
  assert.equal(next?.toISOString(), '2026-03-08T07:30:00.000Z');
});

test('no occurrence is later than the year 9999 in UTC', () => {
  const series = { first: Temporal.PlainDateTime.from('9999-12-30T20:00'), zone: 'America/New_York' };
  assert.equal(nextOccurrence(parse({ freq: 'daily' }), series, new Date('9999-12-31T01:00Z')), null);
});
