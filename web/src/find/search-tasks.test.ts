import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { buildIndex, searchTasks } from './search-tasks.ts';

const task = (title: string, fields: Partial<Task> = {}): Task =>
  ({ id: title, title, notes: null, kind: 'todo', space_id: null, due_at: null, status: 'open', ...fields }) as Task;

const HOME = { id: 'home', name: 'Our Home' };
const titles = (tasks: readonly Task[], query: string) =>
  searchTasks(buildIndex(tasks, [HOME]), query, 50).tasks.map(({ title }) => title);

test('a task is found by its title, notes, label and space, without regard to case and accents', () => {
  const tasks = [
    task('Pay the rent', { notes: 'to Mr. Müller' }),
    task('Café with Zoë', { kind: 'Friends' }),
    task('Mow the lawn', { space_id: 'home' }),
  ];
  assert.deepEqual(titles(tasks, 'RENT'), ['Pay the rent']);
  assert.deepEqual(titles(tasks, 'muller'), ['Pay the rent']);
  assert.deepEqual(titles(tasks, 'cafe zoe'), ['Café with Zoë']);
  assert.deepEqual(titles(tasks, 'friends'), ['Café with Zoë']);
  assert.deepEqual(titles(tasks, 'our home'), ['Mow the lawn']);
  assert.deepEqual(titles(tasks, 'home rent'), []);
  assert.deepEqual(titles(tasks, '  '), []);
});

test('titles come before notes, the beginning of a word before its middle, open before closed, sooner before later', () => {
  const tasks = [
    task('notes only', { notes: 'rent' }),
    task('apparent error'),
    task('the rent, closed', { status: 'done' }),
    task('pay rent later', { due_at: '2026-05-01T09:00:00Z' }),
    task('pay rent soon', { due_at: '2026-04-01T09:00:00Z' }),
    task('rent a car'),
  ];
  assert.deepEqual(titles(tasks, 'rent'), [
    'rent a car',
    'pay rent soon',
    'pay rent later',
    'apparent error',
    'notes only',
    'the rent, closed',
  ]);
});

test('all matches are counted, and no more than the limit are returned', () => {
  const tasks = Array.from({ length: 10_000 }, (_, number) => task(`Task ${number}`, { notes: 'word '.repeat(10) }));
  const result = searchTasks(buildIndex(tasks, []), 'task word', 50);
  assert.deepEqual([result.found, result.tasks.length], [10_000, 50]);
  assert.equal(searchTasks(buildIndex(tasks, []), 'task 9999', 50).found, 1);
});

test('a task is prepared once until it changes, whatever else a sync brings and however much is typed', () => {
  let reads = 0;
  const counted = (title: string) =>
    Object.defineProperty(task(title), 'title', {
      get: () => {
        reads += 1;
        return title;
      },
    });
  const tasks = Array.from({ length: 100 }, (_, number) => counted(`Task ${number}`));
  const index = buildIndex(tasks, []);
  assert.equal(reads, 100);
  for (const query of ['t', 'ta', 'task', 'task 7']) searchTasks(index, query, 50);
  buildIndex([...tasks.slice(1), counted('New')], [HOME]);
  assert.equal(reads, 101);
});
