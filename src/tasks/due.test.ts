import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDateTime } from '../lib/date-time.ts';
import { dueFrom, dueNext } from './due.ts';
import { parseRecurrence, type Rule } from './recurrence.ts';

const ruleOf = (value: Record<string, unknown>): Rule => {
  const rule = parseRecurrence(value);
  assert.ok(rule);
  return rule;
};

const due = (written: string, hasTime: boolean, zone = 'UTC') => {
  const parsed = parseDateTime(written);
  assert.ok(parsed);
  return dueFrom(parsed, hasTime, zone);
};

interface Case {
  readonly name: string;
  readonly written: string;
  readonly hasTime: boolean;
  readonly rule: Record<string, unknown>;
  readonly zone?: string;
  /** The zone at closing time, where the owner has moved. */
  readonly movedTo?: string;
  readonly now: string;
  readonly next: string | null;
  readonly number?: number;
}

const CASES: Case[] = [
  {
    name: 'closed on time, the next one follows',
    ...{ written: '2026-05-10T18:00:00Z', hasTime: true, rule: { freq: 'daily' }, now: '2026-05-10T18:05:00Z' },
    next: '2026-05-11T18:00:00.000Z',
  },
  {
    name: 'closed before its time, the one after it follows',
    ...{ written: '2026-05-10T18:00:00Z', hasTime: true, rule: { freq: 'daily' }, now: '2026-05-09T08:00:00Z' },
    next: '2026-05-11T18:00:00.000Z',
  },
  {
    name: 'counted from completion, the day of completion is never the next one, however early in it',
    ...{ written: '2026-05-10T18:00:00Z', hasTime: true, rule: { freq: 'daily', interval: 3, from: 'completion' } },
    ...{ now: '2026-05-11T10:00:00Z', next: '2026-05-14T18:00:00.000Z' },
  },
  {
    name: 'counted from completion, all day',
    ...{ written: '2026-05-10T00:00:00Z', hasTime: false, rule: { freq: 'weekly', from: 'completion' } },
    ...{ now: '2026-05-13T10:00:00Z', next: '2026-05-20T00:00:00.000Z' },
  },
  {
    name: 'counted from completion, the count is of completions',
    ...{ written: '2026-05-10T18:00:00Z', hasTime: true, rule: { freq: 'daily', count: 2, from: 'completion' } },
    ...{ now: '2026-05-10T19:00:00Z', next: null, number: 2 },
  },
  {
    name: 'an all-day task closed days late moves past today',
    ...{ written: '2026-05-01T23:59:00+02:00', hasTime: false, rule: { freq: 'daily' }, zone: 'Europe/Paris' },
    ...{ now: '2026-05-05T08:00:00Z', next: '2026-05-06T21:59:00.000Z' },
  },
  {
    name: 'the owner moved: the same wall time, in the new zone',
    ...{ written: '2026-05-10T09:00:00', hasTime: true, rule: { freq: 'daily' }, zone: 'America/New_York' },
    ...{ movedTo: 'Asia/Tokyo', now: '2026-05-10T14:00:00Z', next: '2026-05-11T00:00:00.000Z' },
  },
  {
    name: 'the last one before the end of the rule',
    ...{ written: '2026-05-10T00:00:00Z', hasTime: false, rule: { freq: 'daily', until: '2026-05-11' } },
    ...{ now: '2026-05-11T10:00:00Z', next: null },
  },
];

for (const { name, written, hasTime, rule, zone = 'UTC', movedTo = zone, now, next, number = 1 } of CASES) {
  test(name, () => {
    const task = { ...due(written, hasTime, zone), occurrence_number: number };
    const found = dueNext(task, ruleOf(rule), movedTo, new Date(now));
    assert.equal(found?.due_at?.toISOString() ?? null, next);
    if (found) assert.equal(found.has_time, hasTime);
  });
}

test('a task without a time is overdue from the end of its written day, where its owner is', () => {
  const { overdue_at, due_at } = due('2026-05-10T23:30:00-10:00', false, 'Pacific/Auckland');
  assert.equal(due_at?.toISOString(), '2026-05-11T09:30:00.000Z');
  assert.equal(overdue_at?.toISOString(), '2026-05-10T12:00:00.000Z');
});
