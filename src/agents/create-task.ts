import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { type Agent, answerWith, CHANGE, defineTool, listAnswer, readBack } from './define-tool.ts';
import { readDue } from './due-input.ts';
import { readRecurrence } from './recurrence-input.ts';
import { type ApiTask, listedTask, timeFields } from './task-view.ts';
import { explainFailure, ToolFailure } from './tool-failure.ts';
import { spaceId, taskFields, text, tool } from './tool-schemas.ts';

const newTaskInput = tool({
  ...taskFields,
  space_id: Type.Optional(spaceId),
  idempotency_key: Type.Optional({
    ...text(255, 'Any text of yours. The same call with the same key makes no second task.'),
    minLength: 1,
  }),
});

const THIS_AGENT = { kind: 'you', name: null };

type NewTask = Static<typeof newTaskInput>;

async function create(agent: Agent, fields: NewTask): Promise<ApiTask> {
  const { idempotency_key: idempotencyKey, allow_past: _, recurrence: given, ...rest } = fields;
  const rule = given === undefined ? undefined : readRecurrence(given);
  if (rule && rest.due_at === undefined) {
    throw new ToolFailure('invalid_input', 'due_at: a recurrence needs it, as the first date');
  }
  const payload = { ...rest, ...readDue(fields, agent, rule), ...(rule && { recurrence: rule.recurrence }) };
  const { data } = await agent.api<ApiTask>({ method: 'POST', url: '/v1/tasks', payload, idempotencyKey });
  const { recurrence = null, lead_time_days = null, break_quiet_hours = false } = { ...payload, ...rule };
  const written = { written_by: THIS_AGENT, kind_written_by: THIS_AGENT, notes_written_by: THIS_AGENT };
  return { ...data, ...written, recurrence, lead_time_days, break_quiet_hours };
}

export const createTask = defineTool({
  name: 'create_task',
  title: 'Create a task',
  description:
    'Creates a reminder task for the user. From the due moment on it reminds, ever stronger, until the user deals with ' +
    'it; without due_at it never does. Tell the user what the answer says about the first reminder and the repetition. ' +
    'Needs tasks:write.',
  annotations: CHANGE,
  input: newTaskInput,
  async run(agent, fields) {
    return answerWith(agent, 'Created ', await create(agent, fields));
  },
});

const MOST_AT_ONCE = 20;

/** `validate` checks one task as `create_task` would. */
export const createTasksTool = (validate: (input: unknown) => unknown) =>
  defineTool({
    name: 'create_tasks',
    title: 'Create several tasks',
    description:
      'Creates up to 20 tasks, each with the arguments of create_task. Returns JSON with a result for each, in order: ' +
      'correct and repeat only those that failed. Needs tasks:write.',
    annotations: CHANGE,
    input: tool({
      tasks: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
        minItems: 1,
        maxItems: MOST_AT_ONCE,
        description: 'E.g. [{"title": "Call Bob", "due_at": "2026-12-01T18:00"}].',
      }),
    }),
    async run(agent, { tasks }) {
      const results: object[] = [];
      for (const [index, fields] of tasks.entries())
        results.push({ index, ...(await tryCreate(agent, fields, validate)) });
      const failed = results.filter((result) => 'error' in result).length;
      const counts = { ...timeFields(agent), created: tasks.length - failed, failed };
      return { text: listAnswer(counts, 'results', results), isError: failed === tasks.length };
    },
  });

async function tryCreate(agent: Agent, fields: unknown, validate: (input: unknown) => unknown): Promise<object> {
  try {
    const created = await create(agent, validate(fields) as NewTask);
    return { task: listedTask(await readBack(agent, created), agent) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { error: explainFailure(error, agent) };
  }
}
