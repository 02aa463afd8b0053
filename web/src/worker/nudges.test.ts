/** What the service worker shows, and what a press on it does. */
import assert from 'node:assert/strict';
import { database, testInBrowser } from '../../../test/support/fake-browser.ts';
import { listActions, listRefusals } from '../data/stored-actions.ts';
import { strings } from '../strings.ts';

const DUE = '2026-03-02T08:00:00.000Z';
const ICON = '/app/icon-192.png';

const shown: object[] = [];
const opened: string[] = [];
let pages: object[] = [];
const page = (answers: boolean) => ({
  navigate: async (url: string) => {
    opened.push(`page ${url}`);
    return answers ? { focus: async () => opened.push('focus') } : null;
  },
});
const WORKER = {
  self: {
    registration: {
      showNotification: async (title: string, options: NotificationOptions) => void shown.push({ title, ...options }),
    },
    clients: {
      matchAll: async () => pages,
      openWindow: async (url: string) => void opened.push(`window ${url}`),
    },
  },
};

function testWorker(name: string, run: Parameters<typeof testInBrowser>[1]): void {
  const runAlone: typeof run = (browser) => {
    shown.length = 0;
    opened.length = 0;
    pages = [];
    database.rows('cache').set('user', 'ada');
    return run(browser);
  };
  testInBrowser(name, runAlone, WORKER);
}

const notification = (data: object = {}) =>
  ({
    title: 'bins',
    tag: 'tag',
    data: { task_id: 'bins', occurrence_due_at: DUE, ...data },
  }) as unknown as Notification;

testWorker('a push is shown as the service worded it, and as something whatever it holds', async () => {
  const { showNudge } = await import('./nudges.ts');
  await showNudge(
    JSON.stringify({
      notification: { title: 'bins', body: 'Due now', navigate: '/app/tasks/bins', data: { stage: 1 } },
    }),
  );
  for (const text of [undefined, '', '{ not json', '{}']) await showNudge(text);
  const nothing = { title: 'Crescendo', icon: ICON, badge: ICON, data: { navigate: '/app' } };
  assert.deepEqual(shown, [
    { title: 'bins', body: 'Due now', icon: ICON, badge: ICON, data: { stage: 1, navigate: '/app/tasks/bins' } },
    ...[nothing, nothing, nothing, nothing],
  ]);
});

testWorker('Snooze is an hour of this occurrence; an answer to a request names none', async (browser) => {
  const { handleClick } = await import('./nudges.ts');
  for (const action of ['snooze', 'accept', 'decline']) await handleClick(notification(), action);
  assert.deepEqual(
    browser.requests.map(({ path, body }) => [path.split('/').at(-1), body]),
    [
      ['snooze', { occurrence_due_at: DUE, until: '2026-03-02T10:00:00.000Z' }],
      ['accept', {}],
      ['decline', {}],
    ],
  );
  assert.deepEqual([shown, opened], [[], []]);
});

testWorker(
  'what the service refuses is said in the place of the nudge, and stays to be told in the app',
  async (browser) => {
    const { handleClick } = await import('./nudges.ts');
    browser.respond = () => ({ status: 409, error: 'task_closed: It is closed.' });
    await handleClick(notification(), 'done');
    assert.deepEqual(shown, [
      { title: 'Not marked as done', body: 'bins: The task was already closed.', tag: 'bins', icon: ICON },
    ]);
    assert.equal((await listRefusals()).length, 1);
  },
);

testWorker('a refusal of something else is not said of this nudge', async (browser) => {
  const { handleClick } = await import('./nudges.ts');
  const other = { key: 'other', userId: 'ada', kind: 'complete', taskId: 'cat', title: 'cat', at: 1, notBefore: 0 };
  database.rows('deeds').set('other', other);
  browser.respond = ({ path }) =>
    path.includes('cat') ? { status: 409, error: 'task_closed: It is closed.' } : { data: { id: 'bins' } };
  await handleClick(notification(), 'done');
  assert.deepEqual(shown, []);
  assert.equal((await listRefusals())[0]?.action.taskId, 'cat');
});

testWorker('who is not signed in is led to the app, and nothing is stored', async (browser) => {
  const { handleClick } = await import('./nudges.ts');
  database.rows('cache').delete('user');
  await handleClick(notification(), 'done');
  assert.deepEqual([opened, await listActions(), browser.asked], [['window https://crescendo.test/app'], [], []]);
});

testWorker(
  'a press on a nudge opens its page where the app is open, and counts as seen, also when that fails',
  async (browser) => {
    const { handleClick } = await import('./nudges.ts');
    const nudge = notification({ stage: 2, navigate: '/app/tasks/bins' });
    pages = [page(true), page(true)];
    browser.respond = () => 'offline';
    await handleClick(nudge, '');
    assert.deepEqual(opened, ['page https://crescendo.test/app/tasks/bins', 'focus']);
    assert.deepEqual(
      browser.requests.map(({ path, body }) => [path, body]),
      [['/v1/deliveries/ack', { task_id: 'bins', stage: 2 }]],
    );
    // A page that another worker controls cannot be led anywhere.
    pages = [page(false)];
    await handleClick(nudge, '');
    assert.equal(opened.at(-1), 'window https://crescendo.test/app/tasks/bins');
    pages = [page(true)];
    await handleClick(nudge, '');
    assert.deepEqual(opened.slice(-2), ['page https://crescendo.test/app/tasks/bins', 'focus'], 'the only page too');
    assert.deepEqual(await listActions(), []);
  },
);

testWorker('a push opens nothing but pages of the app', async () => {
  const { handleClick } = await import('./nudges.ts');
  const foreign = ['https://evil.test/app', '/v1/me', '//evil.test/app', 'javascript:alert(1)'];
  for (const navigate of foreign) await handleClick(notification({ navigate }), '');
  assert.deepEqual(
    opened,
    foreign.map(() => 'window /app'),
  );
});

const standIn = (data: object) => notification({ stand_in: true, navigate: '/app/stand-ins', ...data });

testWorker('the buttons of a stand-in act on the task of the owner and on no task of their own', async (browser) => {
  const { handleClick } = await import('./nudges.ts');
  await handleClick(standIn({}), 'done');
  await handleClick(standIn({}), 'snooze');
  await handleClick(notification({ stand_in_id: 'asked' }), 'accept');
  await handleClick(notification({ stand_in_id: 'asked' }), 'decline');
  assert.deepEqual(
    browser.requests.map(({ method, path, body }) => [method, path, body]),
    [
      ['POST', '/v1/stand-in/tasks/bins/complete', { occurrence_due_at: DUE }],
      ['POST', '/v1/stand-in/tasks/bins/snooze', { until: '2026-03-02T10:00:00.000Z', occurrence_due_at: DUE }],
      ['POST', '/v1/stand-ins/asked/agree', {}],
      ['DELETE', '/v1/stand-ins/asked', undefined],
    ],
  );
  assert.deepEqual([opened, shown, await listActions()], [[], [], []]);
  await handleClick(standIn({}), '');
  await handleClick(notification({ stand_in_id: 'asked' }), '');
  assert.deepEqual(browser.asked.slice(4), ['POST /v1/stand-in/tasks/bins/seen'], 'a question has no nudge to see');
  assert.deepEqual(opened, ['window https://crescendo.test/app/stand-ins', 'window https://crescendo.test/app']);
});

testWorker(
  'what a stand-in pressed and did not reach is said, once, and what belongs to the message stays',
  async (browser) => {
    const { handleClick } = await import('./nudges.ts');
    browser.respond = () => ({ status: 409, error: 'occurrence_passed: It has moved on.' });
    const actions = [{ action: 'done', title: 'Done' }];
    const message = Object.assign(standIn({}), { actions });
    await handleClick(message, 'snooze');
    await handleClick(message, 'done');
    assert.equal(browser.requests.length, 2);
    const others = { title: 'bins', tag: 'tag', icon: undefined, data: message.data, actions };
    const reason = 'The task had already moved on to its next occurrence.';
    assert.deepEqual(shown, [
      { ...others, body: `Not snoozed: ${reason}` },
      { ...others, body: `Not marked as done: ${reason}` },
    ]);
  },
);

testWorker('a snooze whose end is over by the clock that the answer tells is asked for again', async (browser) => {
  const { handleClick } = await import('./nudges.ts');
  browser.respond = async () => {
    if (browser.requests.length > 1) return { data: { id: 'bins' } };
    await browser.pass(7_200_000);
    return { status: 422, error: 'invalid_input: It is in the past.' };
  };
  await handleClick(notification(), 'snooze');
  assert.deepEqual(
    browser.requests.map(({ body }) => (body as { until: string }).until),
    ['2026-03-02T10:00:00.000Z', '2026-03-02T12:00:00.000Z'],
  );
  assert.deepEqual([shown, await listRefusals()], [[], []]);
});

testWorker(
  'what is kept for the network is said in the place of the nudge, also where the browser does not wake the worker',
  async (browser) => {
    const { handleClick } = await import('./nudges.ts');
    browser.respond = () => 'offline';
    await handleClick(notification(), 'done');
    const sync = { register: () => Promise.reject(new DOMException('Not allowed', 'NotAllowedError')) };
    Object.assign(WORKER.self.registration, { sync });
    await handleClick(notification(), 'done');
    Object.assign(WORKER.self.registration, { sync: undefined });
    const said = { title: 'bins', body: strings.worker.savedOffline, tag: 'bins', icon: ICON };
    assert.deepEqual(shown, [said, said]);
  },
);
