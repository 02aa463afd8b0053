import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { Answer } from '../../outbound/http-sender.ts';
import { HeldTexts } from './held-texts.ts';
import { buildHeldText } from './payload.ts';

const SERVICE = `MG${'0'.repeat(32)}`;
const sid = (digit: string) => `SM${digit.repeat(32)}`;
const TEXT = buildHeldText('pills', 'Crescendo has not been heard of since Mon 09:00.');

const listed = (digit: string, date_created: string, fields: object = {}) => ({
  sid: sid(digit),
  status: 'scheduled',
  body: TEXT,
  messaging_service_sid: SERVICE,
  date_created,
  ...fields,
});

/** Releases a message whose answer was lost, at 09:00, while the service has these messages, and more on a second page. */
async function release(messages: readonly object[] | undefined, more?: readonly object[]) {
  const cancelled: string[] = [];
  const second = '/2010-04-01/Accounts/AC1/Messages.json?Page=1';
  const held = new HeldTexts({
    clock: new FakeClock('2026-03-02T09:00:00Z'),
    from: SERVICE,
    request: async (path, form): Promise<Answer> => {
      if (form) cancelled.push(path);
      const page = path.includes('Page=1')
        ? { messages: more, next_page_uri: null }
        : { messages, next_page_uri: more ? second : null };
      return { status: 200, headers: {}, body: JSON.stringify(form ? {} : page) };
    },
    countSent: async () => undefined,
  });
  const ref = { ref: 'chosen-by-us', isRetry: true, known: async () => [sid('c')] };
  const result = await held.release(ref, '+447700900123', new AbortController().signal);
  return { result, cancelled };
}

test('only what is scheduled, ours, and unknown is taken back', async () => {
  const before = 'Mon, 02 Mar 2026 08:59:00 +0000';
  const { result, cancelled } = await release([
    listed('a', before),
    listed('b', before, { status: 'delivered' }),
    listed('c', before),
    listed('d', before, { messaging_service_sid: null }),
    listed('e', before, { body: 'Your table is booked' }),
  ]);
  assert.deepEqual(cancelled, [`/Messages/${sid('a')}.json`]);
  assert.deepEqual(result, { kind: 'accepted' });
});

test('what is taken back is looked for on every page', async () => {
  const before = 'Mon, 02 Mar 2026 08:59:00 +0000';
  const { cancelled } = await release([listed('c', before)], [listed('a', before)]);
  assert.deepEqual(cancelled, [`/Messages/${sid('a')}.json`]);
});

test('an unknown message that is new may be the one that another process waits for, so it is left for now', async () => {
  const { result, cancelled } = await release([listed('a', 'Mon, 02 Mar 2026 08:59:40 +0000')]);
  assert.deepEqual(cancelled, []);
  assert.deepEqual(result, { kind: 'retry', reason: 'unknown_message', afterMs: 30_000, isAnswered: true });
});

test('an answer without a list is not taken for an empty one', async () => {
  assert.deepEqual((await release(undefined)).result, { kind: 'retry', reason: 'no_list', isAnswered: true });
});
