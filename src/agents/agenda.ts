import { Type } from '../lib/schema.ts';
import { shortName, WEEKDAY_NAMES } from '../words/names.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, defineTool, listAnswer, READ_ONLY, readTasks } from './define-tool.ts';
import { dateTimeText, instantText, isBareDate, localDay } from './due-input.ts';
import { shortMinute } from './format-time.ts';
import { shown } from './shown-text.ts';
import { present, timeFields, writtenBy } from './task-view.ts';
import { dateTime, taskId, text, tool } from './tool-schemas.ts';

export interface ApiEntry {
  readonly date: string;
  readonly time: string | null;
  readonly at: string;
  readonly task_id: string;
  readonly title: string;
  readonly kind: string;
  readonly status: string;
  readonly due_at: string | null;
  readonly next_nudge_at: string | null;
  readonly held_by: readonly string[];
  readonly missed: number | null;
  readonly missed_to: string | null;
  readonly has_more: boolean;
}

const MOST_IN_TITLE = 60;

export const agenda = defineTool({
  name: 'agenda',
  title: 'Agenda of some days',
  description:
    'Everything of some days in order of time: what is due, every occurrence of repeating tasks, what is snoozed into ' +
    'them, nudges to come, what was missed. Returns JSON by day. Left out: at of all-day tasks, status open, next (the ' +
    'next nudge) if it comes at that time, id after its first row. Needs tasks:read.',
  annotations: READ_ONLY,
  input: tool({
    from: Type.Optional(dateTime('First day, e.g. 2026-12-01; today if left out.')),
    until: Type.Optional(dateTime('Last day, at most 400 days in all; 6 days later if left out.')),
    task_id: Type.Optional(taskId),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many; 40 if left out.' })),
    cursor: Type.Optional(text(200, 'next_cursor of the answer before.')),
  }),
  async run(agent, { from, until, limit = 40, ...narrow }) {
    const query = new URLSearchParams({ limit: String(limit), ...narrow });
    if (from !== undefined) query.set('from', localDay('from', from, agent));
    if (until !== undefined) query.set('until', localDay('until', until, agent));
    const { data: entries, headers } = await agent.api<ApiEntry[]>({ url: `/v1/agenda?${query}` });
    const data = entries.filter(within(momentOf(from, agent), momentOf(until, agent)));
    const next = headers['x-next-cursor'];
    const tasks = await readTasks(agent, [...new Set(data.map(({ task_id }) => task_id))]);
    const fields = present({
      ...timeFields(agent),
      next_cursor: next,
      note: data.length === 0 && !next ? 'Nothing is due, repeats, nudges or was missed in this span.' : null,
    });
    return { text: listAnswer(fields, 'days', byDay(data, tasks, agent)) };
  },
});

/** The moment that the span begins or ends at; null if it is the whole day. */
const momentOf = (text: string | undefined, agent: Agent): string | null =>
  text === undefined || isBareDate(text) ? null : instantText(dateTimeText(text), agent);

/** The API knows whole days. Tasks of the whole day belong to every part of it. */
const within = (from: string | null, until: string | null) => (entry: ApiEntry) =>
  entry.time === null ||
  ((from === null || (entry.missed_to ?? entry.at) >= from) && (until === null || entry.at <= until));

function byDay(entries: readonly ApiEntry[], tasks: ReadonlyMap<string, ApiTask>, agent: Agent): object[] {
  const idsOfTitles = Map.groupBy(new Map(entries.map(({ task_id, title }) => [task_id, title])), ([, title]) =>
    shown(title, MOST_IN_TITLE),
  );
  const named = new Set<string>();
  const days = Map.groupBy(entries, ({ date }) => date);
  return [...days].map(([date, rows]) => ({
    day: `${shortName(WEEKDAY_NAMES[Temporal.PlainDate.from(date).dayOfWeek - 1])} ${date}`,
    items: rows.map((entry) => {
      const title = shown(entry.title, MOST_IN_TITLE);
      const isKnown = named.has(entry.task_id) && idsOfTitles.get(title)?.length === 1;
      named.add(entry.task_id);
      return { ...itemOf(entry, title, tasks.get(entry.task_id), agent), ...(!isKnown && { id: entry.task_id }) };
    }),
  }));
}

/** The due moment is told where the entry stands at another one. */
function itemOf(entry: ApiEntry, title: string, task: ApiTask | undefined, { zone }: Agent) {
  const { at, time, kind, status, due_at, next_nudge_at, held_by, missed, missed_to, has_more } = entry;
  const short = (instant: string | null) => (instant === null ? null : shortMinute(instant, zone));
  const isAtTime = time !== null && short(next_nudge_at) === short(at);
  return present({
    at: time,
    title,
    by: task?.title === entry.title ? writtenBy(task, 'title') : 'unknown, renamed since',
    kind: kind === 'snoozed' || kind === 'nudge' ? kind : null,
    status: status === 'open' || status === kind ? null : status,
    due_at: kind === 'snoozed' || kind === 'nudge' ? short(due_at) : null,
    missed: missed === 1 && missed_to === null ? null : missed,
    missed_to: missed === 1 ? null : short(missed_to),
    next: isAtTime ? null : short(next_nudge_at),
    held_by: held_by.length === 0 ? null : held_by.join(', '),
    more: has_more,
  });
}
