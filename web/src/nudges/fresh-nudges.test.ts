import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { isFresh, newestOf, nudgeKey, stillAnnounced } from './fresh-nudges.ts';

const NOW = Date.parse('2026-03-02T09:02:00Z');

const nudged = (changes: Partial<Task> = {}): Task =>
  ({
    id: 'task',
    owner_id: 'ada',
    status: 'open',
    accepted_by_owner: true,
    escalation_stage: 0,
    nudge_count: 1,
    last_nudge_at: '2026-03-02T09:00:00Z',
    due_at: '2026-03-02T09:00:00Z',
    deferred_until: null,
    ...changes,
  }) as Task;

const keysOf = (tasks: readonly Task[]) => new Set(tasks.map(nudgeKey));
const announces = (changes: Partial<Task>, speed = 1) => isFresh(nudged(changes), 'ada', NOW, speed);

test('a nudge of one’s own open task is announced for five minutes, counted by the clock of the service', () => {
  assert.equal(announces({}), true);
  assert.equal(announces({ escalation_stage: -1, due_at: '2026-03-05T09:00:00Z' }), true, 'a heads-up');
  const old = { last_nudge_at: '2026-03-02T08:50:00Z', due_at: '2026-03-02T08:50:00Z' };
  assert.equal(announces(old), false);
  assert.equal(announces(old, 60), true, 'a service that runs 60 times as fast');
});

test('nothing is announced of other people’s tasks, of requests, of closed or snoozed ones, of the next occurrence, and of imported ones', () => {
  assert.equal(announces({ owner_id: 'grace' }), false);
  assert.equal(announces({ accepted_by_owner: false }), false);
  assert.equal(announces({ status: 'done' }), false);
  assert.equal(announces({ deferred_until: '2026-03-02T10:00:00Z' }), false);
  assert.equal(announces({ due_at: '2026-03-03T09:00:00Z' }), false, 'Done moved it on to tomorrow');
  assert.equal(announces({ nudge_count: 0 }), false, 'an import sets a last nudge without sending one');
  assert.equal(announces({ last_nudge_at: null }), false);
});

test('a new nudge, occurrence or snooze is another announcement, and the strongest stands first', () => {
  const keys = [{}, { last_nudge_at: '2026-03-02T09:15:00Z' }, { due_at: null }, { deferred_until: 'later' }];
  assert.equal(new Set(keys.map((changes) => nudgeKey(nudged(changes)))).size, 4);
  const [gentle, newer, insisting] = [
    nudged({ escalation_stage: -1 }),
    nudged({ last_nudge_at: '2026-03-02T09:01:00Z' }),
    nudged({ escalation_stage: 2 }),
  ];
  const all = [gentle, nudged(), newer, insisting];
  assert.deepEqual(stillAnnounced(all, keysOf(all), 'ada', 0), [insisting, newer, nudged(), gentle]);
  assert.equal(newestOf(all), Date.parse('2026-03-02T09:01:00Z'));
});

test('what was announced stays until it is answered, nudged again, or closed together with what is older', () => {
  const [older, newer] = [nudged(), nudged({ id: 'newer', last_nudge_at: '2026-03-02T09:01:00Z' })];
  const still = (tasks: readonly Task[], seen = 0) =>
    stillAnnounced(tasks, keysOf([older, newer]), 'ada', seen).map(({ id }) => id);
  assert.deepEqual(still([older, newer]), ['newer', 'task']);
  assert.deepEqual(still([older, newer], newestOf([older])), ['newer']);
  assert.deepEqual(still([older, newer], newestOf([older, newer])), []);
  for (const change of [{ status: 'done' }, { owner_id: 'grace' }, { last_nudge_at: '2026-03-02T09:01:30Z' }] as const)
    assert.deepEqual(still([{ ...older, ...change }]), [], JSON.stringify(change));
});
