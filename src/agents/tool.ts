/** What a tool is, apart from the protocol that carries it. */
import type { Static, TObject } from 'typebox';
import type { Api } from './api.ts';
import type { Here } from './task-view.ts';

/** Who calls a tool: an API that acts as them, and their time. */
export interface Agent extends Here {
  readonly api: Api;
}

interface ToolAnswer {
  /** A few lines that a model can pass on. */
  readonly text: string;
  /** By the output schema. */
  readonly structured: Readonly<Record<string, unknown>>;
}

interface Annotations {
  readonly readOnlyHint: boolean;
  /** Takes something away instead of only adding. */
  readonly destructiveHint: boolean;
  /** Called again with the same arguments it changes nothing more. */
  readonly idempotentHint: boolean;
}

interface ToolDefinition<Input extends TObject> {
  readonly name: string;
  readonly title: string;
  /** For a model: when to use it, what the arguments mean, what comes back. */
  readonly description: string;
  readonly annotations: Annotations;
  readonly input: Input;
  readonly output: TObject;
  run(agent: Agent, input: Static<Input>): Promise<ToolAnswer>;
}

export interface Tool extends Omit<ToolDefinition<TObject>, 'run'> {
  run(agent: Agent, input: unknown): Promise<ToolAnswer>;
}

/** Its input has passed its schema by the time it runs. */
export const defineTool = <Input extends TObject>(definition: ToolDefinition<Input>): Tool => ({
  ...definition,
  run: (agent, input) => definition.run(agent, input as Static<Input>),
});

export const READS: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
export const CHANGES: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
export const SETS: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
export const CLOSES: Annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
