import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIRMATION, messageOf } from '../../../test/support/sample-messages.ts';
import { buildHeld, buildMessage } from './payload.ts';

const built = (replaced: Parameters<typeof messageOf>[0]) => JSON.parse(buildMessage(messageOf(replaced), 'topic'));

test('a nudge, a test and what is held are as loud as their stage, and a request is like a usual message', () => {
  const loudness = (kind: 'nudge' | 'test' | 'request') =>
    [-1, 0, 1, 2].map((stage) => built({ kind, stage }).priority);
  assert.deepEqual(loudness('nudge'), [2, 3, 4, 5]);
  assert.deepEqual(loudness('test'), [2, 3, 4, 5]);
  assert.deepEqual(loudness('request'), [3, 3, 3, 3]);
  const held = { ref: 'r', title: 'pills', body: 'due', delayMs: 60_001, isRetry: false, known: async () => [] };
  const waiting = [0, 1, 2].map((stage) => JSON.parse(buildHeld({ ...held, stage }, 'topic')));
  assert.deepEqual(
    waiting.map(({ priority }) => priority),
    [3, 4, 5],
  );
  assert.deepEqual([waiting[0].delay, waiting[0].sequence_id], ['61s', 'r']);
});

test('a button sends what it does by itself, and takes the notification away; the message opens its page', () => {
  const { actions, click, sequence_id } = built({});
  const { buttons, actions: links } = messageOf();
  assert.deepEqual(
    actions,
    buttons.map(({ label, url }) => ({ action: 'http', label, url, method: 'POST', clear: true })),
  );
  assert.deepEqual([click, sequence_id], [links?.page, 'the-task']);
  const confirm = built({ kind: 'confirm', actions: null, buttons: [], threadId: null, confirm: CONFIRMATION });
  assert.deepEqual(
    [confirm.click, confirm.actions[0].url, confirm.sequence_id],
    [CONFIRMATION.url, `${CONFIRMATION.url}?do=confirm`, undefined],
  );
  assert.equal(built({ buttons: [] }).actions, undefined);
});
