/** What a tool is, independent of the MCP protocol. */
import type { Static, TObject } from 'typebox';
import type { Api } from './api.ts';
import type { TimeContext } from './task-view.ts';

/** The caller of a tool: the API with their permissions, their time zone and the current time. */
export interface Agent extends TimeContext {
  readonly api: Api;
}

interface ToolAnswer {
  /** A few lines that a model can pass on to the user. */
  readonly text: string;
  /** Conforms to the output schema. */
  readonly structured: Readonly<Record<string, unknown>>;
}

interface Annotations {
  readonly readOnlyHint: boolean;
  /** Removes or ends something instead of only adding to it. */
  readonly destructiveHint: boolean;
  /** A repeated call with the same arguments changes nothing more. */
  readonly idempotentHint: boolean;
}

interface ToolDefinition<Input extends TObject> {
  readonly name: string;
  readonly title: string;
  /** For the model: when to use it, what the arguments mean, what it returns. */
  readonly description: string;
  readonly annotations: Annotations;
  readonly input: Input;
  readonly output: TObject;
  run(agent: Agent, input: Static<Input>): Promise<ToolAnswer>;
}

export interface Tool extends Omit<ToolDefinition<TObject>, 'run'> {
  run(agent: Agent, input: unknown): Promise<ToolAnswer>;
}

/** `run` gets input that has been validated against the schema. */
export const defineTool = <Input extends TObject>(definition: ToolDefinition<Input>): Tool => ({
  ...definition,
  run: (agent, input) => definition.run(agent, input as Static<Input>),
});

export const READ_ONLY: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
export const CHANGE: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
export const IDEMPOTENT_CHANGE: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
export const DESTRUCTIVE_CHANGE: Annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
