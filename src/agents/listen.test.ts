import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fakeAgent, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import { openStream } from './listen.ts';
import { TODAY_URI, taskUri } from './resources.ts';
import { LONGEST_MS, Subscriptions } from './subscriptions.ts';
import { ToolFailure } from './tool-failure.ts';

/** What the client is told that it listens to, if it asks for this. */
async function listenTo(resourceSubscriptions: unknown, refusal?: Error): Promise<unknown> {
  const subscriptions = new Subscriptions({ clock: new FakeClock(), logger: createLogger('silent') });
  const reply = { raw: { destroyed: true, once: () => undefined }, handlerTimer: null, header: () => reply } as object;
  Object.assign(reply, { code: () => reply, request: {}, server: { observeAnswer: () => undefined } });
  const { agent } = fakeAgent(({ path }) => {
    if (refusal) throw refusal;
    return { data: path === '/v1/sync' ? { tasks: [], removed: [], server_time: 'x', reset: false } : [] };
  });
  let asked: unknown;
  const open = async ({ message }: { message: { params: { notifications: { resourceSubscriptions: unknown } } } }) => {
    asked = message.params.notifications.resourceSubscriptions;
    return { response: new Response(''), end: () => undefined };
  };
  const message = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions } } };
  const call = { message, loadAgent: async () => agent };
  await openStream(reply as never, call as never, subscriptions, open as never).finally(() => subscriptions.stop());
  return asked;
}

test('a client listens to what there may be, each once, and to a hundred at most', async () => {
  const uris = [TODAY_URI, taskUri(TASK_ID)];
  const others = ['crescendo://tomorrow', 'file:///etc/passwd', taskUri('x'), 7, null];
  assert.deepEqual(await listenTo([...uris, ...others, ...uris]), uris);
  const many = Array.from({ length: 150 }, (_, index) => taskUri(taskIdEnding(String(index).padStart(4, '0'))));
  assert.deepEqual(await listenTo(many), many.slice(0, 100));
  // Left to the library, which refuses it.
  assert.equal(await listenTo('all'), 'all');
});

test('what the API refuses to a listener is refused with its code', async () => {
  const busy = new ToolFailure('too_many_requests', 'Too many.', 7);
  await assert.rejects(listenTo([TODAY_URI], busy), { code: 'too_many_requests', retryAfterSeconds: 7 });
  await assert.rejects(listenTo([TODAY_URI], new Error('a bug')), /a bug/);
});

/** The stream of a client that listens to today, whose handler has half a minute. `written` is what the stream holds. */
async function openStreamOf({ mock }: TestContext, written = '') {
  mock.timers.enable({ apis: ['setTimeout'] });
  const subscriptions = new Subscriptions({ clock: new FakeClock(), logger: createLogger('silent') });
  const state = { isCut: false, isEnded: false };
  const cut = () => {
    state.isCut = true;
  };
  const headers: Record<string, string> = {};
  const caller = { kind: 'session', userId: 'ada' };
  const server = { observeAnswer: () => undefined, findCaller: async () => caller };
  const reply = {
    raw: { destroyed: false, headersSent: true, once: () => undefined, destroy: cut },
    handlerTimer: setTimeout(cut, 30_000),
    request: { caller, server, headers: { authorization: 'Bearer x' } },
    server,
    code: () => reply,
    header: (name: string, value: string) => {
      headers[name] = value;
      return reply;
    },
  };
  const { agent } = fakeAgent(({ path }) => ({
    data: path === '/v1/sync' ? { tasks: [], removed: [], server_time: 'x', reset: false } : [],
  }));
  const end = () => {
    state.isEnded = true;
  };
  const open = async (_asked: unknown, subscribe: (notify: () => void) => void) => {
    subscribe(() => undefined);
    return { response: new Response(written), end };
  };
  const message = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [TODAY_URI] } } };
  const call = { message, loadAgent: async () => agent };
  await openStream(reply as never, call as never, subscriptions, open as never);
  const turns = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  await turns();
  return { state, headers, subscriptions, turns, pass: (ms: number) => mock.timers.tick(ms) };
}

test('a stream is not cut when the time of a handler is over, and no cache keeps it', async (t) => {
  const { state, headers, subscriptions, pass } = await openStreamOf(t);
  pass(LONGEST_MS);
  assert.equal(state.isCut, false);
  assert.equal(headers['cache-control'], 'no-store');
  pass(2 * LONGEST_MS);
  assert.equal(state.isCut, true, 'one that nobody ends is cut all the same');
  await subscriptions.stop();
});

test('a client that does not read is ended by the next change, and one that reads listens on', async (t) => {
  const { state, subscriptions, turns } = await openStreamOf(t, 'x'.repeat(65_535));
  subscriptions.tell(['ada']);
  await turns();
  assert.equal(state.isEnded, false);
  await subscriptions.stop();
  t.mock.timers.reset();
  const full = await openStreamOf(t, 'x'.repeat(65_536));
  full.subscriptions.tell(['ada']);
  await full.turns();
  assert.equal(full.state.isEnded, true);
  await full.subscriptions.stop();
});
