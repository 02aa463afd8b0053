import type { Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { callerLeftSignal } from '../http/caller-left.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { chargeRows } from '../http/limit-costs.ts';
import { costOf, sendPaged } from '../http/streamed-answer.ts';
import { mapPages } from '../lib/pages.ts';
import { named, Type } from '../lib/schema.ts';
import { decodeSearchCursor, encodeSearchCursor } from './cursors.ts';
import type { FoundTask, TaskSearchService } from './task-search.service.ts';
import { FoundTaskOut, toDetail } from './tasks.schemas.ts';

const route = describeRoutes('tasks', { isCostly: true });
const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }));
const MOST_IDS = 50;
const foundList = Type.Array(named(FoundTaskOut));

export const taskSearchRoutes =
  (search: TaskSearchService): Routes =>
  (app) => {
    app.addSchema(FoundTaskOut);
    app.get(
      '/v1/tasks/search',
      route('search_tasks', 'Search your own tasks; the answer also says whose words each task is', {
        querystring: Type.Object({
          status: text(100, 'As in the list of tasks.'),
          q: text(200, 'Words of the title, the notes or the kind; the best matches come first.'),
          match: Type.Optional(
            Type.Unsafe<'all' | 'some'>({
              type: 'string',
              enum: ['all', 'some'],
              default: 'all',
              description:
                '`some`: tasks with only some of the words too, after those with all. X-Found-All counts the latter.',
            }),
          ),
          kind: text(100, 'The kind of task.'),
          space: text(200, 'The name or the id of a space.'),
          due_from: text(40, 'Due at this date or date-time or later.'),
          due_until: text(40, 'Due at this date or date-time or earlier.'),
          ids: text(
            37 * MOST_IDS,
            `Instead of a search: up to ${MOST_IDS} ids of tasks, or their last 8 characters, separated by commas.`,
          ),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
          cursor: text(200, 'The X-Next-Cursor header of the previous page. A page may be empty before the last one.'),
        }),
        data: foundList,
        sends: ['X-Found-All'],
      }),
      async (request, reply) => {
        const { ids, cursor, limit = 50, ...query } = request.query;
        const caller = callerOf(request);
        if (ids !== undefined) {
          const pages = mapPages(await search.read(caller, idsOf(ids)), toFound);
          return sendPaged(request, reply, [{ pages, schema: foundList }], (rows) => ok(rows));
        }
        const after = cursor === undefined ? undefined : decodeSearchCursor(cursor);
        const charge = (rows: readonly object[]) => chargeRows(request, costOf(rows));
        const asked = { ...query, limit, after };
        const { tasks, complete, next } = await search.search(caller, asked, charge, callerLeftSignal(reply));
        if (next) reply.header('x-next-cursor', encodeSearchCursor(next));
        if (query.match === 'some') reply.header('x-found-all', complete);
        return ok(tasks.map(toFound));
      },
    );
  };

const idsOf = (text: string): string[] => text.split(',', MOST_IDS);

const toFound = (found: FoundTask) => {
  const { max_stage, space_name, space_written_by, asked_by, written_by, notes_written_by, kind_written_by, ...task } =
    found;
  const writers = { written_by, notes_written_by, kind_written_by };
  return { ...toDetail(task), max_stage, space_name, space_written_by, asked_by, ...writers };
};
