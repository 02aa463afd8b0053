/** What a tool is, independent of the MCP protocol. */
import type { Static, TObject } from 'typebox';
import type { Scope } from '../lib/caller.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { type Api, taskPath } from './api.ts';
import type { ApiTask, ViewContext } from './api-task.ts';
import type { ConsentCodes } from './consent-codes.ts';
import { withHeld } from './held.ts';
import { noteOn, readForecast } from './reach-note.ts';
import type { ApiLadder } from './shown-ladder.ts';
import { taskAnswer } from './task-view.ts';

/** The caller of a tool: the API with their permissions, their settings and the current time. */
export interface Agent extends ViewContext {
  readonly api: Api;
  /** The token has the scope to read tasks. */
  readonly canRead: boolean;
  /** The account and the access token, for codes that count for them alone. */
  readonly caller: string;
  readonly codes: ConsentCodes;
  /** What the client has asked its user about this call. Undefined if the client cannot ask. */
  readonly ask: Asked | undefined;
}

export interface Asked {
  /** `unasked` until the client has put the question to the user and calls again. */
  readonly answer: 'yes' | 'no' | 'unasked';
  /** The code of the question, as the client sent it back. */
  readonly code: string | undefined;
}

export interface Question {
  readonly words: string;
  readonly code: string;
}

interface ToolAnswer {
  /** What a model reads: words, or one JSON document if the answer is a list. */
  readonly text: string;
  readonly isError?: boolean;
  /** A question that the client puts to the user before it calls again. */
  readonly question?: Question;
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
  /** What every call needs; if left out, `tasks:read` for a tool that only reads and `tasks:write` for any other. */
  readonly scope?: Scope;
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

export const scopeOf = ({ scope, annotations }: Tool): Scope =>
  scope ?? (annotations.readOnlyHint ? 'tasks:read' : 'tasks:write');

/** Answers with the task as it is now. A token that cannot read gets the API's answer to the change. */
export async function answerWith(agent: Agent, prefix: string, changed: ApiTask) {
  const { task, note } = await readAhead(agent, changed);
  return taskAnswer(prefix, task, agent, note);
}

/** The task as it is now with what holds its next nudge, and a note if its reminders reach nobody. */
export async function readAhead(agent: Agent, changed: ApiTask): Promise<{ task: ApiTask; note: string | undefined }> {
  const { heads_ups } = changed;
  const task = { ...(await readBack(agent, changed)), ...(heads_ups && { heads_ups }) };
  const [ahead, ladder] = await Promise.all([readForecast(agent, task), readLadderOf(agent, task)]);
  return { task: withHeld({ ...task, ...ladder }, ahead, agent), note: ahead && noteOn(ahead, agent)?.text };
}

/** Undefined if the answer does not speak of it, and for a token that cannot read. */
async function readLadderOf(agent: Agent, { id, status, mode, due_at, deferred_until }: ApiTask) {
  const isSpokenOf = status === 'open' && mode === 'escalate' && (due_at !== null || deferred_until != null);
  if (!agent.canRead || !isSpokenOf) return undefined;
  return { ladder: (await agent.api<ApiLadder>({ url: taskPath(id, '/ladder') })).data };
}

export const withNote = <T extends { readonly text: string }>(answer: T, note: string | undefined): T =>
  note === undefined ? answer : { ...answer, text: `${answer.text} ${note}` };

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
