import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, answerWith, CHANGE, defineTool, listAnswer, readBack, withNote } from './define-tool.ts';
import { instantText, readDue } from './due-input.ts';
import { checkMayRing, ringAnyway } from './held.ts';
import { readReachOfUser } from './reach-note.ts';
import { readRecurrence } from './recurrence-input.ts';
import { firstOffRule, refuseEarlyEnd } from './series-start.ts';
import { listedTask, timeFields } from './task-view.ts';
import { explainFailure, ToolFailure } from './tool-failure.ts';
import { spaceId, taskFields, text, tool } from './tool-schemas.ts';

const newTaskInput = tool({
  ...taskFields,
  space_id: Type.Optional(spaceId),
  idempotency_key: Type.Optional({
    ...text(255, 'The same call with the same key makes no second task.'),
    minLength: 1,
  }),
});

const THIS_AGENT = { kind: 'you', name: null };

type NewTask = Static<typeof newTaskInput>;

async function create(agent: Agent, fields: NewTask): Promise<ApiTask> {
  const { idempotency_key: idempotencyKey, allow_past: _, ring_anyway, recurrence: given, ...rest } = fields;
  if (ring_anyway) checkMayRing(agent);
  const rule = given === undefined ? undefined : readRecurrence(given);
  if (rule && rest.due_at === undefined) {
    throw new ToolFailure('invalid_input', 'due_at: a recurrence needs it, as the first date');
  }
  const due = readDue(fields, agent, rule);
  if (rule && due)
    refuseEarlyEnd({ ...rule, due_at: instantText(due.due_at, agent), has_time: due.has_time }, agent.zone);
  const payload = { ...rest, ...due, ...(rule && { recurrence: rule.recurrence }) };
  const { data } = await agent.api<ApiTask>({ method: 'POST', url: '/v1/tasks', payload, idempotencyKey });
  const { recurrence = null, lead_time_days = null, break_quiet_hours = false } = { ...payload, ...rule };
  const written = { written_by: THIS_AGENT, kind_written_by: THIS_AGENT, notes_written_by: THIS_AGENT };
  const task = ring_anyway ? await ringAnyway(agent, data) : data;
  return { ...task, ...written, recurrence, lead_time_days, break_quiet_hours };
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
    const task = await create(agent, fields);
    return withNote(await answerWith(agent, 'Created ', task), firstOffRule(task, agent.zone));
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
      const counts = {
        ...timeFields(agent),
        created: tasks.length - failed,
        failed,
        ...(failed < tasks.length && (await readReachOfUser(agent))),
      };
      return { text: listAnswer(counts, 'results', results), isError: failed === tasks.length };
    },
  });

async function tryCreate(agent: Agent, fields: unknown, validate: (input: unknown) => unknown): Promise<object> {
  try {
    const created = await create(agent, validate(fields) as NewTask);
    const note = firstOffRule(created, agent.zone);
    return { task: listedTask(await readBack(agent, created), agent), ...(note !== undefined && { note }) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { error: explainFailure(error, agent) };
  }
}
