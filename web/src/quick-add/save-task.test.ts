import assert from 'node:assert/strict';
import { type ParseOptions, parseTask } from '../../../src/words/parse-task.ts';
import { testInPage } from '../../../test/support/fake-page.ts';
import { listActions } from '../data/stored-actions.ts';
import { strings } from '../strings.ts';

const ZONE = 'Europe/Amsterdam';
/** Monday, 2 March 2026, 10:00 in Amsterdam. */
const OPTIONS = { now: Date.parse('2026-03-02T09:00:00Z'), zone: ZONE, dayFirst: true };
const parse = (text: string, more: Partial<ParseOptions> = {}) => parseTask(text, { ...OPTIONS, ...more });

/** Ada, whose account nothing reaches at these stages. */
async function signedIn(unreached_stages: readonly number[] = []) {
  const { queryClient } = await import('../data/query-client.ts');
  queryClient.setQueryData(['sync'], { tasks: {}, settings: { id: 'ada' }, since: '' });
  queryClient.setQueryData(['channels'], { unreached_stages });
  const { toasts } = await import('../data/toast.ts');
  toasts.set([]);
  return { ...(await import('./save-task.ts')), said: () => toasts.value.map(({ text }) => text) };
}

const stored = async () => (await listActions()).map(({ kind, title, body }) => [kind, title, body]);

testInPage('a task is added once, and said to be, though what says when it rings could not be loaded', async () => {
  const { saveTask, said } = await signedIn();
  const failures = [
    () => Promise.reject(new TypeError('Failed to fetch')),
    async () => ({ confirmAdded: () => Promise.reject(new Error('no holds')) }) as never,
  ];
  for (const fail of failures) await saveTask(parse('bins tomorrow 8pm'), ZONE, {}, undefined, fail);
  assert.deepEqual(
    (await stored()).map(([kind, title]) => [kind, title]),
    [
      ['create', 'bins'],
      ['create', 'bins'],
    ],
  );
  const [created = '', ...others] = said();
  assert.deepEqual([created, others], [strings.task.confirmation.create('bins'), []]);
});

testInPage('whether quiet hours hold it is said of an own task with a time that was not let through', async () => {
  const { saveTask } = await signedIn([0]);
  const asked: unknown[][] = [];
  const holds = async () => ({ confirmAdded: async (...all: unknown[]) => void asked.push(all.slice(1)) }) as never;
  const at = Date.parse('2026-03-03T19:00:00Z');
  await saveTask(parse('bins tomorrow 8pm !!'), ZONE, {}, undefined, holds);
  assert.deepEqual(asked, [[at, true, true]]);
  await saveTask(parse('bins tomorrow 8pm'), ZONE, {}, at, holds);
  await saveTask(parse('bins tomorrow'), ZONE, {}, undefined, holds);
  await saveTask(parse('bins tomorrow 8pm'), ZONE, { space_id: 'flat', owner_id: 'bob' }, undefined, holds);
  assert.equal(asked.length, 1);
  const rings = (await stored()).filter(([kind]) => kind === 'ring-anyway').map(([, , body]) => body);
  assert.deepEqual(rings, [{ at: '2026-03-03T19:00:00.000Z' }]);
});

testInPage('what was understood is what the service is sent, and nothing else', async () => {
  const { enqueueTask } = await signedIn();
  const spaces = [{ id: 'flat', name: 'Flat' }];
  const tasks = [
    'bins',
    'bins tomorrow',
    'rent every 1st 9am 2 days before !! #home @flat // by card',
    'call Bo 5pm just once',
    'bins 8pm nag every 10 minutes',
  ];
  for (const text of tasks) await enqueueTask(parse(text, { spaces }), ZONE, {});
  await enqueueTask(parse('bins'), ZONE, { space_id: 'house', owner_id: 'bob' });
  const { choice } = parse('bins 8pm nag every 10 minutes').ladder ?? assert.fail();
  assert.deepEqual(await stored(), [
    ['create', 'bins', { title: 'bins' }],
    ['create', 'bins', { title: 'bins', due_at: '2026-03-03T12:00:00+01:00', has_time: false }],
    [
      'create',
      'rent',
      {
        title: 'rent',
        space_id: 'flat',
        kind: 'home',
        notes: 'by card',
        due_at: '2026-04-01T09:00:00+02:00',
        has_time: true,
        recurrence: { freq: 'monthly', by_month_day: [1] },
        lead_time_days: 2,
        break_quiet_hours: true,
      },
    ],
    [
      'create',
      'call Bo',
      { title: 'call Bo', due_at: '2026-03-02T17:00:00+01:00', has_time: true, mode: 'notify_once' },
    ],
    ['create', 'bins', { title: 'bins', due_at: '2026-03-02T20:00:00+01:00', has_time: true }],
    ['ladder', 'bins', choice],
    ['create', 'bins', { title: 'bins', space_id: 'house', owner_id: 'bob' }],
  ]);
});

testInPage(
  'a new task is silent if nothing reaches its owner at its first stage, which a heads-up comes before',
  async () => {
    const { isSilent, withoutLadder } = await signedIn([0]);
    const headsUp = parse('rent friday 9am 2 days before');
    const plain = parse('rent friday 9am');
    assert.deepEqual([isSilent(plain, {}), isSilent(headsUp, {}), isSilent(parse('rent'), {})], [true, false, false]);
    assert.deepEqual([isSilent(plain, { owner_id: 'ada' }), isSilent(plain, { owner_id: 'bob' })], [true, false]);
    const later = await signedIn([-1]);
    assert.deepEqual([later.isSilent(plain, {}), later.isSilent(headsUp, {})], [false, true]);
    assert.deepEqual([...withoutLadder(new Set(['due']), {})], ['due']);
    assert.deepEqual([...withoutLadder(new Set(['due']), { owner_id: 'bob' })], ['due', 'ladder']);
  },
);
