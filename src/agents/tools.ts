/** The tools of each MCP address, and the only way to call them. A failure becomes a result that a model can act on. */
import type { TObject } from 'typebox';
import { findUnsafeInput } from '../http/unsafe-input.ts';
import { buildValidator } from '../http/validation.ts';
import { InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { agenda } from './agenda.ts';
import { answerRequest } from './answer-request.ts';
import type { ApiTask } from './api-task.ts';
import { closeTasks } from './close-tasks.ts';
import { completeTask, reopenTask } from './complete-task.ts';
import { createTask, createTasksTool } from './create-task.ts';
import type { Agent, Question, Tool } from './define-tool.ts';
import { listOutcomes } from './list-outcomes.ts';
import { listTasks } from './list-tasks.ts';
import { pauseReminders } from './pause-reminders.ts';
import { readPlainly } from './plain-input.ts';
import { setEscalation } from './set-escalation.ts';
import { setTimezone } from './set-timezone.ts';
import { quoted } from './shown-text.ts';
import { snoozeTask } from './snooze-task.ts';
import { taskStatus } from './task-status.ts';
import { quotedTitle } from './task-view.ts';
import { explainFailure, internalFailure, invalidInput, ToolFailure } from './tool-failure.ts';
import { updateTask } from './update-task.ts';
import { withWholeIds } from './whole-ids.ts';

/** `/mcp` has the six tools of the contract, `/mcp/all` these and additional ones. */
export const MCP_PATHS = ['/mcp', '/mcp/all'] as const;
export type McpPath = (typeof MCP_PATHS)[number];

const CONTRACT_TOOLS: readonly Tool[] = [createTask, listTasks, taskStatus, completeTask, snoozeTask, setEscalation];
const ALL_TOOLS: readonly Tool[] = [
  ...CONTRACT_TOOLS,
  createTasksTool((input) => checkInput(createTask, plainInput(createTask, input))),
  updateTask,
  closeTasks,
  reopenTask,
  answerRequest,
  pauseReminders,
  setTimezone,
  agenda,
  listOutcomes,
];

export const TOOLS: Readonly<Record<McpPath, readonly Tool[]>> = { '/mcp': CONTRACT_TOOLS, '/mcp/all': ALL_TOOLS };

export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly isError?: true;
}

/** What to ask the user before the call can be carried out. */
export interface ToolQuestion {
  readonly question: Question;
}

/** `onUnexpectedError` gets errors that the caller cannot fix, `onMissingScope` the scope for want of which it failed. */
export async function callTool(
  tool: Tool,
  agent: Agent,
  input: unknown,
  onUnexpectedError: (error: unknown) => void,
  onMissingScope: (scope: string) => void = () => undefined,
): Promise<ToolResult | ToolQuestion> {
  try {
    const given = await withWholeIds(agent, plainInput(tool, input));
    await refuseTitleAsId(agent, given);
    const { text, isError, question } = await tool.run(agent, checkInput(tool, given));
    if (question !== undefined) return { question };
    return {
      content: [{ type: 'text', text }],
      ...(isError && { isError }),
    };
  } catch (error) {
    if (!(error instanceof ToolFailure)) onUnexpectedError(error);
    const failure = error instanceof ToolFailure ? error : internalFailure();
    if (failure.missingScope !== undefined) onMissingScope(failure.missingScope);
    return { content: [{ type: 'text', text: explainFailure(failure, agent) }], isError: true };
  }
}

const compile = buildValidator({});
const validators = new Map(ALL_TOOLS.map(({ name, input }) => [name, validatorOf(input)]));

function validatorOf(schema: TObject): (input: unknown) => void {
  const validate = compile({ schema, httpPart: 'body', method: 'POST', url: '/mcp' });
  return (input) => {
    const result = validate(input);
    const error = typeof result === 'object' && 'error' in result ? result.error : undefined;
    if (error instanceof InvalidInput) throw invalidInput(error.problems);
  };
}

const MAX_REPORTED = 5;
const ASSIGNS = /assign|owner|delegat|^for$|^person$|^user(?:_id)?$/i;

const ZONES = /zone|^tz$/i;
const HEADS_UPS = /heads?_?up|minutes_before|before_minutes|lead_time_(min|hour)|alarm/i;

const plainInput = (tool: Tool, input: unknown): unknown => readPlainly(tool.input, input, tool === updateTask);

function checkInput({ name, input: schema }: Tool, given: unknown = {}): unknown {
  const unsafe = findUnsafeInput('arguments', given);
  if (unsafe) throw invalidInput([unsafe]);
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(given ?? {}).filter((key) => !known.includes(key));
  if (unknown.some((key) => ASSIGNS.test(key))) {
    throw new ToolFailure('not_allowed', 'Assigning a task to another person is for the user to do, in the app.');
  }
  // Ignoring a misspelt argument could silently create a task without a due date.
  if (unknown.length > 0) {
    const names = unknown.slice(0, MAX_REPORTED).map((key) => quoted(key, 40));
    const isAboutZone = unknown.some((key) => ZONES.test(key));
    const zone = isAboutZone ? ". Times are in the user's zone; write the offset of another one into the time" : '';
    const isAboutHeadsUp = unknown.some((key) => HEADS_UPS.test(key)) && name !== 'set_escalation';
    const headsUp = isAboutHeadsUp ? '. set_escalation takes heads_up_minutes' : '';
    throw new ToolFailure(
      'invalid_input',
      `There is no argument ${names.join(', ')}; ${name} takes ${known.join(', ')}${zone}${headsUp}`,
    );
  }
  validators.get(name)?.(given);
  return given;
}

const MOST_CANDIDATES = 5;
const LONGEST_TITLE = 200;

/** A model that knows only a title sends it as the id. The refusal names the tasks that it may mean, with their ids. */
async function refuseTitleAsId(agent: Agent, input: unknown): Promise<void> {
  const { task_id, task_ids } = { ...(input as { task_id?: unknown; task_ids?: unknown }) };
  const titles = [task_id, task_ids].flat().filter((id) => isTitle(id));
  if (titles.length === 0 || !agent.canRead) return;
  const candidates: string[] = [];
  for (const title of titles.slice(0, MOST_CANDIDATES)) candidates.push(...(await candidatesFor(agent, title)));
  if (candidates.length === 0) return;
  throw new ToolFailure('not_found', `task_id: it takes the id of a task, not its title. ${candidates.join('; ')}.`);
}

const isTitle = (id: unknown): id is string =>
  typeof id === 'string' && id !== '' && !isUuid(id) && id.length <= LONGEST_TITLE && !findUnsafeInput('arguments', id);

async function candidatesFor(agent: Agent, title: string): Promise<string[]> {
  const query = new URLSearchParams({ q: title, status: 'open', limit: String(MOST_CANDIDATES) });
  const { data } = await agent.api<ApiTask[]>({ url: `/v1/tasks/search?${query}` });
  return data.map((task) => `${quotedTitle(task)} is ${task.id}`);
}
