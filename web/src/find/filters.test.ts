import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { filterTasks, readFilters } from './filters.ts';
import { COLOURS, colourOf, countLabels } from './labels.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const task = (id: string, fields: Partial<Task>): Task =>
  ({ id, kind: 'todo', space_id: null, recurrence: null, deferred_until: null, ...fields }) as Task;

const TASKS = [
  task('bill', { kind: 'bill', recurrence: { freq: 'monthly' } }),
  task('shared', { space_id: 'home', kind: 'bill' }),
  task('snoozed', { deferred_until: '2026-03-02T10:00:00Z' }),
  task('awake', { deferred_until: '2026-03-02T08:00:00Z' }),
];
const ids = (search: Record<string, unknown>) => filterTasks(TASKS, readFilters(search), NOW).map(({ id }) => id);

test('filters narrow a list down together, and an ended snooze is none', () => {
  assert.deepEqual(ids({}), ['bill', 'shared', 'snoozed', 'awake']);
  assert.deepEqual(ids({ kind: 'bill' }), ['bill', 'shared']);
  assert.deepEqual(ids({ kind: 'bill', space: 'home' }), ['shared']);
  assert.deepEqual(ids({ repeating: true }), ['bill']);
  assert.deepEqual(ids({ snoozed: true }), ['snoozed']);
});

test('what an address has beside the filters is ignored, and a label of digits stays a label', () => {
  assert.deepEqual(readFilters({ kind: '', space: 7, repeating: 'yes', snoozed: false, evil: '<script>' }), {});
  assert.deepEqual(readFilters({ kind: 2026 }), { kind: '2026' });
});

test('labels are counted without the tasks that have none', () => {
  assert.deepEqual(countLabels(TASKS), [['bill', 2]]);
});

test('a label has the colour that was chosen, or else one of its own letters', () => {
  const automatic = colourOf('bill', []);
  const colours = new Set(
    ['bill', 'medication', 'home', 'work', 'birthday', 'car', 'garden'].map((label) => colourOf(label, [])),
  );
  assert.ok(colours.size > 3, 'labels look alike');
  const other = COLOURS.find((colour) => colour !== automatic) ?? automatic;
  assert.equal(colourOf('bill', [{ label: 'bill', colour: other }]), other);
  assert.equal(colourOf('bills', [{ label: 'bill', colour: other }]), colourOf('bills', []));
});
