/**
 * What a client can read without a tool call, and be told of when it changes: today, and a task. Everything is read by
 * the API calls of the tools, so scopes and visibility are theirs, and texts of others are marked as theirs.
 */
import { isUuid } from '../lib/ids.ts';
import type { ApiEntry } from './agenda.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, listAnswer, readTasks } from './define-tool.ts';
import { shortMinute, zonedAt } from './format-time.ts';
import { type ApiOutcome, writerOfTitle } from './list-outcomes.ts';
import { shown } from './shown-text.ts';
import { taskStatus } from './task-status.ts';
import { listedTask, present, timeFields } from './task-view.ts';

export const TODAY_URI = 'crescendo://today';
const TASK_URI = /^crescendo:\/\/tasks\/([0-9a-f-]{36})$/;

export const RESOURCES = [
  {
    uri: TODAY_URI,
    name: 'today',
    title: 'Today',
    description: 'What is overdue or due today, what others ask for, and what was done and missed today. JSON.',
    mimeType: 'application/json',
  },
] as const;

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'crescendo://tasks/{id}',
    name: 'task',
    title: 'A task',
    description: 'Everything about one task, as task_status tells it.',
    mimeType: 'text/plain',
  },
] as const;

export const taskUri = (id: string): string => `crescendo://tasks/${id}`;

export const isResource = (uri: string): boolean => uri === TODAY_URI || taskIdOf(uri) !== undefined;

function taskIdOf(uri: string): string | undefined {
  const id = TASK_URI.exec(uri)?.[1];
  return id !== undefined && isUuid(id) ? id : undefined;
}

/** Undefined if there is no such resource. Throws a `ToolFailure` if the API refuses to read it. */
export async function readResource(agent: Agent, uri: string) {
  if (uri === TODAY_URI) return { uri, mimeType: RESOURCES[0].mimeType, text: await readToday(agent) };
  const task_id = taskIdOf(uri);
  if (task_id === undefined) return undefined;
  const { text } = await taskStatus.run(agent, { task_id });
  return { uri, mimeType: RESOURCE_TEMPLATES[0].mimeType, text };
}

const MOST_DUE = 30;
const MOST_REQUESTS = 10;
const MOST_CLOSED = 20;
const MOST_ENTRIES = 60;
const MOST_IN_TITLE = 60;

/** `isTimed: false` leaves out the present moment, so that two texts differ only if something changed. */
export async function readToday(agent: Agent, { isTimed = true } = {}): Promise<string> {
  const date = zonedAt(agent.now, agent.zone).toPlainDate().toString();
  const since = `since=${date}T00:00&limit=${MOST_CLOSED}`;
  const [due, requests, outcomes, passed, entries] = await Promise.all([
    agent.api<ApiTask[]>({ url: `/v1/tasks/search?status=open&due_until=${date}&limit=${MOST_DUE}` }),
    agent.api<ApiTask[]>({ url: `/v1/tasks/search?status=pending&limit=${MOST_REQUESTS}` }),
    agent.api<ApiOutcome[]>({ url: `/v1/outcomes?${since}` }),
    agent.api<ApiOutcome[]>({ url: `/v1/outcomes/missed?${since}` }),
    agent.api<ApiEntry[]>({ url: `/v1/agenda?from=${date}&until=${date}&limit=${MOST_ENTRIES}` }),
  ]);
  const listed = new Set(due.data.map(({ id }) => id));
  const also = entries.data.filter(
    ({ kind, status, task_id }) =>
      status !== 'missed' && (kind === 'occurrence' || (kind === 'snoozed' && !listed.has(task_id))),
  );
  const named = [...outcomes.data, ...passed.data, ...also].map(({ task_id }) => task_id);
  const tasks = await readTasks(agent, [...new Set(named)]);
  const closed = (outcome: ApiOutcome) => ({
    id: outcome.task_id,
    title: shown(outcome.title, MOST_IN_TITLE),
    ...writerOfTitle(outcome, tasks.get(outcome.task_id)),
    at: shortMinute(outcome.recorded_at, agent.zone),
  });
  const closedAs = (kind: string) => outcomes.data.filter(({ outcome }) => outcome === kind).map(closed);
  const fields = {
    ...(isTimed ? timeFields(agent) : { timezone: agent.zone }),
    date,
    ...present({
      note: due.headers['x-next-cursor'] ? `Only the first ${MOST_DUE} due tasks are here; list_tasks has all.` : null,
    }),
    requests: requests.data.map((task) => listedTask(task, agent)),
    done: closedAs('done'),
    skipped: closedAs('skipped'),
    missed: passed.data.map(closed),
    // A list has each task once: further occurrences of today, and what is snoozed until later today.
    also: also.map(({ task_id, title, kind, at }) => ({
      id: task_id,
      title: shown(title, MOST_IN_TITLE),
      ...writerOfTitle({ title }, tasks.get(task_id)),
      kind,
      at: shortMinute(at, agent.zone),
    })),
  };
  return listAnswer(
    fields,
    'due',
    due.data.map((task) => listedTask(task, agent)),
  );
}
