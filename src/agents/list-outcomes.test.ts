import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import { listOutcomes } from './list-outcomes.ts';

const OTHER = taskIdEnding('c3d4');

const outcome = (day: string, fields: object = {}) => ({
  task_id: TASK_ID,
  title: 'Morning run',
  outcome: 'done',
  occurrence_due_at: `${day}T08:00:00.000Z`,
  recorded_at: `${day}T09:00:00.000Z`,
  ...fields,
});

const passed = (from: string, to: string, fields: object = {}) => ({
  ...outcome(from),
  missed: 2,
  missed_from: `${from}T08:00:00.000Z`,
  missed_to: `${to}T08:00:00.000Z`,
  ...fields,
});

/** The answer about these outcomes, newest first, on Thursday, 5 March 2026, and what the API was asked. */
async function ask(input: object, outcomes: object[], missed: object[] = [], open: object[] = []) {
  const { agent, calls } = fakeAgent(({ path, query }) => {
    if (path === '/v1/outcomes') return { data: outcomes };
    if (path === '/v1/outcomes/missed') return { data: missed };
    return { data: query.status === 'open' ? open : [fakeTask({ title: 'Morning run' })] };
  });
  return { answer: JSON.parse((await listOutcomes.run(agent, input)).text), calls };
}

test('what was done is counted by the day it was due, up to and with the last day, and what was closed then is apart', async () => {
  const { answer, calls } = await ask({ from: '2026-03-02', until: '2026-03-04' }, [
    outcome('2026-03-05'),
    outcome('2026-03-04'),
    outcome('2026-03-03', { occurrence_due_at: '2026-02-27T08:00:00.000Z', outcome: 'skipped' }),
    outcome('2026-03-02', { outcome: 'skipped' }),
    outcome('2026-03-01'),
    outcome('2026-03-04', { occurrence_due_at: null }),
  ]);
  assert.deepEqual([answer.done, answer.skipped, answer.of_other_days.length], [2, 1, 1]);
  assert.deepEqual(
    answer.days.map(({ day }: { day: string }) => day),
    ['Mon 2026-03-02', 'Wed 2026-03-04'],
  );
  const { answer: later } = await ask({}, [outcome('2026-03-05'), outcome('2026-03-04')]);
  assert.deepEqual([later.days[0].day, later.days[1].day], ['Wed 2026-03-04', 'Thu 2026-03-05']);
  // An occurrence may have been closed long before its day.
  assert.equal(calls[0]?.query.since, '2026-01-30T00:00');
});

test('a day is that of the user: what was due or closed after their midnight belongs to the next one', async () => {
  const midnight = '2026-03-04T23:00:00.000Z';
  const { answer } = await ask({ from: '2026-03-05', until: '2026-03-05' }, [
    outcome('2026-03-05', { occurrence_due_at: midnight }),
    outcome('2026-03-05', { occurrence_due_at: null, recorded_at: midnight }),
    outcome('2026-03-05', { occurrence_due_at: '2026-03-05T23:00:00.000Z' }),
  ]);
  assert.deepEqual([answer.done, answer.days[0].day, answer.of_other_days.length], [2, 'Thu 2026-03-05', 1]);
});

test('without days the answer is about the seven that end today', async () => {
  const { answer } = await ask({}, []);
  assert.deepEqual([answer.from, answer.until], ['2026-02-27', '2026-03-05']);
});

test('only tasks with all of the words and of the given id are meant, also among what was missed and is still open', async () => {
  const other = { task_id: OTHER };
  const walk = { title: 'Morning walk' };
  const day = '2026-03-04';
  const open = [fakeTask(), fakeTask({ id: OTHER })];
  const byWords = await ask(
    { text: 'morning run' },
    [outcome(day), outcome(day, walk)],
    [passed(day, day, walk)],
    open,
  );
  assert.deepEqual([byWords.answer.done, byWords.answer.missed], [1, undefined]);
  assert.equal(byWords.calls.find(({ query }) => query.status === 'open')?.query.q, 'morning run');
  const missed = [passed(day, day), passed(day, day, other)];
  const { answer } = await ask({ task_id: OTHER }, [outcome(day), outcome(day, other)], missed, open);
  assert.deepEqual(
    [answer.done, answer.missed.length, answer.missed[0].id, answer.still_open.length, answer.still_open[0].id],
    [1, 1, OTHER, 1, OTHER],
  );
});

test('what was missed before the first day or after the last one is left out', async () => {
  const ranges = [
    passed('2026-03-05', '2026-03-05'),
    passed('2026-03-04', '2026-03-06'),
    passed('2026-03-01', '2026-03-02'),
    passed('2026-02-27', '2026-03-01'),
  ];
  const { answer } = await ask({ from: '2026-03-02', until: '2026-03-04' }, [], ranges);
  const many = Array.from({ length: 60 }, () => passed('2026-03-03', '2026-03-03'));
  assert.equal((await ask({}, [], many)).answer.missed.length, 50);
  assert.deepEqual(answer.missed, [
    { title: 'Morning run', id: TASK_ID, count: 2, from: '2026-03-04T09:00', to: '2026-03-06T09:00' },
    { title: 'Morning run', id: TASK_ID, count: 2, from: '2026-03-01T09:00', to: '2026-03-02T09:00' },
  ]);
});

test('who asks for what was done alone is told neither what is open nor what was missed', async () => {
  const { answer } = await ask({ outcome: 'done' }, [], [passed('2026-03-04', '2026-03-04')], [fakeTask()]);
  assert.deepEqual([answer.missed, answer.still_open], [undefined, undefined]);
});

test('an answer says that there is more than was read, if that lies in its days, and that not all is listed', async () => {
  const many = (count: number, day: string) => Array.from({ length: count }, () => outcome(day));
  assert.match((await ask({}, many(500, '2026-03-04'))).answer.incomplete, /more than can be read/);
  assert.equal((await ask({}, many(499, '2026-03-04'))).answer.incomplete, undefined);
  const older = [...many(499, '2026-03-04'), outcome('2026-02-20')];
  assert.equal((await ask({}, older)).answer.incomplete, undefined);
  const { answer } = await ask(
    {},
    many(120, '2026-03-04'),
    [],
    Array.from({ length: 20 }, () => fakeTask()),
  );
  assert.equal(answer.done, 120);
  assert.match(answer.note, /^Only the last \d+ are listed/);
  assert.ok(JSON.stringify(answer).length <= 16_000);
});

test('the writer of a title is unknown once the task has another one', async () => {
  const renamed = outcome('2026-03-04', { title: 'Evening run' });
  const { answer } = await ask({}, [renamed, outcome('2026-03-04')]);
  assert.deepEqual(
    answer.days[0].done.map(({ title, by }: { title: string; by?: string }) => [title, by]),
    [
      ['Evening run', 'unknown, renamed since'],
      ['Morning run', undefined],
    ],
  );
});
