import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../../test/support/sample-messages.ts';
import { buildMessage } from './payload.ts';

const built = (replaced: Parameters<typeof messageOf>[0]) =>
  JSON.parse(JSON.stringify(buildMessage(messageOf(replaced), '77')));

test('only a heads-up arrives without a sound', () => {
  const silent = [-1, 0, 1, 2].map((stage) => built({ stage }).disable_notification);
  assert.deepEqual(silent, [true, false, false, false]);
});

test('a text that Telegram would refuse is cut, and buttons are there only for what a message offers', () => {
  assert.ok(Buffer.byteLength(built({ title: 'ж'.repeat(5_000) }).text) <= 4_000);
  const row = built({}).reply_markup.inline_keyboard[0];
  const letters = row.map(({ callback_data }: { callback_data: string }) => callback_data.slice(0, 2));
  assert.deepEqual(letters, ['d.', 's.']);
  assert.equal(built({ buttons: [] }).reply_markup, undefined);
});
