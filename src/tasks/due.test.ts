import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDateTime } from '../lib/date-time.ts';
import { parseRule } from '../recurrence/parse-rule.ts';
import type { Rule } from '../recurrence/rule.ts';
import { dueOf, nextDueFields, overdueFrom, toDueFields } from './due.ts';

const ruleOf = (value: Record<string, unknown>): Rule => {
  const rule = parseRule(value);
  assert.ok(rule);
  return rule;
};

const due = (written: string, hasTime: boolean, zone = 'UTC') => {
  const parsed = parseDateTime(written);
  assert.ok(parsed);
  return toDueFields(parsed, hasTime, zone);
};

interface Case {
  readonly name: string;
  readonly written: string;
  readonly hasTime: boolean;
  readonly rule: Record<string, unknown>;
  readonly zone?: string;
  /** The owner's zone when the task is closed, if it changed. */
  readonly movedTo?: string;
  readonly now: string;
  readonly next: string | null;
  readonly number?: number;
}

const CASES: Case[] = [
  {
    name: 'closing on time moves to the next occurrence',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily' },
    now: '2026-05-10T18:05:00Z',
    next: '2026-05-11T18:00:00.000Z',
  },
  {
    name: 'closing before the due time moves to the occurrence after it',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily' },
    now: '2026-05-09T08:00:00Z',
    next: '2026-05-11T18:00:00.000Z',
  },
  {
    name: 'with from: completion, the next occurrence is never on the day of completion, even before the due time',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily', interval: 3, from: 'completion' },
    now: '2026-05-11T10:00:00Z',
    next: '2026-05-14T18:00:00.000Z',
  },
  {
    name: 'with from: completion, an all-day task counts from the date of completion',
    written: '2026-05-10T00:00:00Z',
    hasTime: false,
    rule: { freq: 'weekly', from: 'completion' },
    now: '2026-05-13T10:00:00Z',
    next: '2026-05-20T00:00:00.000Z',
  },
  {
    name: 'with from: completion, count limits the completions',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily', count: 2, from: 'completion' },
    now: '2026-05-10T19:00:00Z',
    next: null,
    number: 2,
  },
  {
    name: 'an all-day task that is closed days late moves past today',
    written: '2026-05-01T23:59:00+02:00',
    hasTime: false,
    rule: { freq: 'daily' },
    zone: 'Europe/Paris',
    now: '2026-05-05T08:00:00Z',
    next: '2026-05-06T21:59:00.000Z',
  },
  {
    name: 'after a change of the owner’s zone, the wall time stays the same in the new zone',
    written: '2026-05-10T09:00:00',
    hasTime: true,
    rule: { freq: 'daily' },
    zone: 'America/New_York',
    movedTo: 'Asia/Tokyo',
    now: '2026-05-10T14:00:00Z',
    next: '2026-05-11T00:00:00.000Z',
  },
  {
    name: 'closing the last occurrence of a rule gives no next one',
    written: '2026-05-10T00:00:00Z',
    hasTime: false,
    rule: { freq: 'daily', until: '2026-05-11' },
    now: '2026-05-11T10:00:00Z',
    next: null,
  },
];

for (const { name, written, hasTime, rule, zone = 'UTC', movedTo = zone, now, next, number = 1 } of CASES) {
  test(name, () => {
    const task = { ...due(written, hasTime, zone), occurrence_number: number };
    const found = nextDueFields(task, ruleOf(rule), movedTo, new Date(now));
    assert.equal(found?.due_at?.toISOString() ?? null, next);
    if (found) assert.equal(found.has_time, hasTime);
  });
}

test('a task without a time is overdue from the end of its written date in the owner’s zone', () => {
  const fields = due('2026-05-10T23:30:00-10:00', false, 'Pacific/Auckland');
  assert.equal(fields.due_at?.toISOString(), '2026-05-11T09:30:00.000Z');
  assert.equal(overdueFrom(dueOf(fields), 'Pacific/Auckland')?.toISOString(), '2026-05-10T12:00:00.000Z');
});
