import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChoices, type MoveInChoices } from './move-in-choices.ts';

const LADDER = { preset: 'gentle' } as unknown as NonNullable<MoveInChoices['ladder']>;
const NONE: MoveInChoices = { which: 'all', labels: [], ladder: null };
const apply = (task: object, choices: Partial<MoveInChoices> = {}, list: number | null = 0) =>
  applyChoices({ list, task: { title: 'x', ...task } }, { ...NONE, ...choices });

test('of a file only what is open comes, if its owner wants no more', () => {
  for (const [task, comes] of [
    [{}, true],
    [{ status: 'open' }, true],
    [{ status: 'done' }, false],
    [{ status: 'dropped' }, false],
  ] as const) {
    assert.equal(apply(task, { which: 'open' }) !== undefined, comes);
    assert.deepEqual(apply(task), { title: 'x', ...task });
  }
});

test('a ladder that was chosen is for tasks that insist and have none of their own', () => {
  const ladder = { preset: 'daily' };
  assert.deepEqual(apply({ mode: 'escalate' }, { ladder: LADDER })?.ladder, LADDER);
  assert.deepEqual(apply({ ladder: null }, { ladder: LADDER })?.ladder, LADDER);
  assert.deepEqual(apply({ ladder }, { ladder: LADDER })?.ladder, ladder);
  assert.equal(apply({ mode: 'notify_once' }, { ladder: LADDER })?.ladder, undefined);
  assert.equal('ladder' in (apply({}) ?? {}), false);
});

test('a list becomes the label that was chosen for it, and the label that a task had stays in its notes', () => {
  const labels = [
    { list: 0, label: 'home' },
    { list: 1, label: 'work' },
  ];
  const labelled = (task: object, list: number | null = 1) => {
    const { kind, notes } = apply(task, { labels }, list) ?? {};
    return [kind, notes];
  };
  assert.deepEqual(labelled({ kind: 'bill', notes: 'n' }), ['work', 'n\n\nLabels: bill']);
  assert.deepEqual(labelled({ kind: 'bill', notes: null }), ['work', 'Labels: bill']);
  assert.deepEqual(labelled({ kind: 'bill', notes: 'Labels: bill, tax' }), ['work', 'Labels: bill, tax']);
  for (const kind of ['work', 'todo', undefined]) assert.deepEqual(labelled({ kind, notes: 'n' }), ['work', 'n']);
  for (const list of [null, 2]) assert.deepEqual(labelled({ kind: 'bill', notes: 'n' }, list), ['bill', 'n']);
});
