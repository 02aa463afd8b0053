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
  readonly falls: readonly { readonly at: string; readonly via: readonly string[] }[];
}

interface ApiEntry {
  readonly at: string;
  readonly kind: string;
  readonly by: string | null;
  readonly token: { readonly name: string | null; readonly prefix: string } | null;
  readonly stage: number | null;
  readonly until: string | null;
  readonly via: string | null;
  readonly fields: readonly string[];
  readonly missed: number | null;
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
    'Tells everything about one task: notes, rule, the next reminders, what holds them back and where they go on to if ' +
    'not answered, whether the last ones were sent and seen, whether anything reaches the user, and what happened, ' +
    'newest first. Use it to answer why a reminder did or did not come. Needs tasks:read.',
  annotations: READ_ONLY,
  input: tool({ task_id: taskId }),
  async run(agent, { task_id }) {
    const [{ data: found }, { data: ahead }, { data: entries }, { data: reach }] = await Promise.all([
      agent.api<ApiTask[]>({ url: `/v1/tasks/search?ids=${encodeURIComponent(task_id)}` }),
      agent.api<ApiForecast[]>({ url: taskPath(task_id, `/forecast?limit=${MAX_FORECAST}`) }),
      agent.api<ApiEntry[]>({ url: taskPath(task_id, `/timeline?limit=${MAX_ENTRIES}`) }),
      agent.api<{ readonly reason: string | null }>({ url: '/v1/channels' }),
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
        ...(reach.reason === null ? [] : [unreachedInWords(reach.reason)]),
        forecast.length === 0 ? 'No nudges ahead.' : `Ahead: ${inWords(forecast)}.`,
        deliveries.length === 0 ? 'Nothing was sent yet.' : `Last deliveries: ${inWords(deliveries)}.`,
        `History: ${inWords(history)}. Times are in ${agent.zone}.`,
      ].join('\n'),
      structured: {
        ...timeFields(agent),
        ...(reach.reason !== null && { unreachable: reach.reason }),
        task: { ...taskView(task, agent), ...(notes !== undefined && { notes }) },
        forecast,
        last_deliveries: deliveries,
        history,
      },
    };
  },
});

const unreachedInWords = (reason: string): string =>
  `No reminder reaches the user at present: ${UNREACHED[reason] ?? reason}. The user changes that in the app, under ` +
  '"What reaches you".';

const UNREACHED: Readonly<Record<string, string>> = {
  nothing_set_up: 'no device or channel is set up',
  not_confirmed: 'no channel is confirmed yet',
  switched_off: 'everything is switched off',
  mail_paused: 'mail, the only channel, waits until the user opens the app',
  not_working: 'what is set up does not work any more',
  not_configured: 'this service does not offer what is set up',
};

const MINUTE_MS = 60_000;

/** To the minute: what happened is not sent back. */
const minuteOf = (at: string, zone: string): string =>
  shortTime(new Date(Math.floor(Date.parse(at) / MINUTE_MS) * MINUTE_MS), zone);

const toForecast = ({ at, stage, holds, falls }: ApiForecast, { zone }: TimeContext) =>
  present({
    at: minuteOf(at, zone),
    stage,
    held_by: holds.length === 0 ? null : holds.join(', '),
    unanswered:
      falls.length === 0
        ? null
        : falls.map((fall) => `${fall.via.join(' and ')} ${minuteOf(fall.at, zone)}`).join(', '),
  });

function toDeliveries({ at, stage, deliveries }: ApiEntry, { zone }: TimeContext) {
  return (deliveries ?? []).map(({ status, reason, acknowledged_at }) =>
    present({
      at: minuteOf(at, zone),
      stage,
      status,
      reason: reason === null ? null : shown(reason, MOST_IN_REASON),
      seen: acknowledged_at === null ? 'no' : minuteOf(acknowledged_at, zone),
    }),
  );
}

const MOST_IN_REASON = 60;

function toHistory({ at, kind, by, token, stage, until, via, fields, missed }: ApiEntry, { zone }: TimeContext) {
  return present({
    at: minuteOf(at, zone),
    kind,
    changed: fields.length === 0 ? null : fields.join(' and '),
    count: missed,
    stage: kind === 'nudge' ? stage : null,
    by,
    via,
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
