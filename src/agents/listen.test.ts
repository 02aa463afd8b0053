import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import { openStream } from './listen.ts';
import { TODAY_URI, taskUri } from './resources.ts';
import { Subscriptions } from './subscriptions.ts';
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
