import { nextTurn } from '../lib/next-turn.ts';
import { Type } from '../lib/schema.ts';
import { defineTool, READ_ONLY } from './define-tool.ts';
import { type ApiTask, summarizeTask, taskViewSchema, timeFieldSchemas, timeFields, toTaskView } from './task-view.ts';
import { orNull } from './tool-schemas.ts';

const STATUSES = ['open', 'overdue', 'snoozed', 'pending', 'done', 'skipped', 'dropped', 'declined', 'all'] as const;

const input = Type.Object(
  {
    status: Type.Optional(
      Type.Unsafe<(typeof STATUSES)[number]>({
        type: 'string',
        enum: STATUSES,
        default: 'open',
        description:
          'Which tasks. overdue and snoozed are parts of open; pending are requests of others that the user has not ' +
          'accepted yet; skipped were honestly not done, dropped were cancelled.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many at most.' })),
    cursor: Type.Optional(Type.String({ maxLength: 200, description: 'next_cursor of the answer before, for more.' })),
  },
  { additionalProperties: false },
);

export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    "Lists the user's own tasks, the next to come up first. Use it to find a task's id before acting on it, or to " +
    'tell what is open or overdue. Each task comes with its due time, stage and next reminder. If next_cursor is not ' +
    'null there are more. Needs the scope tasks:read.',
  annotations: READ_ONLY,
  input,
  output: Type.Object({
    ...timeFieldSchemas,
    tasks: Type.Array(taskViewSchema),
    next_cursor: orNull(Type.String({ description: 'Null at the end of the list.' })),
  }),
  async run(agent, { status = 'open', limit = 20, cursor }) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (status !== 'all') query.set('status', status);
    if (cursor !== undefined) query.set('cursor', cursor);
    const { data, headers } = await agent.api<ApiTask[]>({ url: `/v1/tasks?${query}` });
    // The API has just read and written as many tasks as this shows.
    await nextTurn();
    const next = typeof headers['x-next-cursor'] === 'string' ? headers['x-next-cursor'] : null;
    return {
      text: [
        titleOf(data.length, status, agent.zone),
        ...data.map((task) => `- ${summarizeTask(task, agent)}`),
        ...(next === null ? [] : ['There are more: call again with next_cursor as cursor.']),
      ].join('\n'),
      structured: { ...timeFields(agent), tasks: data.map((task) => toTaskView(task, agent)), next_cursor: next },
    };
  },
});

function titleOf(count: number, status: string, zone: string): string {
  const which = status === 'all' ? '' : `${status} `;
  const tasks = count === 0 ? `No ${which}tasks.` : `${count} ${which}task${count === 1 ? '' : 's'}:`;
  return `Times are in ${zone}. ${tasks}`;
}
