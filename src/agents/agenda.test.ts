import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAgent, fakeTask, TASK_ID, taskIdEnding } from '../../test/support/fake-agent.ts';
import { type ApiEntry, agenda } from './agenda.ts';

const WALK = taskIdEnding('c3d4');
const OTHER_WALK = taskIdEnding('e5f6');

const entry = (at: string, fields: Partial<ApiEntry> = {}): ApiEntry => ({
  date: '2026-03-05',
  time: at.slice(11, 16),
  at,
  task_id: TASK_ID,
  title: 'Pills',
  kind: 'due',
  status: 'open',
  due_at: at,
  next_nudge_at: at,
  held_by: [],
  missed: null,
  missed_to: null,
  has_more: false,
  ...fields,
});

const itemsOf = ({ text }: { readonly text: string }): { title: string; id?: string }[] =>
  JSON.parse(text).days.flatMap(({ items }: { items: object[] }) => items);

test('a part of a day has what lies in it, what was missed until then, and what is of the whole day', async () => {
  const { agent } = fakeAgent(({ path }) =>
    path === '/v1/agenda'
      ? {
          data: [
            entry('2026-03-04T23:00:00.000Z', { title: 'all day', time: null }),
            entry('2026-03-05T07:00:00.000Z', { title: 'missed', missed: 3, missed_to: '2026-03-05T12:00:00.000Z' }),
            entry('2026-03-05T10:59:00.000Z', { title: 'before' }),
            entry('2026-03-05T11:00:00.000Z', { title: 'first' }),
            entry('2026-03-05T17:00:00.000Z', { title: 'last' }),
            entry('2026-03-05T17:01:00.000Z', { title: 'after' }),
          ],
        }
      : undefined,
  );
  const shown = itemsOf(await agenda.run(agent, { from: '2026-03-05T12:00', until: '2026-03-05T18:00' }));
  assert.deepEqual(
    shown.map(({ title }) => title),
    ['all day', 'missed', 'first', 'last'],
  );
});

test('the id of a task is at its first row, and at each row whose title another task has too', async () => {
  const walk = { task_id: WALK, title: 'Walk' };
  const { agent } = fakeAgent(({ path }) =>
    path === '/v1/agenda'
      ? {
          data: [
            entry('2026-03-05T10:00:00.000Z'),
            entry('2026-03-05T11:00:00.000Z', walk),
            entry('2026-03-05T12:00:00.000Z'),
            entry('2026-03-05T13:00:00.000Z', { task_id: OTHER_WALK, title: 'Walk' }),
            entry('2026-03-05T14:00:00.000Z', walk),
          ],
        }
      : { data: [fakeTask(), fakeTask({ id: WALK, title: 'Walk' })] },
  );
  const ids = itemsOf(await agenda.run(agent, {})).map(({ id }) => id);
  assert.deepEqual(ids, [TASK_ID, WALK, undefined, OTHER_WALK, WALK]);
});

test('the agenda of one task asks for that task alone, goes on at its cursor, and an empty page is not its end', async () => {
  const { agent, calls } = fakeAgent(() => ({ data: [], headers: { 'x-next-cursor': 'page 3' } }));
  const { text } = await agenda.run(agent, { task_id: TASK_ID, cursor: 'page 2' });
  assert.deepEqual(calls[0]?.query, { limit: '40', task_id: TASK_ID, cursor: 'page 2' });
  const { next_cursor, note } = JSON.parse(text);
  assert.deepEqual([next_cursor, note], ['page 3', undefined]);
});

test('the writer of a title is unknown once the task has another one', async () => {
  const { agent } = fakeAgent(({ path }) => ({
    data:
      path === '/v1/agenda'
        ? [entry('2026-03-05T11:00:00.000Z'), entry('2026-03-05T12:00:00.000Z', { title: 'Tablets' })]
        : [fakeTask({ title: 'Pills', written_by: { kind: 'person', name: 'Bob' } })],
  }));
  const writers = itemsOf(await agenda.run(agent, {})).map((item) => (item as { by?: string }).by);
  assert.deepEqual(writers, ['person "Bob"', 'unknown, renamed since']);
});
