import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushedTask } from './gateway.ts';
import { nudgeBody } from './push-text.ts';

const NINE = new Date('2026-03-02T09:00:00Z');
const task = (due: PushedTask['due'], timezone = 'UTC'): PushedTask => ({
  id: '0',
  title: 'pills',
  due,
  timezone,
  occurrenceDueAt: null,
  mustNotMiss: false,
});
const day = (text: string) => Temporal.PlainDate.from(text);

const TABLE: readonly [PushedTask['due'], number, string][] = [
  [NINE, 0, 'Due now'],
  [new Date(NINE.getTime() - 60_000), 0, 'Due now'],
  [new Date(NINE.getTime() - 3_600_000), 0, 'Was due at 08:00'],
  [new Date(NINE.getTime() - 3_600_000), 1, 'Still open, due at 08:00'],
  [new Date('2026-03-01T22:30:00Z'), 2, 'Still open, due yesterday at 22:30'],
  [new Date('2026-03-03T18:00:00Z'), -1, 'Due tomorrow at 18:00'],
  [new Date('2026-03-05T18:00:00Z'), -1, 'Due on Thu 5 Mar at 18:00'],
  [new Date('2027-03-05T18:00:00Z'), -1, 'Due on Fri 5 Mar 2027 at 18:00'],
  [day('2026-03-02'), 0, 'Due today'],
  [day('2026-03-01'), 0, 'Was due yesterday'],
  [day('2026-03-04'), -1, 'Due on Wed 4 Mar'],
  [day('2026-03-02'), 2, 'Still open, due today'],
  [null, 0, 'Back from its snooze'],
  [null, 2, 'Still open'],
];

test('the body of a nudge says what is due and when', () => {
  for (const [due, stage, text] of TABLE) assert.equal(nudgeBody(task(due), stage, NINE), text);
});

test('times are in the owner’s time zone', () => {
  const due = new Date('2026-03-02T08:00:00Z');
  assert.equal(nudgeBody(task(due, 'Asia/Kolkata'), 1, NINE), 'Still open, due at 13:30');
  assert.equal(nudgeBody(task(due, 'Pacific/Honolulu'), 1, NINE), 'Still open, due at 22:00');
});
