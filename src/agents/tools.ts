/** The tools of each MCP address, and the only way to call them. Every failure becomes a result that a model can act on. */
import type { TObject } from 'typebox';
import { findUnsafeInput } from '../http/unsafe-input.ts';
import { buildValidator } from '../http/validation.ts';
import { errorCatalogue, InvalidInput } from '../lib/errors.ts';
import { completeTask } from './complete-task.ts';
import { createTask } from './create-task.ts';
import type { Agent, Tool } from './define-tool.ts';
import { listTasks } from './list-tasks.ts';
import { setEscalation } from './set-escalation.ts';
import { snoozeTask } from './snooze-task.ts';
import { taskStatus } from './task-status.ts';
import { explainFailure, invalidInput, ToolFailure } from './tool-failure.ts';

/** `/mcp` has the six tools of the contract, `/mcp/all` those and ours beyond it. */
export const MCP_PATHS = ['/mcp', '/mcp/all'] as const;
export type McpPath = (typeof MCP_PATHS)[number];

const CONTRACT_TOOLS: readonly Tool[] = [createTask, listTasks, taskStatus, completeTask, snoozeTask, setEscalation];
const ALL_TOOLS: readonly Tool[] = [...CONTRACT_TOOLS];

export const TOOLS: Readonly<Record<McpPath, readonly Tool[]>> = { '/mcp': CONTRACT_TOOLS, '/mcp/all': ALL_TOOLS };

export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** `onUnexpectedError` gets errors that the caller cannot fix. */
export async function callTool(
  tool: Tool,
  agent: Agent,
  input: unknown,
  onUnexpectedError: (error: unknown) => void,
): Promise<ToolResult> {
  try {
    const { text, structured } = await tool.run(agent, checkInput(tool, input));
    return { content: [{ type: 'text', text }], structuredContent: structured };
  } catch (error) {
    if (!(error instanceof ToolFailure)) onUnexpectedError(error);
    const failure =
      error instanceof ToolFailure ? error : new ToolFailure('internal', errorCatalogue.internal.sentence);
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

function checkInput({ name, input: schema }: Tool, input: unknown = {}): unknown {
  const unsafe = findUnsafeInput('arguments', input);
  if (unsafe) throw invalidInput([unsafe]);
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(input ?? {}).filter((key) => !known.includes(key));
  // Ignoring a misspelt argument could silently create a task without a due date.
  if (unknown.length > 0) {
    const names = unknown.slice(0, MAX_REPORTED).map((key) => JSON.stringify(key.slice(0, 40)));
    throw new ToolFailure(
      'invalid_input',
      `There is no argument ${names.join(', ')}; ${name} takes ${known.join(', ')}`,
    );
  }
  validators.get(name)?.(input);
  return input;
}
