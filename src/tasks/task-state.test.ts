import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, type ActionContext, type Actor, act, closedByToken, type Task } from './task-state.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const EARLIER = new Date('2026-03-01T09:00:00Z');
const LATER = new Date('2026-03-03T09:00:00Z');

const OPEN: Task = {
  id: 't',
  owner_id: 'o',
  assigner_id: 'a',
  space_id: null,
  title: 'x',
  notes: null,
  kind: 'todo',
  due_at: LATER,
  due_written: '2026-03-03T09:00:00Z',
  has_time: true,
  overdue_at: LATER,
  series_first: null,
  recurrence: null,
  occurrence_number: 1,
  occurrence_started_at: EARLIER,
  lead_time_days: null,
  mode: 'escalate',
  break_quiet_hours: false,
  status: 'open',
  accepted_by_owner: true,
  deferred_until: null,
  completed_at: null,
  skipped_at: null,
  closed_at: null,
  undo: null,
  run: 1,
  run_started_at: EARLIER,
  step: 3,
  heads_up_at: null,
  rings_anyway_at: null,
  escalation_stage: 1,
  nudge_count: 7,
  last_nudge_at: null,
  wanted_at: null,
  plan_version: 0,
  next_fire_at: null,
  list_rank: 0,
  list_key: 0,
  created_by_token: null,
  max_stage: null,
  shortest_wait: null,
  ladder: null,
  ladder_label: null,
  heads_ups: null,
  created_at: EARLIER,
  updated_at: EARLIER,
};

const STATES: Record<string, Task> = {
  open: OPEN,
  pending: { ...OPEN, accepted_by_owner: false },
  done: { ...OPEN, status: 'done', completed_at: EARLIER, closed_at: EARLIER },
  skipped: { ...OPEN, status: 'skipped', skipped_at: EARLIER, closed_at: EARLIER },
  dropped: { ...OPEN, status: 'dropped', closed_at: EARLIER },
  'dropped request': { ...OPEN, status: 'dropped', accepted_by_owner: false, closed_at: EARLIER },
  declined: { ...OPEN, status: 'declined', accepted_by_owner: false, closed_at: EARLIER },
};

const ACTIONS: Record<string, Action> = {
  complete: { name: 'complete' },
  skip: { name: 'skip' },
  snooze: { name: 'snooze', until: LATER },
  drop: { name: 'drop' },
  accept: { name: 'accept' },
  decline: { name: 'decline' },
  reopen: { name: 'reopen' },
};

/** Rows: state. Columns: complete, skip, snooze, drop, accept, decline, reopen. `=` unchanged, `→x` new status, else a refusal. */
const OWNER: Record<string, string[]> = {
  open: ['→done', '→skipped', '→open', '→dropped', '=', 'task_not_pending', '='],
  pending: ['→done', '→skipped', 'task_not_accepted', '→dropped', '→open', '→declined', '='],
  done: ['=', 'task_closed', 'task_closed', 'task_closed', '=', 'task_closed', 'nothing_to_reopen'],
  skipped: ['task_closed', '=', 'task_closed', 'task_closed', '=', 'task_closed', 'nothing_to_reopen'],
  dropped: ['task_closed', 'task_closed', 'task_closed', '=', '=', 'task_closed', 'nothing_to_reopen'],
  'dropped request': [
    'task_closed',
    'task_closed',
    'task_closed',
    '=',
    'task_closed',
    'task_closed',
    'nothing_to_reopen',
  ],
  declined: ['task_closed', 'task_closed', 'task_closed', 'task_closed', 'task_closed', '=', 'nothing_to_reopen'],
};
const no = 'not_allowed';
const ASSIGNER: Record<string, string[]> = {
  open: ['→done', '→skipped', '→open', '→dropped', no, no, '='],
  pending: [no, no, no, '→dropped', no, no, '='],
  done: ['=', 'task_closed', 'task_closed', 'task_closed', no, no, 'nothing_to_reopen'],
  skipped: ['task_closed', '=', 'task_closed', 'task_closed', no, no, 'nothing_to_reopen'],
  dropped: ['task_closed', 'task_closed', 'task_closed', '=', no, no, 'nothing_to_reopen'],
  'dropped request': [no, no, no, '=', no, no, 'nothing_to_reopen'],
  declined: [no, no, no, 'task_closed', no, no, 'nothing_to_reopen'],
};
const STAND_IN: Record<string, string[]> = {
  open: ['→done', no, no, no, no, no, '='],
  pending: [no, no, no, no, no, no, no],
  done: ['=', no, no, no, no, no, 'nothing_to_reopen'],
  skipped: ['task_closed', no, no, no, no, no, 'nothing_to_reopen'],
  dropped: ['task_closed', no, no, no, no, no, 'nothing_to_reopen'],
  'dropped request': [no, no, no, no, no, no, no],
  declined: [no, no, no, no, no, no, no],
};

const decide = (task: Task, action: Action, actor: Actor = 'owner', now = NOW) =>
  act(task, action, { actor, tokenId: null, now, outcomeId: 'outcome', next: () => null });

function summary(task: Task, action: Action, actor: Actor): string {
  const result = decide(task, action, actor);
  if (result.kind === 'unchanged') return '=';
  if (result.kind === 'refused') return result.refusal;
  return `→${result.changes.status ?? task.status}`;
}

for (const [actor, table] of [
  ['owner', OWNER],
  ['assigner', ASSIGNER],
  ['stand_in', STAND_IN],
] as const) {
  test(`every state × action pair is decided for the ${actor}`, () => {
    assert.deepEqual(Object.keys(table), Object.keys(STATES));
    for (const [name, task] of Object.entries(STATES)) {
      assert.deepEqual(
        Object.values(ACTIONS).map((action) => summary(task, action, actor)),
        table[name],
        name,
      );
    }
  });
}

test('completing records done, skipping records skipped, dropping and snoozing record no outcome', () => {
  const outcomes = ['complete', 'skip', 'drop', 'snooze'].map((name) => {
    const result = decide(OPEN, ACTIONS[name] ?? { name: 'drop' });
    return result.kind === 'changed' ? (result.outcome ?? null) : result.kind;
  });
  assert.deepEqual(outcomes, ['done', 'skipped', null, null]);
});

test('an action that names another occurrence is refused, whether earlier, later or undated', () => {
  for (const occurrenceDueAt of [EARLIER, new Date(LATER.getTime() + 1), null]) {
    for (const action of [{ name: 'complete' }, { name: 'skip' }, { name: 'snooze', until: LATER }] as const) {
      const result = decide(OPEN, { ...action, occurrenceDueAt });
      assert.deepEqual(result, { kind: 'refused', refusal: 'occurrence_passed' });
    }
  }
  assert.equal(decide(OPEN, { name: 'complete', occurrenceDueAt: new Date(LATER) }).kind, 'changed');
});

test('closing an occurrence of a repeating task keeps the task open and starts a new run', () => {
  const next = { due_at: LATER, due_written: 'w', has_time: true, series_first: 's' };
  const result = act(
    OPEN,
    { name: 'complete' },
    { actor: 'owner', tokenId: null, now: NOW, outcomeId: 'o', next: () => next },
  );
  assert.equal(result.kind, 'changed');
  if (result.kind !== 'changed') return;
  const { undo: _, ...changes } = result.changes;
  assert.deepEqual(changes, {
    accepted_by_owner: true,
    deferred_until: null,
    completed_at: NOW,
    ...next,
    occurrence_number: 2,
    occurrence_started_at: NOW,
    run: 2,
    run_started_at: NOW,
    step: 0,
    heads_up_at: NOW,
    escalation_stage: 0,
  });
});

test('every complete or skip closes the current occurrence, even right after the one before', () => {
  const moved: Task = { ...OPEN, completed_at: NOW, skipped_at: NOW, occurrence_started_at: NOW, due_at: LATER };
  for (const name of ['complete', 'skip'] as const) {
    for (const occurrenceDueAt of [undefined, LATER]) {
      assert.equal(decide(moved, { name, occurrenceDueAt }).kind, 'changed');
    }
    assert.deepEqual(decide(moved, { name, occurrenceDueAt: NOW }), { kind: 'refused', refusal: 'occurrence_passed' });
  }
});

const NEXT = { due_at: LATER, due_written: 'next', has_time: false, series_first: 'next', overdue_at: LATER };

/** The task after an action that is allowed. */
function afterwards(task: Task, action: Action, context: Partial<ActionContext> = {}): Task {
  const usual = { actor: 'owner', tokenId: null, now: NOW, outcomeId: 'outcome', next: () => null } as const;
  const result = act(task, action, { ...usual, ...context });
  assert.equal(result.kind, 'changed', `${action.name}: ${JSON.stringify(result)}`);
  return { ...task, ...(result.kind === 'changed' && result.changes) };
}

test('reopening restores everything that closing changed, of a series too; only the run is a new one', () => {
  const before: Task = {
    ...OPEN,
    due_at: EARLIER,
    overdue_at: EARLIER,
    series_first: 'first',
    occurrence_number: 4,
    deferred_until: LATER,
    completed_at: EARLIER,
    skipped_at: EARLIER,
    accepted_by_owner: false,
  };
  for (const next of [() => null, () => NEXT]) {
    for (const name of ['complete', 'skip', 'drop'] as const) {
      const closed = afterwards(before, { name }, { next });
      const reopened = afterwards(closed, { name: 'reopen' });
      const newRun = { run: closed.run + 1, run_started_at: NOW, step: 0, heads_up_at: NOW, escalation_stage: 0 };
      assert.deepEqual(reopened, { ...before, ...newRun }, name);
      assert.deepEqual(decide(reopened, { name: 'reopen' }), { kind: 'unchanged' }, 'a second press');
    }
  }
});

test('reopening a bulk change, or by a link, takes back what that change or link did and nothing else', () => {
  const refused = { kind: 'refused', refusal: 'nothing_to_reopen' };
  const inBatch = afterwards(OPEN, { name: 'complete' }, { batchId: 'one' });
  assert.equal(decide(inBatch, { name: 'reopen', batchId: 'one' }).kind, 'changed');
  assert.deepEqual(decide(inBatch, { name: 'reopen', batchId: 'other' }), refused);
  assert.deepEqual(decide(afterwards(OPEN, { name: 'complete' }), { name: 'reopen', batchId: 'one' }), refused);
  assert.deepEqual(decide(OPEN, { name: 'reopen', batchId: 'one' }), refused);
  const usual = { actor: 'owner', tokenId: null, now: NOW, outcomeId: 'outcome', next: () => null } as const;
  const reopenBy = (task: Task, link: string) => act(task, { name: 'reopen' }, { ...usual, link });
  const byLink = afterwards(OPEN, { name: 'complete' }, { link: 'one' });
  assert.equal(reopenBy(byLink, 'one').kind, 'changed');
  assert.equal(decide(byLink, { name: 'reopen' }).kind, 'changed', 'the app takes back what a link did');
  assert.deepEqual(reopenBy(byLink, 'other'), refused);
  assert.deepEqual(reopenBy(afterwards(OPEN, { name: 'complete' }), 'one'), refused);
});

test('an assigner takes back what they did and the owner’s completion, never the owner’s answer or drop', () => {
  const pending: Task = { ...OPEN, accepted_by_owner: false };
  const mayReopen = (task: Task) => decide(task, { name: 'reopen' }, 'assigner').kind === 'changed';
  for (const name of ['complete', 'skip'] as const) {
    assert.equal(mayReopen(afterwards(OPEN, { name })), true, name);
    assert.equal(mayReopen(afterwards(pending, { name })), false, `${name} answers the request`);
  }
  for (const task of [OPEN, pending]) {
    assert.equal(mayReopen(afterwards(task, { name: 'drop' })), false);
    assert.equal(mayReopen(afterwards(task, { name: 'drop' }, { actor: 'assigner' })), true);
  }
});

test('a snooze and an accepted request begin the ladder again', () => {
  const snoozed = afterwards(OPEN, { name: 'snooze', until: LATER });
  const newRun = { run: 2, run_started_at: NOW, step: 0, escalation_stage: 0 };
  assert.deepEqual(snoozed, { ...OPEN, ...newRun, deferred_until: LATER, heads_up_at: NOW });
  const pending: Task = { ...OPEN, accepted_by_owner: false };
  const accepted = afterwards(pending, { name: 'accept' });
  assert.deepEqual(accepted, { ...OPEN, ...newRun, heads_up_at: null });
});

test('reopening within a day restores the task, deletes the outcome and starts a new run', () => {
  const snoozed: Task = { ...OPEN, deferred_until: LATER };
  const closing = decide(snoozed, { name: 'complete' });
  assert.equal(closing.kind, 'changed');
  if (closing.kind !== 'changed') return;
  const closed: Task = { ...snoozed, ...closing.changes, title: 'renamed since' };
  const inTime = decide(closed, { name: 'reopen' }, 'owner', new Date(NOW.getTime() + 86_400_000));
  assert.equal(inTime.kind, 'changed');
  if (inTime.kind !== 'changed') return;
  assert.equal(inTime.withdrawnOutcomeId, 'outcome');
  const reopened = { ...closed, ...inTime.changes };
  assert.deepEqual(
    [reopened.status, reopened.due_at, reopened.deferred_until, reopened.completed_at, reopened.title, reopened.undo],
    ['open', LATER, LATER, null, 'renamed since', null],
  );
  assert.deepEqual([reopened.step, reopened.escalation_stage], [0, 0]);
  const late = decide(closed, { name: 'reopen' }, 'owner', new Date(NOW.getTime() + 86_400_001));
  assert.deepEqual(late, { kind: 'refused', refusal: 'nothing_to_reopen' });
});

test('reopening one occurrence takes back its completion, and neither another one nor a skip or a drop', () => {
  const [first, second] = [NOW, LATER];
  const refused = { kind: 'refused', refusal: 'nothing_to_reopen' };
  const after = (task: Task, action: Action): Task => {
    const result = decide(task, action);
    return { ...task, ...(result.kind === 'changed' && result.changes) };
  };
  const reopen = (task: Task, occurrenceDueAt: Date | null) => decide(task, { name: 'reopen', occurrenceDueAt });
  const open: Task = { ...OPEN, due_at: first };
  const done = after(open, { name: 'complete' });
  assert.equal(reopen(done, first).kind, 'changed');
  // A repeating task has moved on: what is taken back is the occurrence before it.
  assert.equal(reopen({ ...done, status: 'open', due_at: second }, first).kind, 'changed');
  for (const other of [second, null]) assert.deepEqual(reopen(done, other), refused);
  for (const name of ['skip', 'drop'] as const) assert.deepEqual(reopen(after(open, { name }), first), refused);
  // Nothing was closed: the second press of Undo, and the link of an older nudge.
  assert.equal(reopen(open, first).kind, 'unchanged');
  assert.deepEqual(reopen(open, second), refused);
});

test('a snooze must end in the future, and repeating it changes nothing', () => {
  assert.deepEqual(decide(OPEN, { name: 'snooze', until: NOW }), { kind: 'refused', refusal: 'until_in_past' });
  assert.equal(decide({ ...OPEN, deferred_until: LATER }, { name: 'snooze', until: LATER }).kind, 'unchanged');
});

test('what a token closed is known as its work until it is reopened', () => {
  assert.equal(closedByToken(OPEN), null);
  assert.equal(closedByToken(afterwards(OPEN, { name: 'complete' })), null);
  const closed = afterwards(OPEN, { name: 'complete' }, { tokenId: 'token' });
  assert.equal(closedByToken(closed), 'token');
  assert.equal(closedByToken(afterwards(closed, { name: 'reopen' })), null);
});
