import { taskPath } from './api.ts';
import { defineTool, READ_ONLY } from './define-tool.ts';
import { shortTime, type TimeContext, timeInWords } from './format-time.ts';
import { quoted, shown } from './shown-text.ts';
import { type ApiTask, MOST_IN_NOTES, present, summarizeTask, taskView, timeFields } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { taskId, tool } from './tool-schemas.ts';

interface ApiForecast {
  readonly at: string;
  readonly stage: number;
  readonly holds: readonly string[];
}

interface ApiEntry {
  readonly at: string;
  readonly kind: string;
  readonly by: string | null;
  readonly token: { readonly name: string | null; readonly prefix: string } | null;
  readonly stage: number | null;
  readonly until: string | null;
  readonly deliveries: readonly ApiDelivery[] | null;
}

interface ApiDelivery {
  readonly status: string;
  readonly reason: string | null;
  readonly acknowledged_at: string | null;
}

const MAX_FORECAST = 5;
const MAX_ENTRIES = 10;
const MAX_DELIVERIES = 5;

export const taskStatus = defineTool({
  name: 'task_status',
  title: 'Look at one task',
  description:
    'Tells everything about one task: notes, rule, the next reminders and what holds them back, whether the last ones ' +
    'reached a device and were seen, and what happened to it, newest first. Use it to answer why a reminder did or did ' +
    'not come. Needs tasks:read.',
  annotations: READ_ONLY,
  input: tool({ task_id: taskId }),
  async run(agent, { task_id }) {
    const [{ data: found }, { data: ahead }, { data: entries }] = await Promise.all([
      agent.api<ApiTask[]>({ url: `/v1/tasks/search?ids=${encodeURIComponent(task_id)}` }),
      agent.api<ApiForecast[]>({ url: taskPath(task_id, `/forecast?limit=${MAX_FORECAST}`) }),
      agent.api<ApiEntry[]>({ url: taskPath(task_id, `/timeline?limit=${MAX_ENTRIES}`) }),
    ]);
    const [task] = found;
    if (!task) throw new ToolFailure('not_found', 'There is no such task.');
    const forecast = ahead.map((nudge) => toForecast(nudge, agent));
    const deliveries = entries.flatMap((entry) => toDeliveries(entry, agent)).slice(0, MAX_DELIVERIES);
    const history = entries.map((entry) => toHistory(entry, agent));
    const notes = task.notes === null ? undefined : shown(task.notes, MOST_IN_NOTES);
    return {
      text: [
        summarizeTask(task, agent),
        ...(notes === undefined ? [] : [`Notes: ${quoted(notes)}`]),
        forecast.length === 0 ? 'No nudges ahead.' : `Ahead: ${inWords(forecast)}.`,
        deliveries.length === 0 ? 'Nothing was sent to a device yet.' : `Last deliveries: ${inWords(deliveries)}.`,
        `History: ${inWords(history)}. Times are in ${agent.zone}.`,
      ].join('\n'),
      structured: {
        ...timeFields(agent),
        task: { ...taskView(task, agent), ...(notes !== undefined && { notes }) },
        forecast,
        last_deliveries: deliveries,
        history,
      },
    };
  },
});

const toForecast = ({ at, stage, holds }: ApiForecast, { zone }: TimeContext) =>
  present({ at: shortTime(new Date(at), zone), stage, held_by: holds.length === 0 ? null : holds.join(', ') });

function toDeliveries({ at, stage, deliveries }: ApiEntry, { zone }: TimeContext) {
  return (deliveries ?? []).map(({ status, reason, acknowledged_at }) =>
    present({
      at: shortTime(new Date(at), zone),
      stage,
      status,
      reason: reason === null ? null : shown(reason, MOST_IN_REASON),
      seen: acknowledged_at === null ? 'no' : shortTime(new Date(acknowledged_at), zone),
    }),
  );
}

const MOST_IN_REASON = 60;

function toHistory({ at, kind, by, token, stage, until }: ApiEntry, { zone }: TimeContext) {
  return present({
    at: shortTime(new Date(at), zone),
    kind,
    stage: kind === 'nudge' ? stage : null,
    by,
    through: token && shown(token.name ?? `${token.prefix}…`, MOST_IN_REASON),
    until: until === null ? null : timeInWords(new Date(until), zone),
  });
}

/** Names of tokens, and what providers answered. */
const FOREIGN: readonly string[] = ['through', 'reason'];

/** The same facts as in the structure. */
const inWords = (rows: readonly object[]): string =>
  rows
    .map((row) =>
      Object.entries(row)
        .map(([name, value]) => (name === 'at' ? value : `${name} ${FOREIGN.includes(name) ? quoted(value) : value}`))
        .join(', '),
    )
    .join('; ');
