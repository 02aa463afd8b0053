import assert from 'node:assert/strict';
import { database, settleAll } from '../../../test/support/fake-browser.ts';
import { page, tellPage, testInPage } from '../../../test/support/fake-page.ts';

const KEPT = 'crescendo-signed-in';
const ADA = { session_token: 'token', user_id: 'ada', created: false } as never;
const created = { session_token: 'token', user_id: 'ada', created: true } as never;

/** Signed in as nobody, in a browser that was registered as a device of whoever was. */
async function openSession() {
  const session = await import('./session.ts');
  const firstRun = await import('./first-run-step.ts');
  session.isSignedIn.set(false);
  firstRun.endFirstRun();
  session.lastSignOut.byChoice = false;
  return { ...session, firstRun };
}

const cached = () => [...database.rows('cache').keys()];

testInPage(
  'who signs in is known to the page, to other tabs and to the worker, which knows nobody meanwhile',
  async (browser) => {
    const { beginSession, isSignedIn, firstRun } = await openSession();
    database.rows('cache').set('user', 'bob');
    let known: unknown;
    browser.respond = ({ path }) => {
      if (path === '/app/session') known = database.rows('cache').get('user');
      return { data: { can_claim: true } };
    };
    await beginSession(ADA);
    assert.equal(known, undefined);
    assert.equal(database.rows('cache').get('user'), 'ada');
    assert.deepEqual([isSignedIn.value, page.localStorage.getItem(KEPT)], [true, '1']);
    assert.deepEqual(browser.asked, ['POST /app/session'], 'an account that was there keeps its zone');
    assert.equal(firstRun.firstRunStep.value, undefined);
  },
);

testInPage(
  'a new account takes over the zone of the browser and begins with the first step that is left to do',
  async (browser) => {
    const { beginSession, firstRun, isSignedIn } = await openSession();
    for (const [can_claim, step] of [
      [true, 'claim'],
      [false, 'reach'],
    ] as const) {
      browser.requests.length = 0;
      browser.respond = ({ path }) => (path === '/v1/me' ? { status: 503 } : { data: { can_claim } });
      isSignedIn.set(false);
      await beginSession(created);
      assert.deepEqual(browser.asked, ['POST /app/session', 'PATCH /v1/me']);
      assert.match(JSON.stringify(browser.requests[1]?.body), /^{"timezone":".+"}$/);
      assert.equal(firstRun.firstRunStep.value, step);
      assert.equal(isSignedIn.value, true, 'though the zone was not stored');
    }
  },
);

testInPage('who signs in over another session ends it, and finds nothing of it', async (browser) => {
  const { beginSession, isSignedIn, lastSignOut } = await openSession();
  isSignedIn.set(true);
  page.localStorage.setItem('crescendo-draft bob add', '{}');
  database.rows('cache').set('queries', 'of bob');
  browser.respond = () => ({ data: { can_claim: false } });
  await beginSession(ADA);
  assert.deepEqual(browser.asked, ['DELETE /v1/auth/session', 'DELETE /app/session', 'POST /app/session']);
  assert.deepEqual(Object.keys(page.localStorage), [KEPT]);
  assert.deepEqual(cached(), ['user']);
  assert.equal(lastSignOut.byChoice, false, 'a later end of the session is not by choice');
});

testInPage(
  'signing out leaves nothing of the account in the browser, also without a network, except what is not sent yet',
  async (browser) => {
    const { signOut, isSignedIn, lastSignOut, firstRun } = await openSession();
    isSignedIn.set(true);
    firstRun.beginFirstRun(false);
    page.localStorage.setItem(KEPT, '1');
    page.localStorage.setItem('crescendo-draft ada add', '{}');
    page.localStorage.setItem('crescendo-theme', 'dark');
    for (const key of ['user', 'queries', 'own-device']) database.rows('cache').set(key, { id: 'browser' });
    database.rows('deeds').set('key', { key: 'key', at: 1 });
    browser.respond = () => 'offline';
    await signOut();
    assert.deepEqual(Object.keys(page.localStorage), ['crescendo-theme']);
    assert.deepEqual(cached(), []);
    assert.deepEqual([...database.rows('deeds').keys()], ['key']);
    assert.deepEqual([isSignedIn.value, lastSignOut.byChoice, firstRun.firstRunStep.value], [false, true, undefined]);
  },
);

testInPage(
  'signing out takes the device away while there is a session, ends the session, and goes on to the provider',
  async (browser) => {
    const { signOut, isSignedIn } = await openSession();
    const left: string[] = [];
    Object.assign(location, { assign: (url: string) => left.push(url) });
    isSignedIn.set(true);
    database.rows('cache').set('own-device', 'stored by an older release');
    browser.respond = ({ path }) => ({ data: path.includes('provider') ? { url: 'https://idp.test/out' } : null });
    await signOut();
    assert.deepEqual(browser.asked.toSorted().slice(0, 1), ['DELETE /app/session']);
    assert.deepEqual(browser.asked.slice(-2), ['DELETE /v1/auth/session', 'DELETE /app/session']);
    assert.ok(browser.asked.slice(0, 2).includes('DELETE /v1/devices/stored by an older release'));
    assert.deepEqual(left, ['https://idp.test/out']);
  },
);

testInPage('a session that several requests find ended is cleared once, and the next one again', async (browser) => {
  const { beginSession, clearSession, isSignedIn } = await openSession();
  const { promise, resolve } = Promise.withResolvers<{ data: object }>();
  browser.respond = ({ method }) => (method === 'DELETE' ? promise : { data: { can_claim: false } });
  const clearing = [clearSession(), clearSession()];
  // A sign-in waits for it: otherwise it would clear the new session too.
  const begun = beginSession(ADA);
  await settleAll();
  assert.deepEqual(browser.asked, ['DELETE /app/session']);
  resolve({ data: {} });
  await Promise.all([...clearing, begun]);
  assert.deepEqual([isSignedIn.value, cached()], [true, ['user']]);
  browser.respond = () => ({ data: {} });
  await clearSession();
  assert.deepEqual([isSignedIn.value, cached()], [false, []]);
});

testInPage('nothing is saved again after what was kept has been cleared: the page is signed out before', async () => {
  const { clearSession, isSignedIn } = await openSession();
  isSignedIn.set(true);
  const wasSignedIn: boolean[] = [];
  database.before = (store, verb) => {
    if (`${verb} ${store}` === 'remove cache') wasSignedIn.push(isSignedIn.value);
    return undefined;
  };
  await clearSession();
  assert.deepEqual(wasSignedIn, [false]);
});

testInPage('a sign-out in one tab ends the session of the others, and a sign-in in one ends none', async () => {
  const { isSignedIn } = await openSession();
  isSignedIn.set(true);
  tellPage('storage', { key: 'crescendo-theme', newValue: null });
  tellPage('storage', { key: KEPT, newValue: '1' });
  assert.equal(isSignedIn.value, true);
  tellPage('storage', { key: KEPT, newValue: null });
  assert.equal(isSignedIn.value, false);
});

testInPage(
  'a step of the first run that is over in another tab does not come back, and the last one ends it',
  async () => {
    const { firstRun } = await openSession();
    firstRun.beginFirstRun(false);
    for (const step of ['reach', 'quiet', 'reach'] as const) firstRun.finishStep(step);
    assert.equal(firstRun.firstRunStep.value, 'task');
    assert.equal(page.localStorage.getItem('crescendo-first-run'), 'task');
    for (const step of ['task', 'ladder'] as const) firstRun.finishStep(step);
    assert.deepEqual(
      [firstRun.firstRunStep.value, page.localStorage.getItem('crescendo-first-run')],
      [undefined, null],
    );
  },
);
