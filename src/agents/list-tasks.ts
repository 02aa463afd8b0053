import { nextTurn } from '../lib/next-turn.ts';
import { Type } from '../lib/schema.ts';
import { type Agent, defineTool, listAnswer, READ_ONLY } from './define-tool.ts';
import { dateTimeText } from './due-input.ts';
import { sizeOf } from './shown-text.ts';
import { type ApiTask, listedTask, present, timeFields } from './task-view.ts';
import { dateTime, text, tool, words } from './tool-schemas.ts';

const STATUSES = ['open', 'overdue', 'snoozed', 'pending', 'done', 'skipped', 'dropped', 'declined', 'all'] as const;

/** About 9,000 tokens. A list that would be longer is cut, and goes on at next_cursor. */
const MOST_BYTES = 18_000;

export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    "Finds the user's own tasks, the next to come up first; all arguments narrow it. Returns JSON, in local time. " +
    'Left out: status of open tasks, next (the next nudge) if it comes at due_at or at the end of the snooze. by: who ' +
    'else wrote the text. Needs tasks:read.',
  annotations: READ_ONLY,
  input: tool({
    status: Type.Optional(
      words(STATUSES, 'open if left out. pending: requests to accept. skipped: not done. dropped: cancelled.'),
    ),
    text: Type.Optional(text(200, 'Words of the title or notes.')),
    kind: Type.Optional(text(100, 'Its kind.')),
    space: Type.Optional(text(200, 'The name of a space.')),
    due_from: Type.Optional(dateTime('Due on this date or later.')),
    due_until: Type.Optional(dateTime('Due on this date or earlier.')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many; 20 if left out.' })),
    cursor: Type.Optional(text(200, 'next_cursor of the answer before, for more.')),
  }),
  async run(agent, { status = 'open', text, limit = 20, due_from, due_until, ...narrow }) {
    const query = new URLSearchParams({ limit: String(limit), ...narrow });
    if (status !== 'all') query.set('status', status);
    if (text !== undefined) query.set('q', text);
    for (const [name, value] of Object.entries({ due_from, due_until })) {
      if (value !== undefined) query.set(name, dateTimeText(value));
    }
    const found = await search(agent, query);
    const page = fits(found.rows) ? found : await search(agent, limited(query, found.rows));
    const fields = present({
      ...timeFields(agent),
      next_cursor: page.next,
      note: page.rows.length === 0 && page.next === undefined ? whyNone(narrow.space, due_from, due_until) : null,
    });
    return { text: listAnswer(fields, 'tasks', page.rows) };
  },
});

/** Why a list is empty, if not because there is no such task. Otherwise an assistant would say that there is none. */
function whyNone(space: string | undefined, from: string | undefined, until: string | undefined): string | null {
  if (from !== undefined && until !== undefined && dateTimeText(from).slice(0, 10) > dateTimeText(until).slice(0, 10)) {
    return 'due_from is after due_until.';
  }
  return space === undefined ? null : 'The user has no such task in a space of this name, or no such space.';
}

async function search(agent: Agent, query: URLSearchParams) {
  const { data, headers } = await agent.api<ApiTask[]>({ url: `/v1/tasks/search?${query}` });
  // The API has just read and serialised as many tasks as this shows.
  await nextTurn();
  const next = headers['x-next-cursor'];
  return { rows: data.map((task) => listedTask(task, agent)), next: typeof next === 'string' ? next : undefined };
}

const bytesOf = (row: object): number => sizeOf(JSON.stringify(row)) + 2;

const fits = (rows: readonly object[]): boolean => rows.reduce((sum, row) => sum + bytesOf(row), 0) <= MOST_BYTES;

/** The same search for as many tasks as fit. */
function limited(query: URLSearchParams, rows: readonly object[]): URLSearchParams {
  let [count, bytes] = [0, 0];
  for (const row of rows) {
    bytes += bytesOf(row);
    if (bytes > MOST_BYTES) break;
    count += 1;
  }
  const fewer = new URLSearchParams(query);
  fewer.set('limit', String(Math.max(1, count)));
  return fewer;
}
