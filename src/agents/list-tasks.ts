import type { Static } from 'typebox';
import { endOfId } from '../lib/ids.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { Type } from '../lib/schema.ts';
import type { ApiEntry } from './agenda.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, defineTool, listAnswer, READ_ONLY } from './define-tool.ts';
import { dateTimeText } from './due-input.ts';
import { zonedAt } from './format-time.ts';
import { readReachOfUser } from './reach-note.ts';
import { sizeOf } from './shown-text.ts';
import { listedTask, present, timeFields } from './task-view.ts';
import { dateTime, text, tool, words } from './tool-schemas.ts';

const STATUSES = ['open', 'overdue', 'snoozed', 'pending', 'done', 'skipped', 'dropped', 'declined', 'all'] as const;

/** About 9,000 tokens. A list that would be longer is cut, and goes on at next_cursor. */
const MOST_BYTES = 18_000;

const input = tool({
  status: Type.Optional(words(STATUSES, 'open if left out. pending: requests to accept.')),
  text: Type.Optional(text(200, 'Words of the title, notes or kind; best matches first.')),
  kind: Type.Optional(text(100, 'Its kind.')),
  space: Type.Optional(text(200, 'The name of a space.')),
  due_from: Type.Optional(dateTime('Due then or later.')),
  due_until: Type.Optional(dateTime('Due then or earlier.')),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many; 20 if left out.' })),
  cursor: Type.Optional(text(200, 'next_cursor of the answer before.')),
});

type Asked = Static<typeof input>;

export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    "Finds the user's own tasks, the next to come up first. Returns JSON, in local time. A " +
    'repeating task is listed once, at its present occurrence. Left out: status of open tasks, next (the next nudge) at ' +
    'its usual time. by: who else wrote the text. Needs tasks:read.',
  annotations: READ_ONLY,
  input,
  async run(agent, asked) {
    const { limit = 20, cursor } = asked;
    const query = queryOf(asked, 'due');
    query.set('limit', String(limit));
    if (cursor !== undefined) query.set('cursor', cursor);
    const found = await search(agent, query);
    const page = fits(found.rows) ? found : await search(agent, limited(query, found.rows));
    const isEnd = page.next === undefined;
    const notes = [
      page.rows.length === 0 && isEnd ? whyNone(asked) : partialNote(page.rows.length, page.complete),
      isEnd ? await leftOut(agent, asked, page.ids) : null,
    ];
    const fields = present({
      ...timeFields(agent),
      ...(page.rows.length > 0 && (await readReachOfUser(agent))),
      next_cursor: page.next,
      note: notes.filter((note) => note !== null).join(' ') || null,
    });
    return { text: listAnswer(fields, 'tasks', page.rows) };
  },
});

function queryOf(asked: Asked, span: 'due' | 'any time'): URLSearchParams {
  const { status = 'open', text, kind, space, due_from, due_until } = asked;
  const fields = {
    status: status === 'all' ? undefined : status,
    kind,
    space,
    q: text,
    match: text === undefined ? undefined : 'some',
    ...(span === 'due' && {
      due_from: due_from === undefined ? undefined : dateTimeText(due_from),
      due_until: due_until === undefined ? undefined : dateTimeText(due_until),
    }),
  };
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(given);
}

function partialNote(count: number, complete: number): string | null {
  if (complete >= count) return null;
  if (complete === 0) return 'No task has all of these words: these have some of them.';
  return `The last ${count - complete} ${count - complete === 1 ? 'has' : 'have'} only some of the words.`;
}

/** What was searched: otherwise an assistant would say that there is no such task anywhere. */
function whyNone(asked: Asked): string {
  const { status = 'open', text, kind, space, due_from, due_until, cursor } = asked;
  if (cursor !== undefined) return 'There are no more.';
  if (due_from !== undefined && due_until !== undefined && dayOf(due_from) > dayOf(due_until)) {
    return 'due_from is after due_until.';
  }
  if (space !== undefined) return 'The user has no such task in a space of this name, or no such space.';
  const searched = [
    status === 'all' ? 'all tasks' : `tasks with status ${status}`,
    ...(text === undefined ? [] : ['their titles, notes and kinds']),
    ...(kind === undefined ? [] : ['of exactly this kind']),
    ...(due_from === undefined && due_until === undefined
      ? []
      : [
          `due ${[due_from && `from ${dayOf(due_from)}`, due_until && `until ${dayOf(due_until)}`].filter(Boolean).join(' ')}`,
        ]),
  ];
  const wider = status === 'all' ? '' : '; status "all" searches closed ones too';
  return `Nothing found. Searched: ${searched.join(', ')}${wider}.`;
}

const dayOf = (text: string): string => dateTimeText(text).slice(0, 10);

const MOST_DAYS = 400;
const MOST_ENTRIES = 200;
const MOST_TASKS = 100;

/** A list has each task once. What else of it falls into the span is not in the list, and is told. */
async function leftOut(agent: Agent, asked: Asked, listed: readonly string[]): Promise<string | null> {
  const { status = 'open', due_from, due_until } = asked;
  if ((due_from === undefined && due_until === undefined) || (status !== 'open' && status !== 'all')) return null;
  const span = spanOf(due_from, due_until, agent);
  if (!span) return null;
  const query = new URLSearchParams({ ...span, limit: String(MOST_ENTRIES) });
  const { data, headers } = await agent.api<ApiEntry[]>({ url: `/v1/agenda?${query}` });
  const isMore = headers['x-next-cursor'] !== undefined;
  const idsOf = (kind: string) =>
    new Set(data.filter((one) => one.kind === kind && one.status !== 'missed').map((one) => one.task_id));
  const [repeating, snoozed] = [idsOf('occurrence'), idsOf('snoozed').difference(new Set(listed))];
  const meant = await idsMeant(agent, asked, repeating.size + snoozed.size);
  const count = (ids: ReadonlySet<string>) => (meant ? ids.intersection(meant) : ids).size;
  const told = [
    countInWords(
      count(repeating),
      isMore,
      'repeating task has',
      'repeating tasks have',
      'further occurrences in this span',
    ),
    countInWords(count(snoozed), isMore, 'task is', 'tasks are', 'snoozed into it'),
  ].filter((words) => words !== null);
  return told.length === 0 ? null : `Not listed: ${told.join(', ')}; the tool agenda (at /mcp/all) lists all of it.`;
}

function countInWords(count: number, isMore: boolean, one: string, several: string, what: string): string | null {
  if (count === 0) return null;
  return `${isMore ? 'at least ' : ''}${count} ${count === 1 ? one : several} ${what}`;
}

/** From today on, if the list has no beginning, and for as long as an agenda can be, if it has no end. */
function spanOf(due_from: string | undefined, due_until: string | undefined, { zone, now }: Agent) {
  try {
    const today = zonedAt(now, zone).toPlainDate();
    const from = due_from === undefined ? today : Temporal.PlainDate.from(dayOf(due_from));
    const longest = from.add({ days: MOST_DAYS - 1 });
    const until = due_until === undefined ? longest : Temporal.PlainDate.from(dayOf(due_until));
    if (Temporal.PlainDate.compare(from, until) > 0) return undefined;
    const end = Temporal.PlainDate.compare(until, longest) > 0 ? longest : until;
    return { from: from.toString(), until: end.toString() };
  } catch {
    return undefined;
  }
}

/** The tasks of any time that the other arguments find; undefined if there are none of these. */
async function idsMeant(agent: Agent, asked: Asked, count: number): Promise<ReadonlySet<string> | undefined> {
  const isNarrow = [asked.text, asked.kind, asked.space].some((value) => value !== undefined);
  if (!isNarrow || count === 0) return undefined;
  const query = queryOf(asked, 'any time');
  query.set('limit', String(MOST_TASKS));
  query.delete('match');
  return new Set((await agent.api<ApiTask[]>({ url: `/v1/tasks/search?${query}` })).data.map(({ id }) => id));
}

async function search(agent: Agent, query: URLSearchParams) {
  const { data, headers } = await agent.api<ApiTask[]>({ url: `/v1/tasks/search?${query}` });
  // The API has just read and serialised as many tasks as this shows.
  await nextTurn();
  const next = headers['x-next-cursor'];
  return {
    rows: data.map((task) => ({ ...listedTask(task, agent), id: endOfId(task.id) })),
    ids: data.map(({ id }) => id),
    complete: query.has('match') ? Number(headers['x-found-all']) : data.length,
    next: typeof next === 'string' ? next : undefined,
  };
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
