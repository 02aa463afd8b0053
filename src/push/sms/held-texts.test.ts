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

const held = { title: 'pills', body: 'due', stage: 0, isRetry: false, known: async () => [] };

/** A service whose answers are given by the path, and what it was asked to do. */
function answering(answerTo: (path: string, form: URLSearchParams | null) => [status: number, body?: object]) {
  const done: string[] = [];
  const counted: number[] = [];
  const texts = new HeldTexts({
    clock: new FakeClock('2026-03-02T09:00:00Z'),
    from: SERVICE,
    request: async (path, form): Promise<Answer> => {
      if (form) done.push(form.get('SendAt') ?? `${form.get('Status')} ${path}`);
      const [status, body = {}] = answerTo(path, form);
      return { status, headers: {}, body: JSON.stringify(body) };
    },
    countSent: async (_number, segments) => void counted.push(segments),
  });
  const hold = (ref: string, delayMs: number, more: object = {}) =>
    texts.hold({ ...held, ref, delayMs, ...more }, '+447700900123', new AbortController().signal);
  const release = (ref: string) => texts.release({ ...held, ref }, '+447700900123', new AbortController().signal);
  return { hold, release, done, counted };
}

const taken = { sid: sid('n') };
const isNew = (path: string, form: URLSearchParams | null) => form !== null && path === '/Messages.json';

test('a service that wants a quarter of an hour gets it, and one that takes no moment so far away is not asked twice', async () => {
  const tooSoon = (_path: string, form: URLSearchParams | null): [number, object] =>
    form?.get('SendAt') === '2026-03-02T09:16:00Z' ? [201, taken] : [400, { code: 35114 }];
  const soon = answering(tooSoon);
  assert.deepEqual(await soon.hold('chosen-by-us', 6 * 60_000), { kind: 'accepted', ref: taken.sid });
  assert.deepEqual(soon.done, ['2026-03-02T09:06:00Z', '2026-03-02T09:16:00Z']);
  const far = answering(() => [400, { code: 35114 }]);
  assert.equal((await far.hold('chosen-by-us', 86_400_000)).kind, 'rejected');
  assert.equal(far.done.length, 1);
});

test('the message before it and those whose answers were lost are cancelled once the new one is there', async () => {
  const lost = listed('a', 'Mon, 02 Mar 2026 08:59:00 +0000');
  const { hold, done } = answering((path, form) => {
    if (isNew(path, form)) return [201, taken];
    return form ? [404] : [200, { messages: [lost], next_page_uri: null }];
  });
  const result = await hold(sid('b'), 3_600_000, { isRetry: true });
  assert.deepEqual(result, { kind: 'accepted', ref: taken.sid }, 'what is gone need not be cancelled');
  const cancelled = ['b', 'a'].map((digit) => `canceled /Messages/${sid(digit)}.json`);
  assert.deepEqual(done, ['2026-03-02T10:00:00Z', ...cancelled]);
  for (const status of [400, 503]) {
    const failing = answering((path, form) => (isNew(path, form) ? [201, taken] : [status]));
    assert.notEqual((await failing.hold(sid('b'), 3_600_000)).kind, 'accepted', 'it is tried again');
  }
});

test('what was sent before it could be cancelled is counted, and what was cancelled before is not', async () => {
  for (const [status, segments] of [
    ['delivered', [2]],
    ['canceled', []],
  ] as const) {
    const { release: take, counted } = answering((_path, form) =>
      form ? [400, { code: 30409 }] : [200, { status, num_segments: '2' }],
    );
    assert.deepEqual(await take(sid('b')), { kind: 'accepted' });
    assert.deepEqual(counted, segments);
  }
});

test('of a list that never ends, five pages are read', async () => {
  let pages = 0;
  const { hold } = answering((path, form) => {
    if (form) return [201, taken];
    pages += 1;
    assert.ok(pages <= 5, path);
    return [200, { messages: [], next_page_uri: '/2010-04-01/Accounts/AC1/Messages.json?Page=1' }];
  });
  assert.equal((await hold('chosen-by-us', 3_600_000, { isRetry: true })).kind, 'accepted');
  assert.equal(pages, 5);
});
