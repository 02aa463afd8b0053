import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_HOLDS } from '../../../test/support/simulated-engine.ts';
import { newTask } from '../new-task.ts';
import { deriveFields } from '../plan-task.ts';
import { parseStoredRule, type TaskCreation } from '../task-input.ts';
import type { Task } from '../task-state.ts';
import { type AgendaEntry, laterEntries, nudgeOf, presentEntry, type Span } from './agenda-entries.ts';

const NOW = new Date('2026-03-02T15:00:00Z');
const OWNER = { ...NO_HOLDS, timezone: 'UTC', day_start: '07:30', id: 'ada', plan_version: 0 };
const SPAN: Span = {
  from: Temporal.PlainDate.from('2026-03-02'),
  start: new Date('2026-03-02T00:00:00Z'),
  end: new Date('2026-03-05T00:00:00Z'),
};
const DAILY = { freq: 'daily' };

/** Created this morning. */
function taskOf(input: Partial<TaskCreation>, fields: Partial<Task> = {}): Task {
  const creation = {
    title: 'pills',
    kind: 'todo',
    has_time: true,
    mode: 'escalate',
    break_quiet_hours: false,
    ...input,
  };
  const task = newTask(OWNER, { kind: 'session', userId: OWNER.id }, creation, new Date('2026-03-02T08:00:00Z'));
  const changed = { ...task, ...fields };
  return { ...changed, ...deriveFields(changed, OWNER, NOW) };
}

const present = (task: Task) => presentEntry(task, OWNER, NOW, SPAN);

function later(task: Task): AgendaEntry[] {
  const rule = parseStoredRule(task.recurrence) ?? assert.fail();
  return [...laterEntries(task, rule, OWNER, NOW, SPAN, SPAN.from)];
}

const inShort = (entry: AgendaEntry | undefined) =>
  entry && `${entry.at.toISOString().slice(5, 16)} ${entry.kind} ${entry.status}`;

test('a task without a time is overdue once its day is over, and so are its missed occurrences', () => {
  const today = taskOf({ due_at: '2026-03-02T00:00:00', has_time: false });
  assert.equal(inShort(present(today)), '03-02T00:00 due open');
  const yesterday = taskOf({ due_at: '2026-03-01T00:00:00', has_time: false, recurrence: DAILY });
  assert.deepEqual(later(yesterday).map(inShort), [
    '03-02T00:00 occurrence open',
    '03-03T00:00 occurrence open',
    '03-04T00:00 occurrence open',
  ]);
  const timed = taskOf({ due_at: '2026-03-01T15:00:00Z', recurrence: { ...DAILY, by_time: ['14:59', '15:00'] } });
  assert.deepEqual(later(timed).map(inShort).slice(0, 3), [
    '03-02T14:59 occurrence missed',
    '03-02T15:00 occurrence open',
    '03-03T14:59 occurrence open',
  ]);
});

test('a snooze that ends before the task is due leaves it where it is due', () => {
  const deferred_until = new Date('2026-03-02T20:00:00Z');
  assert.equal(
    inShort(present(taskOf({ due_at: '2026-03-03T10:00:00Z' }, { deferred_until }))),
    '03-03T10:00 due snoozed',
  );
  assert.equal(
    inShort(present(taskOf({ due_at: '2026-03-02T10:00:00Z' }, { deferred_until }))),
    '03-02T20:00 snoozed snoozed',
  );
  assert.equal(inShort(present(taskOf({}, { deferred_until }))), '03-02T20:00 snoozed snoozed');
});

test('a later occurrence is nudged when its quiet hours end, without a time at the start of the day', () => {
  const owner = { ...OWNER, quiet_hours_start: '20:00', quiet_hours_end: '06:00' };
  const nudgeOfFirst = (input: Partial<TaskCreation>, of = owner) => {
    const [entry = assert.fail()] = later(taskOf({ recurrence: DAILY, ...input }));
    return nudgeOf(entry, of, NOW)?.at.toISOString();
  };
  const late = { due_at: '2026-03-02T22:00:00Z' };
  assert.equal(nudgeOfFirst(late), '2026-03-04T06:00:00.000Z');
  assert.equal(nudgeOfFirst({ ...late, break_quiet_hours: true }), '2026-03-03T22:00:00.000Z');
  assert.equal(nudgeOfFirst({ due_at: '2026-03-02T00:00:00', has_time: false }), '2026-03-03T07:30:00.000Z');
  assert.equal(nudgeOfFirst(late, { ...owner, suspended_at: NOW }), undefined, 'a suspended account is not nudged');
});
