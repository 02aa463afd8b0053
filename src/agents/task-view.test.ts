import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask } from '../../test/support/fake-agent.ts';
import { listedTask, summarizeTask } from './task-view.ts';

const { agent } = fakeAgent(() => undefined, { quietHours: '22:00 to 07:00', dayStart: '08:00' });
const bob = { kind: 'person', name: 'Bob' };

test('a row of a list names what is not usual: a request, a snooze that goes on, when it was closed', () => {
  const request = listedTask(fakeTask({ accepted_by_owner: false, asked_by: 'Bob' }), agent);
  assert.deepEqual([request.awaiting_acceptance, request.asked_by], [true, 'Bob']);
  assert.equal(listedTask(fakeTask({ asked_by: 'Bob' }), agent).asked_by, undefined, 'of a task that was accepted');
  const snooze = (deferred_until: string) => listedTask(fakeTask({ deferred_until }), agent).snoozed_until;
  assert.deepEqual(
    [snooze('2026-03-05T10:00:00.000Z'), snooze('2026-03-05T08:00:00.000Z')],
    ['2026-03-05T11:00', undefined],
  );
  const closed = (fields: object) => listedTask(fakeTask(fields), agent).closed;
  assert.equal(closed({ status: 'done', completed_at: '2026-03-05T08:00:00.000Z' }), '2026-03-05T09:00');
  assert.equal(closed({ status: 'skipped', skipped_at: '2026-03-05T08:30:00.000Z' }), '2026-03-05T09:30');
});

test('the next nudge of a row is named unless it comes at its usual moment: of a day, when the day starts', () => {
  const next = (next_fire_at: string, fields: object) => listedTask(fakeTask({ next_fire_at, ...fields }), agent).next;
  const timed = { due_at: '2026-03-06T11:00:00.000Z' };
  assert.equal(next('2026-03-06T11:00:00.000Z', timed), undefined);
  assert.equal(next('2026-03-06T11:15:00.000Z', timed), '2026-03-06T12:15');
  const allDay = { due_at: '2026-03-05T23:00:00.000Z', has_time: false };
  assert.equal(next('2026-03-06T07:00:00.000Z', allDay), undefined);
  assert.equal(next('2026-03-05T23:00:00.000Z', allDay), '2026-03-06T00:00');
});

test('each text of another is marked as theirs, together where one person wrote all of them', () => {
  const written = (fields: object) => /Written by others: .*?\./.exec(summarizeTask(fakeTask(fields), agent))?.[0];
  const notes = { notes: 'two', notes_written_by: bob };
  assert.equal(written(notes), 'Written by others: notes by person "Bob".');
  assert.equal(written({ ...notes, written_by: bob }), 'Written by others: text by person "Bob".');
  assert.equal(written({ notes: 'two', notes_written_by: { kind: 'you', name: null } }), undefined);
  const robot = { kind: 'agent', name: 'Robot' };
  const both = 'Written by others: title by person "Bob", notes by agent "Robot".';
  assert.equal(written({ ...notes, written_by: bob, notes_written_by: robot }), both);
});

test('quiet hours hold a nudge back, and not one that the user has let pass', () => {
  const quiet = (next_fire_at: string, quietHours: string) =>
    /Quiet hours.*?back(, but not the next nudge)?\./.exec(
      summarizeTask(fakeTask({ due_at: next_fire_at, next_fire_at }), { ...agent, quietHours }),
    )?.[1];
  const passes = ', but not the next nudge';
  assert.equal(quiet('2026-03-06T01:00:00.000Z', '22:00 to 07:00'), passes);
  assert.equal(quiet('2026-03-06T11:00:00.000Z', '22:00 to 07:00'), undefined);
  assert.equal(quiet('2026-03-06T12:00:00.000Z', '12:00 to 14:00'), passes);
  assert.equal(quiet('2026-03-06T13:00:00.000Z', '12:00 to 14:00'), undefined);
});

test('a limit of the token is told, unless the task may reach every stage', () => {
  const limits = (max_stage?: number | null) => {
    const task = fakeTask({ due_at: '2026-03-06T08:00:00.000Z', ...(max_stage !== undefined && { max_stage }) });
    return /never above stage (\d)/.exec(summarizeTask(task, { ...agent, ceiling: 1 }))?.[1];
  };
  assert.deepEqual([limits(), limits(null), limits(0), limits(2)], ['1', undefined, '0', undefined]);
});
