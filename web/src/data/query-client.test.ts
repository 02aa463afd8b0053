import assert from 'node:assert/strict';
import { database, settleAll } from '../../../test/support/fake-browser.ts';
import { tellPage, testInPage } from '../../../test/support/fake-page.ts';
import { Problem } from '../api/problem.ts';

/** An open page of Ada, with a sync that was read before. */
async function openPage() {
  const client = await import('./query-client.ts');
  const { isSignedIn } = await import('./session.ts');
  client.queryClient.clear();
  isSignedIn.set(true);
  client.queryClient.setQueryData(['sync'], { settings: { id: 'ada' } });
  return { ...client, isSignedIn };
}

const expired = () => new Problem('unauthenticated', 'Sign in.', 401);
const refusal = { status: 401, error: 'unauthenticated: Sign in.' };

testInPage('a request that found the session ended asks again before it signs the person out', async (browser) => {
  const { clearSessionIfExpired, isSignedIn, queryClient } = await openPage();
  await clearSessionIfExpired(new Problem('not_found', 'It is gone.', 404));
  assert.deepEqual(browser.asked, []);
  // The session was proven again meanwhile, and has another token.
  await clearSessionIfExpired(expired());
  assert.deepEqual([browser.asked, isSignedIn.value], [['GET /app/session'], true]);
  assert.equal(queryClient.getQueryState(['sync'])?.isInvalidated, true, 'what was refused is read again');
  browser.respond = () => 'offline';
  await clearSessionIfExpired(expired());
  assert.equal(isSignedIn.value, true, 'without an answer the session goes on');
  browser.respond = () => refusal;
  await Promise.all([clearSessionIfExpired(expired()), clearSessionIfExpired(expired())]);
  assert.deepEqual(browser.asked.slice(2), ['GET /app/session', 'DELETE /app/session']);
  assert.equal(isSignedIn.value, false);
  await clearSessionIfExpired(expired());
  assert.equal(browser.asked.length, 4, 'who is signed out is not asked about');
});

testInPage(
  'a query that fails says that the service is out of reach, and the next answer that it is back',
  async () => {
    const { isServiceReachable, queryClient } = await openPage();
    const read = (queryFn: () => Promise<string>) =>
      queryClient.fetchQuery({ queryKey: ['one'], queryFn, retry: false, staleTime: 0 }).catch(() => undefined);
    await read(async () => 'read');
    assert.equal(isServiceReachable.value, true);
    await read(() => Promise.reject(new Problem('not_found', 'It is gone.', 404)));
    assert.equal(isServiceReachable.value, true);
    await read(() => Promise.reject(new Problem('offline', 'Offline.')));
    assert.equal(isServiceReachable.value, false);
    await read(async () => 'read');
    assert.equal(isServiceReachable.value, true);
  },
);

testInPage(
  'a busy service is asked again, twice; one that cannot be reached and one that refuses are not',
  async () => {
    const { queryClient } = await openPage();
    const retry = queryClient.getDefaultOptions().queries?.retry as (count: number, error: unknown) => boolean;
    const busy = new Problem('unavailable', 'Busy.', 503);
    assert.deepEqual([retry(0, busy), retry(1, busy), retry(2, busy)], [true, true, false]);
    assert.equal(retry(0, new Problem('too_many_requests', 'Wait.', 429)), true);
    assert.equal(retry(0, new Problem('offline', 'Offline.')), false);
    assert.equal(retry(0, new Problem('not_found', 'It is gone.', 404)), false);
    assert.equal(retry(0, new TypeError('A fault.')), false);
  },
);

testInPage(
  'what was read is there offline, and none of it counts as new; secrets and what is old are not stored',
  async (browser) => {
    const { queryClient, restoreQueries, saveQueriesOnChange, isSignedIn } = await openPage();
    saveQueriesOnChange();
    const day = 86_400_000;
    queryClient.setQueryData(['old'], 'old', { updatedAt: Date.now() - 15 * day });
    await queryClient.prefetchQuery({ queryKey: ['people'], queryFn: async () => 'others', meta: { secret: true } });
    await browser.pass(200);
    queryClient.setQueryData(['spaces'], ['home']);
    await browser.pass(200);
    assert.equal(database.rows('cache').get('user'), 'ada', 'the worker acts for who is signed in');
    queryClient.clear();
    await restoreQueries();
    assert.deepEqual(
      queryClient
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey),
      [['sync'], ['spaces']],
    );
    assert.equal(queryClient.getQueryState(['spaces'])?.isInvalidated, true);

    // Signing out: nothing is left in the page, and a page that is closing stores nothing again.
    queryClient.setQueryData(['sign-in-options'], 'of everybody');
    isSignedIn.set(false);
    assert.deepEqual(
      queryClient
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey),
      [['sign-in-options']],
    );
    database.rows('cache').clear();
    tellPage('pagehide');
    await settleAll();
    assert.deepEqual([...database.rows('cache').keys()], []);

    isSignedIn.set(true);
    queryClient.setQueryData(['sync'], { settings: { id: 'bob' } });
    tellPage('pagehide');
    await settleAll();
    assert.equal(database.rows('cache').get('user'), 'bob');
    isSignedIn.set(false);
  },
);

testInPage('a stored state of another shape is ignored', async () => {
  const { queryClient, restoreQueries } = await openPage();
  queryClient.clear();
  const state = { mutations: [], queries: [{ queryKey: ['sync'], queryHash: '["sync"]', state: { data: {} } }] };
  database.rows('cache').set('queries', { shape: 2, state });
  await restoreQueries();
  assert.deepEqual(queryClient.getQueryCache().getAll(), []);
});
