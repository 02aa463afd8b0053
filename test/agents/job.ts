/**
 * An everyday job: what a person asks in one sentence, and the calls that an assistant plausibly makes for it, its
 * mistakes included. All jobs happen on Thursday, 5 March 2026, at 10:00 in Amsterdam, in an account of their own.
 *
 * `{title}` stands for the id of the task with this title, `{title.field}` for what a result showed of it, `{code}` and
 * `{undo}` for those of the last result that has one. The runner
 * refuses an id that neither the sentence nor an earlier result has shown: a model could not know it.
 */
export interface Job {
  readonly ask: string;
  /** What was there before, in order; by default at the moment of the job. */
  readonly given?: readonly Given[];
  /** Beyond the defaults: the scopes `tasks:read`, `tasks:write` and `settings:write`, without limits. */
  readonly token?: Readonly<Record<string, unknown>>;
  /** The shortest wait of the token, in minutes, which has a route of its own. */
  readonly shortestWait?: number;
  readonly calls: readonly Call[];
  /** What REST shows afterwards. Everything that is not named here must be as it was. */
  readonly leaves?: State;
  readonly budget: { readonly calls: number; readonly tokens: number };
}

export interface Given {
  /** Local time; the week begins on Monday, 2 March. */
  readonly at?: string;
  /** Bob is another person. */
  readonly by?: 'bob';
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface Call {
  /** A tool; a prompt and the address of a resource have the arguments `null`. */
  readonly call: string;
  readonly with: Readonly<Record<string, unknown>> | null;
  /** What the text of the result says, in any order. */
  readonly says?: readonly (string | RegExp)[];
  readonly hides?: readonly (string | RegExp)[];
  /** An error: its code, and what helps. */
  readonly refused?: readonly (string | RegExp)[];
  /** The job ends with this refusal, because the person has to decide or act. */
  readonly isFinal?: true;
}

export interface State {
  /** By title: fields of the task as `GET /v1/tasks/{task_id}` shows it, its `heads_ups`, and its `ladder`: name or rungs. */
  readonly tasks?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly planned_pause?: Readonly<Record<string, unknown>> | null;
  /** Outcomes that were recorded or withdrawn: how many more of each title than before. */
  readonly outcomes?: Readonly<Record<string, number>>;
}

export const task = (title: string, fields: object = {}, at?: string): Given => ({
  method: 'POST',
  path: '/v1/tasks',
  body: { title, ...fields },
  ...(at !== undefined && { at }),
});

export const timed = (title: string, due_at: string, fields: object = {}, at?: string): Given =>
  task(title, { due_at, has_time: true, ...fields }, at);

export const act = (action: string, title: string, at?: string, body?: object): Given => ({
  method: 'POST',
  path: `/v1/tasks/{${title}}/${action}`,
  ...(body && { body: { ...body } }),
  ...(at !== undefined && { at }),
});

export const settings = (body: Readonly<Record<string, unknown>>): Given => ({ method: 'PATCH', path: '/v1/me', body });
export const pause = (until: string): Given => ({ method: 'POST', path: '/v1/me/pause', body: { until } });
export const plannedPause = (from: string, until: string): Given => ({
  method: 'PUT',
  path: '/v1/me/pause/planned',
  body: { from, until },
});
export const byBob = (given: Given): Given => ({ ...given, by: 'bob' });
