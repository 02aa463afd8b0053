import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as assertProperty, constantFrom, property, string } from 'fast-check';
import { activityOf, nudgeOf, nudgeTo, TASK } from '../../../test/support/apns-pushes.ts';
import { activityRequest } from '../live-activity/payload.ts';
import { MAX_BYTES, nudgeRequest, testRequest } from './payload.ts';

const APP = { topic: 'org.example.app', critical: false, activityType: 'NudgeAttributes' };
const ENTITLED = { ...APP, critical: true };

const INTERRUPTIONS: [stage: number, priority: string, level: string, sound: unknown][] = [
  [-1, '5', 'passive', undefined],
  [0, '10', 'active', 'default'],
  [1, '10', 'time-sensitive', 'default'],
  [2, '10', 'time-sensitive', 'nudge-loud.caf'],
];
for (const [stage, priority, level, sound] of INTERRUPTIONS) {
  test(`a nudge of stage ${stage} is ${level} with priority ${priority}, unless it may be critical`, () => {
    const ordinary = nudgeRequest(nudgeOf({}, stage), ENTITLED);
    const notEntitled = nudgeRequest(nudgeOf({ mustNotMiss: true }, stage), APP);
    for (const { headers, body } of [ordinary, notEntitled]) {
      const { aps } = JSON.parse(body);
      assert.equal(headers['apns-priority'], priority);
      assert.equal(aps['interruption-level'], level);
      assert.deepEqual(aps.sound, sound);
    }
  });
}

test('only the strongest nudge of a must-not-miss task is critical, if the app is entitled to it', () => {
  const levels = [-1, 0, 1, 2].map((stage) => {
    const { aps } = JSON.parse(nudgeRequest(nudgeOf({ mustNotMiss: true }, stage), ENTITLED).body);
    return aps['interruption-level'];
  });
  assert.deepEqual(levels, ['passive', 'active', 'time-sensitive', 'critical']);
  const { aps } = JSON.parse(nudgeRequest(nudgeOf({ mustNotMiss: true }, 2), ENTITLED).body);
  assert.deepEqual(aps.sound, { critical: 1, name: 'nudge-loud.caf', volume: 1 });
});

test('a nudge replaces the one before it, expires, and names its occurrence', () => {
  const { headers, body } = nudgeRequest(nudgeTo(7), APP);
  assert.deepEqual(headers, {
    'apns-push-type': 'alert',
    'apns-topic': 'org.example.app',
    'apns-priority': '10',
    'apns-expiration': String(Date.parse('2026-03-02T09:15:00Z') / 1_000),
    'apns-collapse-id': TASK.id,
  });
  assert.deepEqual(JSON.parse(body), {
    aps: {
      alert: { title: 'Take the medicine', body: 'Due now' },
      sound: 'default',
      'interruption-level': 'active',
      'thread-id': TASK.id,
      category: 'NUDGE',
    },
    task_id: TASK.id,
    stage: 0,
    occurrence_due_at: '2026-03-02T09:00:00.125Z',
  });
});

test('a nudge of a task without a due date has null as its occurrence', () => {
  const { body } = nudgeRequest(nudgeOf({ due: null, occurrenceDueAt: null }), APP);
  assert.equal(JSON.parse(body).occurrence_due_at, null);
});

test('a test push has its own text and collapse id, and no buttons', () => {
  const { headers, body } = testRequest({ ...nudgeTo(7), kind: 'test' }, APP);
  const { aps, ...rest } = JSON.parse(body);
  assert.equal(headers['apns-collapse-id'], 'test-push');
  assert.equal(headers['apns-push-type'], 'alert');
  assert.equal(headers['apns-topic'], 'org.example.app');
  assert.match(aps.alert.body, /./);
  assert.equal(aps.category, undefined);
  assert.deepEqual(rest, {});
});

const SENT_AT = new Date('2026-03-02T09:00:01Z');
const REQUESTS = {
  nudge: (title: string) => nudgeRequest(nudgeOf({ title, mustNotMiss: true }, 2), ENTITLED),
  'start of a Live Activity': (title: string) =>
    activityRequest(activityOf('activity_start', { task: { ...TASK, title } }), ENTITLED, SENT_AT),
};
/** Letters, emoji of one and of many code points, and characters that JSON escapes. */
const UNITS = ['a', 'é', '語', '"', '\\', '\u0001', '\u007f', '🎺', '👩‍👩‍👧‍👦', 'e\u0301\u0327', '🇨🇭'];

for (const [what, request] of Object.entries(REQUESTS)) {
  test(`a title of up to 200 code points is never cut, in the ${what}`, () => {
    const titles = string({ unit: constantFrom(...UNITS), maxLength: 200, size: 'max' });
    const isWhole = property(titles, (text) => {
      const title = [...text].slice(0, 200).join('');
      const { body } = request(title);
      assert.ok(Buffer.byteLength(body) <= MAX_BYTES);
      assert.equal(JSON.parse(body).aps.alert.title, title);
    });
    assertProperty(isWhole);
  });

  test(`a title that is far too long is cut between graphemes and stays within the limit, in the ${what}`, () => {
    const titles = string({ unit: constantFrom(...UNITS), minLength: 1_500, maxLength: 3_000, size: 'max' });
    const isCut = property(titles, (title) => {
      const { body } = request(title);
      const shown: string = JSON.parse(body).aps.alert.title;
      assert.ok(Buffer.byteLength(body) <= MAX_BYTES);
      assert.ok(shown.endsWith('…') && title.startsWith(shown.slice(0, -1)));
      const nextCharacter = new Intl.Segmenter('en').segment(title).containing(shown.length - 1);
      assert.equal(nextCharacter?.index, shown.length - 1);
    });
    assertProperty(isCut, { numRuns: 30 });
  });
}

test('a title is cut no shorter than necessary', () => {
  const { body } = REQUESTS.nudge('語'.repeat(3_000));
  assert.ok(Buffer.byteLength(body) > MAX_BYTES - 3 && Buffer.byteLength(body) <= MAX_BYTES);
});
