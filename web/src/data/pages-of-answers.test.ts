/** Reads that take several pages, and what several answers say together. */
import assert from 'node:assert/strict';
import { testInPage } from '../../../test/support/fake-page.ts';
import { readHook } from './read-hook.ts';

async function openClient() {
  const { queryClient } = await import('./query-client.ts');
  queryClient.clear();
  return queryClient;
}

const next = (cursor: string) => ({ headers: { 'x-next-cursor': cursor } });
const addressed = (asked: readonly string[]) => asked.map((one) => decodeURIComponent(one.replace(/^GET \S+\?/, '')));

testInPage(
  'the later dates of series are read to the last page, in blocks of five weeks, without the tasks themselves',
  async (browser) => {
    const client = await openClient();
    const { useLaterDates } = await import('./agenda.ts');
    const entry = (at: string, kind = 'occurrence', status = 'open') => ({ at, kind, status });
    browser.respond = ({ path }) => {
      if (path.includes('cursor=more')) return { data: [entry('3'), entry('done', 'occurrence', 'done')] };
      return path.includes('from=2026-03-02')
        ? { data: [entry('1'), entry('2', 'task')], ...next('more') }
        : { data: [entry('4')] };
    };
    const read = () => readHook(() => useLaterDates('2026-03-02', 2, ''), client);
    assert.equal(read().isLoading, true);
    await client.getQueryCache().getAll()[0]?.fetch();
    assert.equal(read().isLoading, true);
    browser.requests.length = 0;
    await Promise.all(
      client
        .getQueryCache()
        .getAll()
        .map((query) => query.fetch()),
    );
    assert.deepEqual(
      [read().entries.map(({ at }) => at), read().isCut, read().isLoading],
      [['1', '3', '4'], false, false],
    );
    assert.deepEqual(addressed(browser.asked).toSorted(), [
      'from=2026-03-02&until=2026-04-05&limit=200',
      'from=2026-03-02&until=2026-04-05&limit=200&cursor=more',
      'from=2026-04-06&until=2026-05-10&limit=200',
    ]);

    // So many that the app reads no further says so, and so does a block that cannot be read.
    browser.requests.length = 0;
    browser.respond = ({ path }) =>
      path.includes('from=2026-03-02') ? { data: [], ...next('more') } : { status: 404, error: 'not_found: No.' };
    await Promise.allSettled(
      client
        .getQueryCache()
        .getAll()
        .map((query) => query.fetch(undefined, { retry: false } as never)),
    );
    assert.deepEqual([read().isCut, read().isUnknown], [true, true]);
    assert.equal(browser.asked.filter((one) => one.includes('from=2026-03-02')).length, 5);
  },
);

testInPage('the timeline of a task, and the people of an installation, are read page by page', async (browser) => {
  const client = await openClient();
  const { timelineOptions } = await import('./task-queries.ts');
  const { peopleOptions } = await import('../admin/queries.ts');
  browser.respond = ({ path }) => (path.includes('cursor') ? { data: ['old'] } : { data: ['new'], ...next('more') });
  const timeline = await client.fetchInfiniteQuery({ ...timelineOptions('bins'), pages: 3 });
  assert.deepEqual(
    timeline.pages.map(({ entries }) => entries),
    [['new'], ['old']],
  );
  const people = await client.fetchInfiniteQuery({ ...peopleOptions('a&b'), pages: 3 });
  assert.deepEqual(
    people.pages.map((page) => page.people),
    [['new'], ['old']],
  );
  assert.deepEqual(addressed(browser.asked), [
    'limit=50',
    'limit=50&cursor=more',
    'search=a&b',
    'search=a&b&cursor=more',
  ]);
  assert.equal(client.getQueryCache().find({ queryKey: ['admin', 'people', 'list', 'a&b'] })?.meta?.secret, true);
});

testInPage('the holds of an account are known only together: half of them would give a wrong moment', async () => {
  const client = await openClient();
  const { useHolds } = await import('../holds/use-holds.ts');
  const settings = {
    timezone: 'Europe/Amsterdam',
    day_start: '07:30',
    quiet_hours_start: '22:00',
    quiet_hours_end: '07:00',
    paused_until: null as string | null,
    keep_must_not_miss: true,
  };
  const read = (changes: object = {}) => {
    client.setQueryData(['sync'], { tasks: {}, settings: { ...settings, ...changes }, since: '' });
    return readHook(useHolds, client);
  };
  assert.equal(read(), undefined);
  client.setQueryData(['planned-pause'], { planned_pause: null });
  const none = { zone: 'Europe/Amsterdam', dayStart: '07:30', quiet: ['22:00', '07:00'], running: null, planned: null };
  assert.deepEqual(read(), none);
  assert.deepEqual(read({ quiet_hours_end: null }), { ...none, quiet: null });
  assert.deepEqual(read({ quiet_hours_start: null }), { ...none, quiet: null });
  // As long as a day: the service takes it for none.
  assert.deepEqual(read({ quiet_hours_end: '22:00' }), { ...none, quiet: null });
  const [from, until] = ['2026-03-05T08:00:00.000Z', '2026-03-08T08:00:00.000Z'];
  client.setQueryData(['planned-pause'], { planned_pause: { from, until, keep_must_not_miss: false } });
  assert.deepEqual(read({ paused_until: from }), {
    ...none,
    running: { from: Number.NEGATIVE_INFINITY, until: Date.parse(from), keepsMustNotMiss: true },
    planned: { from: Date.parse(from), until: Date.parse(until), keepsMustNotMiss: false },
  });
});

testInPage('who stands in sees questions and tasks that are theirs, open apart from settled', async () => {
  const client = await openClient();
  const { useStandingIn } = await import('../stand-ins/stand-in-queries.ts');
  const read = () => readHook(useStandingIn, client);
  client.setQueryData(['stand-in-tasks'], []);
  assert.deepEqual([read().isLoaded, read().questions], [false, []]);
  client.clear();
  const standIn = (id: string, role: string, state: string) => ({ id, role, state });
  client.setQueryData(
    ['stand-ins'],
    [
      standIn('asked me', 'stand_in', 'asked'),
      standIn('agreed', 'stand_in', 'agreed'),
      standIn('over', 'stand_in', 'ended'),
      standIn('I asked', 'owner', 'asked'),
    ],
  );
  assert.equal(read().isLoaded, false);
  client.setQueryData(
    ['stand-in-tasks'],
    [
      { task_id: 'open', settled: null },
      { task_id: 'done', settled: { is_own: true } },
    ],
  );
  const { questions, agreements, open, settled, isLoaded } = read();
  assert.deepEqual(
    [questions, agreements].flat().map(({ id }) => id),
    ['asked me', 'agreed'],
  );
  assert.deepEqual(
    [open, settled].flat().map(({ task_id }) => task_id),
    ['open', 'done'],
  );
  assert.equal(isLoaded, true);
});

testInPage('a person has the name of any space that tells one, and somebody without a name has none', async () => {
  const client = await openClient();
  const { usePeople } = await import('./people.ts');
  client.setQueryData(
    ['spaces'],
    [
      { id: 'home', name: 'Home' },
      { id: 'club', name: 'Club' },
    ],
  );
  client.setQueryData(
    ['spaces', 'home', 'members'],
    [
      { user_id: 'ada', display_name: 'Ada' },
      { user_id: 'bob', display_name: null },
    ],
  );
  client.setQueryData(
    ['spaces', 'club', 'members'],
    [
      { user_id: 'bob', display_name: 'Bob' },
      { user_id: 'eve', display_name: null },
    ],
  );
  assert.deepEqual(
    [...readHook(usePeople, client)],
    [
      ['ada', 'Ada'],
      ['bob', 'Bob'],
    ],
  );
});
