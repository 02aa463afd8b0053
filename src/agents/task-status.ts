import { taskPath } from './api.ts';
import type { ApiTask } from './api-task.ts';
import { defineTool, READ_ONLY } from './define-tool.ts';
import { shortMinute as minuteOf, type TimeContext, timeInWords } from './format-time.ts';
import { type ApiForecast, noteOn, unreachedInWords } from './reach-note.ts';
import { readHeadsUps } from './set-heads-ups.ts';
import type { ApiLadder } from './shown-ladder.ts';
import { shownRecurrence } from './shown-rule.ts';
import { quoted, shown } from './shown-text.ts';
import { type ApiStandIn, standInsInWords } from './stand-ins.ts';
import { MOST_IN_NOTES, present, shownDue, summarizeTask } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { taskId, tool } from './tool-schemas.ts';

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
  readonly unreached: string | null;
  readonly deliveries: readonly ApiDelivery[] | null;
}

interface ApiDelivery {
  readonly via: string;
  readonly name: string | null;
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
    'not answered, which were sent and seen, whether any reaches the user, and what happened. Use it to answer why a ' +
    'reminder did or did not come. Needs tasks:read.',
  annotations: READ_ONLY,
  input: tool({ task_id: taskId }),
  async run(agent, { task_id }) {
    const [
      { data: found },
      { data: ahead },
      { data: entries },
      { data: reach },
      { data: ladder },
      { data: standIns },
      heads_ups,
    ] = await Promise.all([
      agent.api<ApiTask[]>({ url: `/v1/tasks/search?ids=${encodeURIComponent(task_id)}` }),
      agent.api<ApiForecast[]>({ url: taskPath(task_id, `/forecast?limit=${MAX_FORECAST}`) }),
      agent.api<ApiEntry[]>({ url: taskPath(task_id, `/timeline?limit=${MAX_ENTRIES}`) }),
      agent.api<{ readonly reason: string | null }>({ url: '/v1/channels' }),
      agent.api<ApiLadder>({ url: taskPath(task_id, '/ladder') }),
      agent.api<ApiStandIn[]>({ url: taskPath(task_id, '/stand-ins') }),
      readHeadsUps(agent, task_id),
    ]);
    const [first] = ahead;
    if (!found[0]) throw new ToolFailure('not_found', 'There is no such task.');
    const task: ApiTask = { ...found[0], ladder, heads_ups, ...(first && first.holds.length > 0 && { held: first }) };
    const isUnreached = reach.reason !== null;
    const note = noteOn(ahead, agent);
    const forecast = ahead.map((nudge) => toForecast(nudge, isUnreached, agent));
    const deliveries = entries.flatMap((entry) => toDeliveries(entry, agent)).slice(0, MAX_DELIVERIES);
    const history = entries.map((entry) => toHistory(entry, agent));
    const notes = task.notes === null ? undefined : shown(task.notes, MOST_IN_NOTES);
    return {
      text: [
        summarizeTask(task, agent),
        ...(notes === undefined ? [] : [`Notes: ${quoted(notes)}`]),
        ...(task.recurrence ? [`As arguments: due_at ${shownDue(task, agent)}, recurrence ${ruleOf(task)}`] : []),
        ...(reach.reason !== null ? [unreachedInWords(reach.reason)] : note ? [note.text] : []),
        forecast.length === 0 ? 'No nudges ahead.' : `Ahead: ${inWords(forecast)}.`,
        ...(standIns.length === 0 ? [] : [standInsInWords(standIns, agent)]),
        deliveries.length === 0 ? 'Nothing was sent yet.' : `Last deliveries: ${inWords(deliveries)}.`,
        `History: ${inWords(history)}.`,
      ].join('\n'),
    };
  },
});

const ruleOf = ({ recurrence }: ApiTask): string => JSON.stringify(recurrence ? shownRecurrence(recurrence) : null);

const targetsOf = ({ via, unreached }: ApiForecast, isUnreached: boolean) =>
  isUnreached ? {} : { to: via.length === 0 ? null : shown(via.join(', '), MOST_IN_REASON), unreached };

function toForecast(nudge: ApiForecast, isUnreached: boolean, { zone }: TimeContext) {
  const { at, stage, holds, falls } = nudge;
  return present({
    at: minuteOf(at, zone),
    stage,
    ...targetsOf(nudge, isUnreached),
    held_by: holds.length === 0 ? null : holds.join(', '),
    unanswered:
      falls.length === 0
        ? null
        : falls.map((fall) => `${fall.via.join(' and ')} ${minuteOf(fall.at, zone)}`).join(', '),
  });
}

function toDeliveries({ at, stage, deliveries }: ApiEntry, { zone }: TimeContext) {
  return (deliveries ?? []).map(({ via, name, status, reason, acknowledged_at }) =>
    present({
      at: minuteOf(at, zone),
      stage,
      to: shown(name ?? via, MOST_IN_REASON),
      status,
      reason: reason === null ? null : shown(reason, MOST_IN_REASON),
      seen: acknowledged_at === null ? 'no' : minuteOf(acknowledged_at, zone),
    }),
  );
}

const MOST_IN_REASON = 60;

function toHistory(entry: ApiEntry, { zone }: TimeContext) {
  const { at, kind, by, token, stage, until, via, fields, missed, unreached } = entry;
  return present({
    at: minuteOf(at, zone),
    kind,
    changed: fields.length === 0 ? null : fields.join(' and '),
    count: missed,
    stage: kind === 'nudge' ? stage : null,
    unreached,
    by,
    via,
    through: token && shown(token.name ?? `${token.prefix}…`, MOST_IN_REASON),
    until: until === null ? null : timeInWords(new Date(until), zone),
  });
}

/** Names of tokens, devices and channels, and what providers answered. */
const FOREIGN: readonly string[] = ['through', 'reason', 'to'];

type Row = Readonly<Record<string, unknown>> & { readonly at?: string };

/** A day is named once, before its first time, and facts once after the times at which they were the same. */
function inWords(rows: readonly Row[]): string {
  const dayOf = (row: Row | undefined) => row?.at?.slice(0, 'YYYY-MM-DDT'.length);
  const groups: { facts: string; times: (string | undefined)[] }[] = [];
  for (const [index, row] of rows.entries()) {
    const time = dayOf(row) === dayOf(rows[index - 1]) ? row.at?.slice('YYYY-MM-DDT'.length) : row.at;
    const facts = factsOf(row);
    const last = groups.at(-1);
    if (last?.facts === facts) last.times.push(time);
    else groups.push({ facts, times: [time] });
  }
  return groups.map(({ facts, times }) => `${times.join(', ')}: ${facts}`).join('; ');
}

const factsOf = ({ at: _, kind, ...facts }: Row): string =>
  [
    ...(kind === undefined ? [] : [String(kind)]),
    ...Object.entries(facts).map(
      ([name, value]) => `${name} ${FOREIGN.includes(name) ? quoted(String(value)) : value}`,
    ),
  ].join(', ');
