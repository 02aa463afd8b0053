import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ladderLabelAfter } from './ladder-label.ts';
import type { Task } from './task-state.ts';

const task = (fields: Partial<Task>) =>
  ({ owner_id: 'ada', kind: 'calm', ladder_label: null, accepted_by_owner: true, ...fields }) as Task;
const after = (by: 'ada' | 'bob', before: Task, changes: Partial<Task>) =>
  ladderLabelAfter(
    before,
    { ...before, ...changes },
    { kind: 'session', userId: by, sessionId: 's', provenAt: new Date(0) },
  );

test('the label that its owner chose counts, however often others change it', () => {
  const loud = { kind: 'loud' };
  assert.equal(after('bob', task({}), loud), 'calm');
  assert.equal(after('bob', task({ ...loud, ladder_label: 'calm' }), { kind: 'louder' }), 'calm');
  assert.equal(after('bob', task({ ...loud, ladder_label: 'calm' }), { title: 'x' }), 'calm');
});

test('until the owner accepts a request, its label is the word of who asks, and then it counts', () => {
  const request = task({ accepted_by_owner: false });
  assert.equal(after('bob', request, { kind: 'loud' }), null);
  assert.equal(after('ada', { ...request, ladder_label: 'calm' }, { accepted_by_owner: true }), null);
});

test('the owner ends it by choosing a label, and by no other edit', () => {
  const frozen = task({ kind: 'loud', ladder_label: 'calm' });
  assert.equal(after('ada', frozen, { title: 'x' }), 'calm');
  assert.equal(after('ada', frozen, { kind: 'other' }), null);
});
