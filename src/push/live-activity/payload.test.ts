import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityOf, TASK } from '../../../test/support/apns-pushes.ts';
import { activityRequest } from './payload.ts';

const APP = { topic: 'org.example.app', critical: false, activityType: 'NudgeAttributes' };
const SENT_AT = new Date('2026-03-02T09:16:00.700Z');
const SENT_SECONDS = Date.parse('2026-03-02T09:16:00Z') / 1_000;

const CONTENT = {
  title: 'Take the medicine',
  body: 'Still open, due at 10:00',
  stage: 1,
  due_at: Date.parse('2026-03-02T09:00:00Z') / 1_000,
  nudged_at: Date.parse('2026-03-02T09:00:00Z') / 1_000,
  occurrence_due_at: '2026-03-02T09:00:00.125Z',
};

const apsOf = (...[push, app, sentAt]: Parameters<typeof activityRequest>) =>
  JSON.parse(activityRequest(push, app, sentAt).body).aps;

test('a push goes to the Live Activity topic and expires when its state is stale', () => {
  assert.deepEqual(activityRequest(activityOf('activity_update'), APP, SENT_AT).headers, {
    'apns-push-type': 'liveactivity',
    'apns-topic': 'org.example.app.push-type.liveactivity',
    'apns-priority': '10',
    'apns-expiration': String(SENT_SECONDS + 90 * 60),
  });
});

test('a start has the alert that iOS requires, no sound, and requests the token of the activity', () => {
  assert.deepEqual(apsOf(activityOf('activity_start'), APP, SENT_AT), {
    timestamp: SENT_SECONDS,
    event: 'start',
    'attributes-type': 'NudgeAttributes',
    attributes: { task_id: TASK.id },
    'content-state': CONTENT,
    alert: { title: CONTENT.title, body: CONTENT.body },
    'input-push-token': 1,
    'stale-date': SENT_SECONDS + 90 * 60,
  });
});

test('an update shows the new state and makes no sound', () => {
  assert.deepEqual(apsOf(activityOf('activity_update'), APP, SENT_AT), {
    timestamp: SENT_SECONDS,
    event: 'update',
    'content-state': CONTENT,
    'stale-date': SENT_SECONDS + 90 * 60,
  });
});

test('an end removes the activity at once, and expires when iOS would have ended the activity anyway', () => {
  const push = activityOf('activity_end');
  assert.deepEqual(apsOf(push, APP, SENT_AT), {
    timestamp: SENT_SECONDS,
    event: 'end',
    'content-state': CONTENT,
    'dismissal-date': SENT_SECONDS,
  });
  const { headers } = activityRequest(push, APP, SENT_AT);
  assert.equal(headers['apns-expiration'], String(SENT_SECONDS + 8 * 3_600));
});

test('a push that is not urgent does not spend the hourly budget', () => {
  const { headers } = activityRequest(activityOf('activity_end', { isUrgent: false }), APP, SENT_AT);
  assert.equal(headers['apns-priority'], '5');
});

test('an all-day task has no instant to count down to', () => {
  const task = { ...TASK, due: Temporal.PlainDate.from('2026-03-02'), occurrenceDueAt: null };
  const { due_at, occurrence_due_at } = apsOf(activityOf('activity_start', { task }), APP, SENT_AT)['content-state'];
  assert.deepEqual([due_at, occurrence_due_at], [null, null]);
});
