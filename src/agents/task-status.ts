import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import { defineTool, READ_ONLY } from './define-tool.ts';
import { localTime, timeInWords } from './format-time.ts';
import {
  type ApiTask,
  localOrNull,
  summarizeTask,
  type TimeContext,
  taskViewSchema,
  timeFieldSchemas,
  timeFields,
  toTaskView,
} from './task-view.ts';
import { orNull, taskId } from './tool-schemas.ts';

interface ApiDetail extends ApiTask {
  readonly notes: string | null;
  readonly recurrence: object | null;
  readonly lead_time_days: number | null;
  readonly break_quiet_hours: boolean;
  readonly deferred_until: string | null;
}

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
  readonly sent_at: string | null;
  readonly acknowledged_at: string | null;
}

const MAX_FORECAST = 5;
const MAX_ENTRIES = 20;

const time = Type.String({ format: 'date-time' });
const stage = Type.Integer({ description: '-1 for a heads-up, then 0, 1, 2.' });

const detailSchema = Type.Object({
  ...taskViewSchema.properties,
  notes: orNull(Type.String()),
  recurrence: orNull(Type.Object({}, { additionalProperties: true })),
  lead_time_days: orNull(Type.Integer()),
  break_quiet_hours: Type.Boolean(),
  snoozed_until: orNull(time),
});
const forecastSchema = Type.Object({
  at: time,
  stage,
  holds: Type.Array(Type.String(), { description: 'What holds it back until then: quiet_hours, pause.' }),
});
const deliverySchema = Type.Object({
  nudged_at: time,
  stage,
  status: Type.String({ description: 'pending, sent, failed_transient, failed_permanent, cancelled or superseded.' }),
  reason: orNull(Type.String()),
  sent_at: orNull(time),
  acknowledged_at: orNull(Type.String({ format: 'date-time', description: 'When the user saw it.' })),
});
const entrySchema = Type.Object({
  at: time,
  kind: Type.String(),
  by: orNull(Type.String({ description: 'owner, assigner, or null for the service itself.' })),
  through: orNull(Type.String({ description: 'The access token by which an agent did it.' })),
  stage: orNull(stage),
  until: orNull(time),
});

export const taskStatus = defineTool({
  name: 'task_status',
  title: 'Look at one task',
  description:
    'Tells everything about one task: its fields, the reminders to come (forecast, with what holds them back), whether ' +
    'the last reminders reached a device and were seen (last_deliveries, one per device), and what happened to it ' +
    '(history, newest first, with the agent that did it). Use it to answer why a reminder did or did not come. ' +
    'Needs the scope tasks:read.',
  annotations: READ_ONLY,
  input: Type.Object({ task_id: taskId }, { additionalProperties: false }),
  output: Type.Object({
    ...timeFieldSchemas,
    task: detailSchema,
    forecast: Type.Array(forecastSchema),
    last_deliveries: Type.Array(deliverySchema),
    history: Type.Array(entrySchema),
  }),
  async run(agent, { task_id }) {
    const [{ data: task }, { data: ahead }, { data: entries }] = await Promise.all([
      agent.api<ApiDetail>({ url: taskPath(task_id) }),
      agent.api<ApiForecast[]>({ url: taskPath(task_id, `/forecast?limit=${MAX_FORECAST}`) }),
      agent.api<ApiEntry[]>({ url: taskPath(task_id, `/timeline?limit=${MAX_ENTRIES}`) }),
    ]);
    const deliveries = entries.flatMap((entry) => toDeliveryViews(entry, agent.zone));
    return {
      text: [summarizeTask(task, agent), forecastInWords(ahead, agent), deliveriesInWords(deliveries)].join('\n'),
      structured: {
        ...timeFields(agent),
        task: toDetailView(task, agent),
        forecast: ahead.map(({ at, stage, holds }) => ({ at: localTime(new Date(at), agent.zone), stage, holds })),
        last_deliveries: deliveries,
        history: entries.map((entry) => toEntryView(entry, agent.zone)),
      },
    };
  },
});

function toDetailView(task: ApiDetail, context: TimeContext): Static<typeof detailSchema> {
  const { notes, recurrence, lead_time_days, break_quiet_hours, deferred_until } = task;
  const snoozed_until = localOrNull(deferred_until, context.zone);
  return { ...toTaskView(task, context), notes, recurrence, lead_time_days, break_quiet_hours, snoozed_until };
}

function toEntryView({ at, kind, by, token, stage, until }: ApiEntry, zone: string): Static<typeof entrySchema> {
  const through = token && (token.name ?? `${token.prefix}…`);
  return { at: localTime(new Date(at), zone), kind, by, through, stage, until: localOrNull(until, zone) };
}

function toDeliveryViews({ at, stage, deliveries }: ApiEntry, zone: string): Static<typeof deliverySchema>[] {
  return (deliveries ?? []).map(({ status, reason, sent_at, acknowledged_at }) => ({
    nudged_at: localTime(new Date(at), zone),
    stage: stage ?? 0,
    status,
    reason,
    sent_at: localOrNull(sent_at, zone),
    acknowledged_at: localOrNull(acknowledged_at, zone),
  }));
}

function forecastInWords(ahead: readonly ApiForecast[], { zone }: TimeContext): string {
  if (ahead.length === 0) return 'No nudges ahead.';
  const lines = ahead.map(({ at, stage, holds }) => {
    const held = holds.length === 0 ? '' : `, held by ${holds.join(' and ')}`;
    return `stage ${stage} on ${timeInWords(new Date(at), zone)}${held}`;
  });
  return `Ahead (${zone}): ${lines.join('; ')}.`;
}

function deliveriesInWords(deliveries: readonly Static<typeof deliverySchema>[]): string {
  const [last] = deliveries;
  if (!last) return 'Nothing was delivered to a device yet.';
  const seen = last.acknowledged_at === null ? 'not seen yet' : `seen at ${last.acknowledged_at}`;
  const why = last.reason === null ? '' : ` (${last.reason})`;
  return `Last delivery: stage ${last.stage} at ${last.nudged_at}, ${last.status}${why}, ${seen}.`;
}
