import type { Static } from 'typebox';
import type { Routes } from '../../http/app.ts';
import { callerOf } from '../../http/authentication.ts';
import { callerLeftSignal } from '../../http/caller-left.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { chargeRows } from '../../http/limit-costs.ts';
import { component, instantOut, named, nullable, nullableInstantOut, Type } from '../../lib/schema.ts';
import { decodeAgendaCursor, encodeAgendaCursor } from '../cursors.ts';
import type { AgendaService, PlannedEntry } from './agenda.service.ts';

const id = Type.String({ format: 'uuid' });
const date = (description: string) => Type.Optional(Type.String({ maxLength: 10, description }));

export const AgendaEntryOut = component(
  'AgendaEntryOut',
  Type.Object({
    date: Type.String({ description: 'The day in your time zone.' }),
    time: nullable(Type.String({ description: 'On the clock of your time zone; null for all day.' })),
    at: Type.Unsafe<Date>({ ...instantOut, description: 'The same as an instant: entries are in order of it.' }),
    task_id: id,
    title: Type.String(),
    kind: Type.String({
      description:
        '`due`: the present occurrence; `occurrence`: a later one; `snoozed`: the end of a snooze; `nudge`: the next ' +
        'nudge of a task that is due outside of the span.',
    }),
    status: Type.String({ description: '`open`, `overdue`, `snoozed`, `pending` (not accepted yet) or `missed`.' }),
    due_at: nullableInstantOut,
    next_nudge_at: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description: 'The next nudge; of a later occurrence the first at its due moment.',
    }),
    held_by: Type.Array(Type.String(), { description: 'What delays that nudge: `quiet_hours`, `pause`.' }),
    missed: nullable(Type.Integer({ description: 'How many were missed, from `due_at` to `missed_to`.' })),
    missed_to: nullableInstantOut,
    has_more: Type.Boolean({ description: 'More follow on this day, and are left out.' }),
  }),
);

const route = describeRoutes('tasks', { isCostly: true });

export const agendaRoutes =
  (agenda: AgendaService): Routes =>
  (app) => {
    app.addSchema(AgendaEntryOut);
    app.get(
      '/v1/agenda',
      route('read_agenda', 'List what is due, repeats, nudges or was missed on some days, in order of time', {
        querystring: Type.Object({
          from: date('The first day, in your time zone; today if left out.'),
          until: date('The last day, at most 400 days in all; six days after the first if left out.'),
          task_id: Type.Optional(id),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
          cursor: Type.Optional(
            Type.String({ maxLength: 200, description: 'The X-Next-Cursor header of the previous page.' }),
          ),
        }),
        data: Type.Array(named(AgendaEntryOut)),
      }),
      async (request, reply) => {
        const { from, until, task_id, limit = 100, cursor } = request.query;
        const after = cursor === undefined ? undefined : decodeAgendaCursor(cursor);
        const { entries, next, zone } = await agenda.list(
          callerOf(request),
          { from, until, taskId: task_id?.toLowerCase(), limit, after },
          (rows) => chargeRows(request, rows),
          callerLeftSignal(reply),
        );
        if (next) reply.header('x-next-cursor', encodeAgendaCursor(next));
        return ok(entries.map((entry) => toEntryOut(entry, zone)));
      },
    );
  };

const toEntryOut = (entry: PlannedEntry, zone: string): Static<typeof AgendaEntryOut> => ({
  date: entry.date.toString(),
  time: entry.hasTime ? clockTime(entry.at, zone) : null,
  at: entry.at,
  task_id: entry.taskId,
  title: entry.title,
  kind: entry.kind,
  status: entry.status,
  due_at: entry.dueAt,
  next_nudge_at: entry.nudge?.at ?? null,
  held_by: [...(entry.nudge?.holds ?? [])],
  missed: entry.missed,
  missed_to: entry.missedTo,
  has_more: entry.hasMore,
});

const clockTime = (at: Date, zone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime())
    .toZonedDateTimeISO(zone)
    .toPlainTime()
    .toString({ smallestUnit: 'minute' });
