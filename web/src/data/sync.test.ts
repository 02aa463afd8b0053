import assert from 'node:assert/strict';
import { settle } from '../../../test/support/fake-browser.ts';
import { testInPage } from '../../../test/support/fake-page.ts';
import { readHook } from './read-hook.ts';

const task = (title: string, updated_at: string) => ({ id: 'bins', title, updated_at });

testInPage('an answer that comes again late does not replace what sync has brought meanwhile', async () => {
  const { currentTasks, mergeTask } = await import('./sync.ts');
  const { queryClient } = await import('./query-client.ts');
  const synced = { tasks: { bins: task('as it is', '2026-03-02T10:00:00Z') }, settings: {}, since: '' };
  queryClient.setQueryData(['sync'], synced);
  const titles = () => currentTasks().map(({ title }) => title);
  mergeTask(task('as it was', '2026-03-02T09:00:00Z'));
  assert.deepEqual(titles(), ['as it is']);
  mergeTask(task('as it is now', '2026-03-02T11:00:00Z'));
  assert.deepEqual(titles(), ['as it is now']);
  queryClient.clear();
});

interface State {
  readonly tasks: Readonly<Record<string, { readonly title: string }>>;
  readonly settings: object;
}

/** Asks the service as a page does that is open. */
async function openSync() {
  const { syncAgain, useSynced } = await import('./sync.ts');
  const { queryClient } = await import('./query-client.ts');
  queryClient.clear();
  readHook(useSynced, queryClient);
  const query = queryClient.getQueryCache().find<State>({ queryKey: ['sync'] }) ?? assert.fail();
  return { query, syncAgain, queryClient };
}

testInPage(
  'a sync asks for what is new since the last one, and keeps what did not change as it is',
  async (browser) => {
    const { query } = await openSync();
    const settings = { id: 'ada', timezone: 'UTC' };
    const answers = [
      { tasks: [task('bins', ''), { ...task('cat', ''), id: 'cat' }], removed: [], server_time: 't1' },
      { tasks: [], removed: [], server_time: 't2' },
      { tasks: [], removed: ['cat'], server_time: 't3' },
      { tasks: [{ ...task('bins, again', ''), id: 'bins' }], removed: [], server_time: 't4' },
      { tasks: [], removed: [], server_time: 't5', settings: { ...settings, timezone: 'Asia/Tokyo' } },
      { tasks: [{ ...task('dog', ''), id: 'dog' }], removed: [], reset: true, server_time: 't6' },
    ];
    const states: State[] = [];
    for (const answer of answers) {
      browser.respond = () => ({ data: { settings: { ...settings }, reset: false, ...answer } });
      states.push(await query.fetch());
    }
    assert.deepEqual(
      states.map(({ tasks }) => Object.values(tasks).map(({ title }) => title)),
      [['bins', 'cat'], ['bins', 'cat'], ['bins'], ['bins, again'], ['bins, again'], ['dog']],
    );
    assert.equal(states[1], states[0], 'nothing is drawn or saved again');
    assert.deepEqual(states[4]?.settings, { ...settings, timezone: 'Asia/Tokyo' });
    assert.deepEqual(
      browser.asked.map((asked) => asked.replace('GET /v1/sync', '')),
      ['', '?since=t1', '?since=t1', '?since=t3', '?since=t4', '?since=t5'],
    );
  },
);

testInPage('what was done while a sync was under way stays, and a first sync is repeated for it', async (browser) => {
  const { query, syncAgain, queryClient } = await openSync();
  const { promise, resolve } = Promise.withResolvers<{ data: object }>();
  browser.respond = () => promise;
  const fetched = query.fetch();
  let isAgain = false;
  const again = syncAgain().then(() => {
    isAgain = true;
  });
  await settle();
  assert.equal(isAgain, false);
  resolve({ data: { tasks: [task('bins', '1')], removed: [], reset: false, server_time: 't1', settings: {} } });
  await Promise.all([fetched, again]);
  assert.equal(query.state.isInvalidated, true);
  const { mergeTask, currentTasks } = await import('./sync.ts');
  const { promise: second, resolve: answer } = Promise.withResolvers<{ data: object }>();
  browser.respond = () => second;
  const repeated = query.fetch();
  await settle();
  mergeTask({ id: 'new', title: 'new', deferred_until: 'until' });
  mergeTask({ id: 'new', title: 'renamed' });
  answer({
    data: { tasks: [{ ...task('cat', ''), id: 'cat' }], removed: [], reset: false, server_time: 't2', settings: {} },
  });
  await repeated;
  assert.deepEqual(
    currentTasks().map(({ title, recurrence, deferred_until }) => [title, recurrence, deferred_until]),
    [
      ['bins', undefined, undefined],
      ['renamed', null, 'until'],
      ['cat', undefined, undefined],
    ],
  );
  queryClient.clear();
});

testInPage('a new setting replaces the old one, and an answer of the same moment the one before', async () => {
  const { currentSettings, currentTasks, mergeSettings, mergeTask } = await import('./sync.ts');
  const { queryClient } = await import('./query-client.ts');
  mergeSettings({ id: 'early' } as never);
  assert.equal(currentSettings(), undefined, 'before the first sync there is nothing to add to');
  queryClient.setQueryData(['sync'], {
    tasks: { bins: task('before', 't1') },
    settings: { id: 'ada', day_start: '09:00' },
    since: '',
  });
  mergeSettings({ id: 'ada', day_start: '07:30' } as never);
  assert.deepEqual(currentSettings(), { id: 'ada', day_start: '07:30' });
  mergeTask(task('after', 't1'));
  assert.equal(currentTasks()[0]?.title, 'after');
  queryClient.clear();
});

testInPage('a refresh reads everything again that is shown, sync once', async () => {
  const { refresh } = await import('./sync.ts');
  const { queryClient } = await import('./query-client.ts');
  queryClient.clear();
  for (const queryKey of [['sync'], ['spaces'], ['task', 'bins']]) queryClient.setQueryData(queryKey, {});
  await refresh();
  for (const query of queryClient.getQueryCache().getAll()) assert.equal(query.state.isInvalidated, true);
  queryClient.clear();
});

testInPage(
  'the lists show what their account did and the service has not yet, and nothing of another account',
  async () => {
    const { useTasks } = await import('./sync.ts');
    const { queryClient } = await import('./query-client.ts');
    const { enqueueActions } = await import('./action-queue.ts');
    queryClient.setQueryData(['sync'], { tasks: { bins: task('bins', '1') }, settings: { id: 'ada' }, since: '' });
    const add = (userId: string) => {
      const local = { id: `local-${userId}`, title: `of ${userId}` };
      return { kind: 'create', task: local, userId, body: { title: local.title } } as const;
    };
    const renamed = {
      kind: 'edit',
      task: { id: 'bins', title: 'bins' },
      userId: 'bob',
      body: { title: 'his' },
    } as const;
    await enqueueActions([add('ada'), add('bob'), renamed]);
    const titles = Object.values(readHook(useTasks, queryClient) ?? {}).map(({ title }) => title);
    assert.deepEqual(titles, ['bins', 'of ada']);
    queryClient.clear();
  },
);

for (const [place, navigator, polls] of [
  ['can hear of nudges by a stream does not', { onLine: true, locks: {} }, false],
  ['cannot do so goes on asking', { onLine: true }, true],
] as const)
  testInPage(
    `a hidden page that ${place}`,
    async () => {
      const own: string = `./sync.ts?${polls}`;
      const { useSynced }: typeof import('./sync.ts') = await import(own);
      const { queryClient } = await import('./query-client.ts');
      queryClient.clear();
      readHook(useSynced, queryClient);
      const options: object = queryClient.getQueryCache().find({ queryKey: ['sync'] })?.options ?? {};
      assert.equal('refetchIntervalInBackground' in options && options.refetchIntervalInBackground, polls);
      queryClient.clear();
    },
    { navigator },
  );
