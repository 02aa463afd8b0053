/** The six tools, and the one way to use them: whatever goes wrong becomes an answer that a model can act on. */
import type { TObject } from 'typebox';
import { findUnstorable } from '../http/unstorable.ts';
import { buildValidator } from '../http/validation.ts';
import { errorCatalogue, InvalidInput } from '../lib/errors.ts';
import { explain } from './advice.ts';
import { completeTask } from './complete-task.ts';
import { createTask } from './create-task.ts';
import { listTasks } from './list-tasks.ts';
import { setEscalation } from './set-escalation.ts';
import { snoozeTask } from './snooze-task.ts';
import { taskStatus } from './task-status.ts';
import type { Agent, Tool } from './tool.ts';
import { invalidInput, ToolFailure } from './tool-failure.ts';

export const TOOLS: readonly Tool[] = [createTask, listTasks, taskStatus, completeTask, snoozeTask, setEscalation];

export interface ToolResult {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** `onFault` hears of what only we can mend. */
export async function useTool(
  tool: Tool,
  agent: Agent,
  input: unknown,
  onFault: (error: unknown) => void,
): Promise<ToolResult> {
  try {
    const { text, structured } = await tool.run(agent, admit(tool, input));
    return { content: [{ type: 'text', text }], structuredContent: structured };
  } catch (error) {
    if (!(error instanceof ToolFailure)) onFault(error);
    const failure =
      error instanceof ToolFailure ? error : new ToolFailure('internal', errorCatalogue.internal.sentence);
    return { content: [{ type: 'text', text: explain(failure, agent) }], isError: true };
  }
}

const compile = buildValidator({});
const validators = new Map(TOOLS.map(({ name, input }) => [name, validatorOf(input)]));

function validatorOf(schema: TObject): (input: unknown) => void {
  const validate = compile({ schema, httpPart: 'body', method: 'POST', url: '/mcp' });
  return (input) => {
    const verdict = validate(input);
    const error = typeof verdict === 'object' && 'error' in verdict ? verdict.error : undefined;
    if (error instanceof InvalidInput) throw invalidInput(error.problems);
  };
}

const MOST_NAMED = 5;

function admit({ name, input: schema }: Tool, input: unknown = {}): unknown {
  const unstorable = findUnstorable('arguments', input);
  if (unstorable) throw invalidInput([unstorable]);
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(input ?? {}).filter((key) => !known.includes(key));
  // Ignoring a misspelt argument would make a task that is never due, and nobody would know.
  if (unknown.length > 0) {
    const names = unknown.slice(0, MOST_NAMED).map((key) => JSON.stringify(key.slice(0, 40)));
    throw new ToolFailure(
      'invalid_input',
      `There is no argument ${names.join(', ')}; ${name} takes ${known.join(', ')}`,
    );
  }
  validators.get(name)?.(input);
  return input;
}
