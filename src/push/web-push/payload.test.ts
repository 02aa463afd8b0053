import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CODE_POINT } from '../../../test/support/code-point.ts';
import { nudgeOf, PHONE, TASK, testPushOf } from '../../../test/support/sample-pushes.ts';
import type { RequestNews } from '../gateway.ts';
import { buildPayload } from './payload.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const BASE_URL = 'https://crescendo.example';
const MAX_BYTES = 3_993;

const STAGES = [
  { stage: -1, urgency: 'low', silent: true, renotify: false, requireInteraction: false, body: 'Due at 10:00' },
  { stage: 0, urgency: 'normal', silent: false, renotify: true, requireInteraction: false, body: 'Due now' },
  {
    stage: 1,
    urgency: 'high',
    silent: false,
    renotify: true,
    requireInteraction: false,
    body: 'Still open, due at 10:00',
  },
  {
    stage: 2,
    urgency: 'high',
    silent: false,
    renotify: true,
    requireInteraction: true,
    body: 'Still open, due at 10:00',
  },
];

for (const { stage, urgency, ...shown } of STAGES) {
  test(`stage ${stage} has ${urgency} urgency and declares its notification`, () => {
    const { plaintext, headers } = buildPayload(nudgeOf(PHONE, stage), BASE_URL, NOW);
    const navigate = `${BASE_URL}/app/tasks/${TASK.id}`;
    assert.deepEqual(headers, { TTL: '3600', Urgency: urgency, Topic: '0197a3c45b6d7e8f9a0b1c2d3e4f5a6b' });
    assert.deepEqual(JSON.parse(plaintext), {
      web_push: 8030,
      notification: {
        title: TASK.title,
        navigate,
        tag: TASK.id,
        actions: [
          { action: 'done', title: 'Done', navigate },
          { action: 'snooze', title: 'Snooze', navigate },
        ],
        data: { task_id: TASK.id, stage, occurrence_due_at: '2026-03-02T09:00:00.000Z' },
        ...shown,
      },
    });
  });
}

test('a task without a due date has null as its occurrence', () => {
  const { plaintext } = buildPayload(nudgeOf(PHONE, 0, { occurrenceDueAt: null }), BASE_URL, NOW);
  assert.equal(JSON.parse(plaintext).notification.data.occurrence_due_at, null);
});

test('a test push shows text, opens the app, and replaces no undelivered nudge', () => {
  const { plaintext, headers } = buildPayload(testPushOf(PHONE), BASE_URL, NOW);
  const { title, body, navigate } = JSON.parse(plaintext).notification;
  assert.ok(title && body);
  assert.equal(navigate, `${BASE_URL}/app`);
  assert.deepEqual(headers, { TTL: '3600', Urgency: 'high' });
});

test('an expired push has a time to live of zero', () => {
  assert.equal(buildPayload(nudgeOf(PHONE), BASE_URL, new Date('2026-03-02T11:00:00Z')).headers.TTL, '0');
});

test('a payload has at most 3,993 bytes for every title, and a title that fits stays whole', () => {
  const titles = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ unit: CODE_POINT, minLength: 2_000, maxLength: 4_000 }),
    fc.integer({ min: 500, max: 2_000 }).map((length) => '"\n\u0001'.repeat(length)),
  );
  fc.assert(
    fc.property(titles, (title) => {
      const { plaintext } = buildPayload(nudgeOf(PHONE, 2, { title }), BASE_URL, NOW);
      assert.ok(Buffer.byteLength(plaintext) <= MAX_BYTES);
      const shown: string = JSON.parse(plaintext).notification.title;
      assert.ok(shown === title || title.startsWith(shown.slice(0, -1)));
      if (Buffer.byteLength(JSON.stringify(title)) < 3_000) assert.equal(shown, title);
    }),
    { numRuns: 60 },
  );
});

const shownFor = (push: Parameters<typeof buildPayload>[0]) => {
  const { plaintext, headers } = buildPayload(push, BASE_URL, NOW);
  return { ...JSON.parse(plaintext).notification, headers };
};

test('the notification of a stand-in opens the page of stand-ins, and its buttons act for the stand-in', () => {
  const standInFor = { name: 'Grace', isEither: false };
  const { navigate, actions, data, body } = shownFor(nudgeOf(PHONE, 0, { standInFor }));
  const page = `${BASE_URL}/app/stand-ins/${TASK.id}`;
  assert.deepEqual([navigate, ...actions.map((action: { navigate: string }) => action.navigate)], [page, page, page]);
  assert.equal(data.stand_in, true);
  assert.match(body, /Grace/);
});

test('a message about a request opens what it is about, sounds like any message, and has buttons if it asks', () => {
  const told = (kind: RequestNews['kind']) =>
    shownFor({
      kind: 'request',
      target: PHONE,
      task: TASK,
      news: { kind, name: 'Bob', spaceName: null },
      expiresAt: new Date('2026-03-02T10:00:00Z'),
    });
  const [taskPage, standIns] = [`${BASE_URL}/app/tasks/${TASK.id}`, `${BASE_URL}/app/stand-ins`];
  const buttons = ['accept', 'decline'];
  for (const [kind, navigate, field, actions] of [
    ['asked', taskPage, 'task_id', buttons],
    ['accepted', taskPage, 'task_id', []],
    ['stand_in_asked', standIns, 'stand_in_id', buttons],
    ['stand_in_agreed', standIns, 'stand_in_id', []],
    ['stand_in_done', taskPage, 'task_id', []],
  ] as const) {
    const shown = told(kind);
    assert.deepEqual([shown.navigate, shown.tag, shown.renotify], [navigate, TASK.id, true], kind);
    assert.deepEqual(
      (shown.actions ?? []).map(({ action }: { action: string }) => action),
      actions,
    );
    assert.deepEqual(shown.data, { [field]: TASK.id, request: kind });
    assert.equal(shown.headers.Urgency, 'normal');
  }
});

test('a test is as strong as the stage that is tried', () => {
  const strength = (stage?: number) => {
    const { renotify, silent, requireInteraction } = shownFor({
      ...testPushOf(PHONE),
      ...(stage !== undefined && { stage }),
    });
    return [renotify, silent, requireInteraction];
  };
  assert.deepEqual([-1, 1, 2].map(strength), [
    [false, true, false],
    [true, false, false],
    [true, false, true],
  ]);
});
