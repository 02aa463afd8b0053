import assert from 'node:assert/strict';
import { database, settleAll } from '../../../test/support/fake-browser.ts';
import { page, testInPage } from '../../../test/support/fake-page.ts';
import type { LabelColour } from '../api/client.ts';

const WAITING = 'crescendo-colours-waiting';
const KEPT = 'crescendo-label-colours';
const colour = (label: string, name: LabelColour['colour']): LabelColour => ({ label, colour: name });

/** The page of Ada, who has a task with each of these labels. */
async function openPage(...labels: string[]) {
  const { queryClient, isServiceReachable } = await import('../data/query-client.ts');
  const { toasts } = await import('../data/toast.ts');
  queryClient.clear();
  toasts.set([]);
  const tasks = Object.fromEntries(labels.map((kind) => [kind, { id: kind, kind }]));
  queryClient.setQueryData(['sync'], { tasks, settings: { id: 'ada' }, since: '' });
  const shown = () => queryClient.getQueryData<LabelColour[]>(['labels']);
  const texts = () => toasts.value.map(({ text }) => text);
  return { ...(await import('./send-colours.ts')), ...(await import('./labels.ts')), isServiceReachable, shown, texts };
}

testInPage(
  'a colour is shown at once, and one that could not be sent is sent with later ones, each label once',
  async (browser) => {
    const { chooseColours, send, hasColoursToSend, isServiceReachable, shown, texts } = await openPage();
    browser.respond = () => 'offline';
    await chooseColours([colour('bill', 'red'), colour('home', 'blue')]);
    assert.deepEqual(shown(), [colour('bill', 'red'), colour('home', 'blue')]);
    assert.deepEqual([texts().length, hasColoursToSend()], [1, true]);
    const all = [colour('home', 'blue'), colour('bill', 'green')];
    await chooseColours([colour('bill', 'green')]);
    assert.deepEqual(shown(), all);
    // Another account in this browser does not send them.
    browser.respond = () => ({ data: [...all, colour('of another browser', 'teal')] });
    browser.requests.length = 0;
    isServiceReachable.set(false);
    await settleAll();
    assert.deepEqual(browser.asked, []);
    isServiceReachable.set(true);
    for (let turn = 0; turn < 3; turn += 1) await settleAll();
    assert.equal(hasColoursToSend(), false, 'they are sent once the service is back');
    await send();
    assert.deepEqual(browser.requests[0]?.body, { keep_existing: false, labels: all });
    assert.equal(browser.requests.length, 1, 'and not again');
    assert.equal(hasColoursToSend(), false);
    assert.equal(shown()?.length, 3, 'the account has the last word');
    assert.deepEqual([...database.rows('cache').keys()], []);
  },
);

testInPage(
  'colours that the service refuses are told and not sent again; without a session they wait',
  async (browser) => {
    const { chooseColours, hasColoursToSend, send, texts } = await openPage();
    browser.respond = () => ({ status: 401, error: 'unauthenticated: Sign in.' });
    await chooseColours([colour('bill', 'red')]);
    assert.equal(hasColoursToSend(), true);
    browser.respond = () => ({ status: 422, error: 'too_many_labels: You have enough.' });
    await send();
    assert.equal(hasColoursToSend(), false);
    assert.equal(texts().at(-1), 'You have enough.');
    await send();
    assert.equal(browser.requests.length, 2);
  },
);

testInPage(
  'colours of a browser that kept its own are taken over once, and never replace those of the account',
  async (browser) => {
    const { send, hasColoursToSend, hashOf, COLOURS } = await openPage('bill', 'home', 'todo', 'new');
    const kept = { [hashOf('bill')]: COLOURS.indexOf('purple'), [hashOf('home')]: COLOURS.indexOf('gold'), 7: 1 };
    page.localStorage.setItem(KEPT, JSON.stringify(kept));
    browser.respond = () => 'offline';
    await send();
    assert.equal(hasColoursToSend(), true);
    browser.respond = () => ({ data: [] });
    await send();
    await send();
    assert.deepEqual(
      browser.requests.map(({ body }) => body),
      Array.from({ length: 2 }, () => ({
        keep_existing: true,
        labels: [colour('bill', 'purple'), colour('home', 'gold')],
      })),
    );
    assert.equal(hasColoursToSend(), false);
    page.localStorage.setItem(KEPT, '{ not json');
    await send();
    assert.equal(page.localStorage.getItem(KEPT), null);
    assert.equal(browser.requests.length, 2);
  },
);

testInPage('what waits for another account is not sent before that one is known', async (browser) => {
  const { send } = await openPage();
  const { queryClient } = await import('../data/query-client.ts');
  database.rows('cache').set('label colours bob', [colour('bill', 'red')]);
  page.localStorage.setItem(WAITING, '1');
  await send();
  queryClient.clear();
  page.localStorage.setItem(KEPT, '{}');
  await send();
  assert.deepEqual(browser.asked, []);
  assert.equal(page.localStorage.getItem(KEPT), '{}', 'before the tasks are known, none of their labels is');
});

testInPage('a colour that the browser cannot keep is told, and later ones are sent', async (browser) => {
  const { chooseColours, texts } = await openPage();
  browser.respond = () => ({ data: [] });
  database.before = (store, verb) => (`${verb} ${store}` === 'put cache' ? Promise.reject() : undefined);
  await chooseColours([colour('bill', 'red')]);
  assert.deepEqual([texts().length, browser.asked], [1, []]);
  database.before = () => undefined;
  await chooseColours([colour('home', 'blue')]);
  assert.deepEqual(browser.asked, ['PUT /v1/labels']);
});

testInPage(
  'what was being read when a colour was chosen or stored does not replace it; after a refusal all are read again',
  async (browser) => {
    const { chooseColours, labelsOptions, send, shown } = await openPage();
    const { queryClient } = await import('../data/query-client.ts');
    queryClient.setQueryData(labelsOptions.queryKey, []);
    /** The page reads while this is done, and is answered as it was before. */
    const readDuring = async (put: object | 'offline', run: () => Promise<void>) => {
      const { promise, resolve } = Promise.withResolvers<object>();
      browser.respond = ({ method }) => (method === 'GET' ? promise : put) as never;
      queryClient.fetchQuery({ ...labelsOptions, staleTime: 0 }).catch(() => undefined);
      await settleAll();
      await run();
      resolve({ data: [colour('bill', 'blue')] });
      await settleAll();
    };
    await readDuring('offline', () => chooseColours([colour('bill', 'red')]));
    assert.deepEqual(shown(), [colour('bill', 'red')]);
    await readDuring({ data: [colour('bill', 'red')] }, send);
    assert.deepEqual(shown(), [colour('bill', 'red')]);
    assert.equal(queryClient.getQueryState(labelsOptions.queryKey)?.isInvalidated, false);
    browser.respond = () => ({ status: 422, error: 'too_many_labels: You have enough.' });
    await chooseColours([colour('bill', 'green')]);
    assert.equal(queryClient.getQueryState(labelsOptions.queryKey)?.isInvalidated, true);
  },
);

testInPage(
  'what is read after a colour was chosen waits until it is stored, and a later choice stays when an earlier one is stored',
  async (browser) => {
    const { chooseColours, labelsOptions, shown } = await openPage();
    const { queryClient } = await import('../data/query-client.ts');
    const stored: LabelColour[] = [];
    const answers: (() => void)[] = [];
    browser.respond = ({ method, body }) => {
      if (method === 'GET') return { data: [...stored] };
      const { promise, resolve } = Promise.withResolvers<object>();
      answers.push(() => {
        stored.push(...(body as { readonly labels: LabelColour[] }).labels);
        resolve({ data: [...stored] });
      });
      return promise as never;
    };
    const [red, blue] = [colour('bill', 'red'), colour('home', 'blue')];
    const chosen = [chooseColours([red]), chooseColours([blue])];
    queryClient.fetchQuery({ ...labelsOptions, staleTime: 0 }).catch(() => undefined);
    await settleAll();
    assert.deepEqual([browser.asked, shown()], [['PUT /v1/labels'], [red, blue]]);
    answers[0]?.();
    await chosen[0];
    assert.deepEqual(shown(), [red, blue]);
    await settleAll();
    queryClient.fetchQuery({ ...labelsOptions, staleTime: 0 }).catch(() => undefined);
    answers[1]?.();
    await Promise.all(chosen);
    await settleAll();
    assert.deepEqual(shown(), [red, blue]);
    // Nothing waits any more.
    stored.push(colour('new', 'teal'));
    await queryClient.fetchQuery({ ...labelsOptions, staleTime: 0 });
    assert.equal(shown()?.length, 3);
  },
);
