import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { type ActionKind, applyActions, isLocal, newLocalId, type QueuedAction, requestFor } from './queued-action.ts';

const AT = '2026-03-02T09:00:00.000Z';

const action = (kind: ActionKind, taskId: string, body: object = {}): QueuedAction => ({
  key: `${kind} ${taskId}`,
  kind,
  userId: 'ada',
  taskId,
  title: taskId,
  body: body as QueuedAction['body'],
  at: Date.parse(AT),
  notBefore: 0,
});

const BINS = {
  id: 'bins',
  title: 'bins',
  owner_id: 'ada',
  status: 'open',
  accepted_by_owner: true,
  due_at: '2026-03-02T08:00:00.000Z',
  deferred_until: '2026-03-02T12:00:00.000Z',
  next_fire_at: '2026-03-02T12:00:00.000Z',
  completed_at: null,
  skipped_at: null,
} as Task;

/** What an action changes of a task, as it is shown until the service has answered. */
function changeOf(kind: ActionKind, body: object = {}, before: Partial<Task> = {}): object {
  const task = { ...BINS, ...before };
  const after = applyActions({ bins: task }, [action(kind, 'bins', body)]).bins;
  return Object.fromEntries(Object.entries(after ?? {}).filter(([name, value]) => value !== Reflect.get(task, name)));
}

test('each action goes where the service takes it', () => {
  const asked = (kind: ActionKind) => Object.values(requestFor({ kind, taskId: 'bins' })).join(' ');
  assert.equal(asked('create'), 'POST /v1/tasks');
  assert.equal(asked('edit'), 'PATCH /v1/tasks/bins');
  assert.equal(asked('ladder'), 'PUT /v1/tasks/bins/ladder');
  assert.equal(asked('unsnooze'), 'DELETE /v1/tasks/bins/snooze');
  for (const kind of [
    'move',
    'complete',
    'skip',
    'drop',
    'snooze',
    'ring-anyway',
    'accept',
    'decline',
    'reopen',
  ] as const)
    assert.equal(asked(kind), `POST /v1/tasks/bins/${kind}`);
});

test('a new date ends the snooze and leaves the next nudge open; a new title does neither', () => {
  const due_at = '2026-03-05T08:00:00.000Z';
  assert.deepEqual(changeOf('edit', { due_at, title: 'Bins' }), {
    title: 'Bins',
    due_at,
    deferred_until: null,
    next_fire_at: null,
  });
  assert.deepEqual(changeOf('edit', { mode: 'notify_once' }), { mode: 'notify_once', next_fire_at: null });
  assert.deepEqual(changeOf('edit', { title: 'Bins', notes: 'both', kind: 'home', space_id: 'us' }), {
    title: 'Bins',
    notes: 'both',
    kind: 'home',
    space_id: 'us',
  });
  assert.deepEqual(changeOf('move', { due_at, date_only: false }), {
    due_at,
    deferred_until: null,
    next_fire_at: null,
  });
  assert.deepEqual(changeOf('ladder', { preset: 'gentle' }), {});
});

test('what is closed leaves the lists at once, also if it was not accepted before', () => {
  const asked = { accepted_by_owner: false };
  assert.deepEqual(changeOf('complete', {}, asked), { status: 'done', completed_at: AT, accepted_by_owner: true });
  assert.deepEqual(changeOf('skip', {}, asked), { status: 'skipped', skipped_at: AT, accepted_by_owner: true });
  assert.deepEqual(changeOf('drop'), { status: 'dropped', next_fire_at: null, updated_at: AT });
  assert.deepEqual(changeOf('decline'), { status: 'declined', next_fire_at: null });
  assert.deepEqual(changeOf('accept', {}, asked), { accepted_by_owner: true });
  const closed = { status: 'skipped', completed_at: AT, skipped_at: AT } as const;
  assert.deepEqual(changeOf('reopen', {}, closed), {
    status: 'open',
    completed_at: null,
    skipped_at: null,
    next_fire_at: null,
  });
});

test('a snooze holds until its moment, and is gone once it is taken back', () => {
  const until = '2026-03-02T15:00:00.000Z';
  assert.deepEqual(changeOf('snooze', { until }), { deferred_until: until, next_fire_at: null });
  assert.deepEqual(changeOf('unsnooze'), { deferred_until: null, next_fire_at: null });
});

test('a nudge that is to ring anyway is next, unless another comes before it', () => {
  const [sooner, later] = ['2026-03-02T11:00:00.000Z', '2026-03-02T13:00:00.000Z'];
  assert.deepEqual(changeOf('ring-anyway', { at: sooner }), { next_fire_at: sooner });
  assert.deepEqual(changeOf('ring-anyway', { at: later }), {});
  assert.deepEqual(changeOf('ring-anyway', { at: later }, { next_fire_at: null }), { next_fire_at: later });
});

test('a task that was just added is shown with what was done to it since; one for another person waits for an answer', () => {
  const id = newLocalId();
  assert.ok(isLocal(id) && !isLocal('bins'));
  const actions = [
    action('create', id, { title: 'call', due_at: AT, has_time: true }),
    action('edit', id, { notes: 'twice' }),
    action('complete', id),
    action('create', 'for-bob', { title: 'ask', owner_id: 'bob' }),
    action('create', 'for-me', { title: 'mine', owner_id: 'ada' }),
    action('complete', 'gone'),
    action('edit', 'gone', { title: 'gone' }),
  ];
  const tasks = applyActions({ bins: BINS }, actions);
  assert.deepEqual(Object.keys(tasks), ['bins', id, 'for-bob', 'for-me'], 'a task that is gone does not come back');
  const { title, notes, due_at, has_time, status, mode, kind } = tasks[id] ?? {};
  assert.deepEqual(
    [title, notes, due_at, has_time, status, mode, kind],
    ['call', 'twice', AT, true, 'done', 'escalate', 'todo'],
  );
  const people = [id, 'for-bob', 'for-me'].map((one) => {
    const { owner_id, assigner_id, accepted_by_owner } = tasks[one] ?? {};
    return [owner_id, assigner_id, accepted_by_owner];
  });
  assert.deepEqual(people, [
    ['ada', null, true],
    ['bob', 'ada', false],
    ['ada', null, true],
  ]);
});
