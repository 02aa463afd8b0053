/** What a tool is, independent of the MCP protocol. */
import type { Static, TObject } from 'typebox';
import { nextTurn } from '../lib/next-turn.ts';
import type { Api } from './api.ts';
import { type ApiTask, taskAnswer, type ViewContext } from './task-view.ts';

/** The caller of a tool: the API with their permissions, their settings and the current time. */
export interface Agent extends ViewContext {
  readonly api: Api;
  /** The token has the scope to read tasks. */
  readonly canRead: boolean;
  /** Asks the user through the client. Undefined if the client cannot ask. */
  readonly ask: ((question: string) => UserAnswer) | undefined;
}

/** `unasked` until the client has put the question to the user and calls again. */
export type UserAnswer = 'yes' | 'no' | 'unasked';

interface ToolAnswer {
  /** What a model reads: words, or one JSON document if the answer is a list. */
  readonly text: string;
  /** The same facts for programs; left out if the text is JSON. */
  readonly structured?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
  /** A question that the client puts to the user before it calls again. */
  readonly question?: string;
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

/** Answers with the task as it is now. A token that cannot read gets the API's answer to the change. */
export async function answerWith(agent: Agent, prefix: string, changed: ApiTask) {
  return taskAnswer(prefix, await readBack(agent, changed), agent);
}

export async function readBack(agent: Agent, changed: ApiTask): Promise<ApiTask> {
  return (await readTasks(agent, [changed.id])).get(changed.id) ?? changed;
}

const MOST_IDS = 50;

/** Returns the tasks that exist, by id; none for a token that cannot read. */
export async function readTasks(agent: Agent, ids: readonly string[]): Promise<ReadonlyMap<string, ApiTask>> {
  const tasks = new Map<string, ApiTask>();
  for (let start = 0; agent.canRead && start < ids.length; start += MOST_IDS) {
    if (start > 0) await nextTurn();
    const url = `/v1/tasks/search?ids=${ids.slice(start, start + MOST_IDS).join(',')}`;
    for (const task of (await agent.api<ApiTask[]>({ url })).data) tasks.set(task.id, task);
  }
  return tasks;
}

/** An answer about many things is one JSON document, with a line for each. */
export function listAnswer(fields: Readonly<Record<string, unknown>>, name: string, rows: readonly object[]): string {
  const head = JSON.stringify(fields).slice(0, -1);
  const lines = rows.map((row) => JSON.stringify(row)).join(',\n');
  return `${head}${head === '{' ? '' : ','}"${name}":[${rows.length === 0 ? '' : `\n${lines}\n`}]}`;
}

export const READ_ONLY: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
export const CHANGE: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
export const IDEMPOTENT_CHANGE: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
export const DESTRUCTIVE_CHANGE: Annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
