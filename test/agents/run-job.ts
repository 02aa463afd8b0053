/** Replays a job through the official client and compares what it left behind over REST. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mintToken } from '../support/agents.ts';
import type { Person } from '../support/people.ts';
import { usualTokens } from '../support/usual-tokens.ts';
import type { Call, Given, Job, State } from './job.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The people of a job. */
export interface Cast {
  readonly me: Person;
  readonly bob: Person;
}

export interface Cost {
  readonly calls: number;
  readonly tokens: number;
}

interface Snapshot {
  readonly tasks: ReadonlyMap<string, Fields>;
  readonly settings: Fields;
  readonly plannedPause: Fields | null;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly tasksOfBob: readonly Fields[];
}

/** Handles that belong to an answer, not to a task. */
const LATEST = ['code', 'undo'];
const PLACEHOLDER = /\{([^{}]+)\}/g;
const SCOPES = ['tasks:read', 'tasks:write', 'settings:write'];

export async function prepare(cast: Cast, { by, method, path, body }: Given): Promise<void> {
  const fill = await placeholdersOf(cast);
  const person = by === 'bob' ? cast.bob : cast.me;
  const answer = await person.ask(method, fill(path), body && JSON.parse(fill(JSON.stringify(body))));
  assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
}

async function placeholdersOf(cast: Cast): Promise<(text: string) => string> {
  const ids = await idsByTitle(cast);
  return (text) => text.replace(PLACEHOLDER, (whole, name: string) => ids.get(name) ?? whole);
}

export async function runJob(address: string, cast: Cast, job: Job, mode: 'legacy' | 'auto'): Promise<Cost> {
  assertRecovers(job);
  const { id, token } = await mintToken(cast.me, { scopes: SCOPES, ...job.token });
  if (job.shortestWait !== undefined)
    await cast.me.ask('PUT', `/v1/tokens/${id}/shortest-wait`, { minutes: job.shortestWait });
  const before = await takeSnapshot(cast);
  const client = new Client({ name: 'evaluation', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp/all', address), { requestInit }));
  const replay = new Replay(client, cast, (await placeholdersOf(cast))(job.ask));
  for (const call of job.calls) await replay.make(call);
  await client.close();
  assertLeft(before, await takeSnapshot(cast), job.leaves ?? {});
  const { calls, tokens } = replay;
  assert.ok(calls <= job.budget.calls, `${calls} calls, and ${job.budget.calls} are allowed`);
  assert.ok(tokens <= job.budget.tokens, `${tokens} tokens, and ${job.budget.tokens} are allowed`);
  return { calls, tokens };
}

/** A mistake is made good by the next call, unless the job ends there. */
function assertRecovers({ calls }: Job): void {
  for (const [index, call] of calls.entries()) {
    const next = calls[index + 1];
    if (!call.refused) continue;
    if (call.isFinal) assert.equal(next, undefined, 'a final refusal is the last call');
    else assert.ok(next && !next.refused, `${call.call} is refused and not recovered in one more call`);
  }
}

class Replay {
  calls = 0;
  tokens = 0;
  readonly #client: Client;
  readonly #cast: Cast;
  /** Everything that the assistant has read so far. */
  #read: string;
  readonly #results: unknown[] = [];

  constructor(client: Client, cast: Cast, ask: string) {
    this.#client = client;
    this.#cast = cast;
    this.#read = ask;
  }

  async make({ call, with: input, says = [], hides = [], refused }: Call): Promise<void> {
    const filled = input && (await this.#fill(input));
    const { text, structured, isError } = filled ? await this.#callTool(call, filled) : await this.#get(call);
    this.calls += 1;
    const shown = structured === undefined ? text : `${text}\n${JSON.stringify(structured)}`;
    this.tokens += usualTokens(JSON.stringify(filled ?? {})) + usualTokens(shown);
    this.#read += `\n${shown}`;
    this.#results.push(structured ?? parseJson(text));
    const told = `${call} ${JSON.stringify(filled)}\n${text}`;
    assert.equal(isError, refused !== undefined, told);
    for (const fact of [...says, ...(refused ?? [])]) assert.ok(has(text, fact), `${told}\n… does not say ${fact}`);
    for (const secret of hides) assert.ok(!has(shown, secret), `${told}\n… says ${secret}`);
  }

  async #callTool(name: string, input: Record<string, unknown>) {
    const { content, structuredContent, isError = false } = await this.#client.callTool({ name, arguments: input });
    const texts = (content as { text?: string }[]).map(({ text }) => text ?? '');
    return { text: texts.join('\n'), structured: structuredContent as unknown, isError: isError === true };
  }

  /** A refusal of the protocol is what the assistant reads. */
  async #get(name: string) {
    const { uri } = await this.#fill({ uri: name });
    const got = name.includes('://') ? this.#readResource(String(uri)) : this.#getPrompt(name);
    return got.catch(({ message }: Error) => ({ text: message, structured: undefined, isError: true }));
  }

  async #readResource(uri: string) {
    const { contents } = await this.#client.readResource({ uri });
    const text = contents.map((content) => ('text' in content ? content.text : '')).join('\n');
    return { text, structured: undefined, isError: false };
  }

  async #getPrompt(name: string) {
    const { messages } = await this.#client.getPrompt({ name });
    const text = messages.map(({ content }) => ('text' in content ? content.text : '')).join('\n');
    return { text, structured: undefined, isError: false };
  }

  async #fill(input: Fields): Promise<Record<string, unknown>> {
    const ids = await idsByTitle(this.#cast);
    const fill = (name: string): string => {
      if (LATEST.includes(name)) return this.#findLatest(name);
      const [title = '', field] = ids.has(name) ? [name] : name.split(/\.(?=[a-z_]+$)/);
      const id = ids.get(title);
      assert.ok(id !== undefined, `there is no task “${title}”`);
      // A list shows the end of an id, and the assistant sends what it was shown.
      const shown = [id, id.slice(-8)].find((text) => this.#read.includes(text));
      assert.ok(shown !== undefined, `no result has shown the id of “${title}”`);
      return field === undefined ? shown : this.#find(id, field);
    };
    const text = JSON.stringify(input).replace(PLACEHOLDER, (whole, name: string) =>
      /^[^":]+$/.test(name) ? fill(name) : whole,
    );
    return JSON.parse(text);
  }

  /** What the last result that has it shows. */
  #findLatest(field: string): string {
    const found = this.#results.flatMap((result) => objectsIn(result)).findLast((one) => field in one);
    assert.ok(found, `no result has shown ${field}`);
    return String(found[field]);
  }

  /** What the last result that names the task shows of it. */
  #find(id: string, field: string): string {
    const found = this.#results
      .flatMap((result) => objectsIn(result))
      .findLast((one) => typeof one.id === 'string' && id.endsWith(one.id) && field in one);
    assert.ok(found, `no result has shown ${field} of ${id}`);
    return String(found[field]);
  }
}

const has = (text: string, fact: string | RegExp): boolean =>
  typeof fact === 'string' ? text.includes(fact) : fact.test(text);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectsIn(value: unknown): Fields[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Fields, ...Object.values(value).flatMap(objectsIn)];
}

async function idsByTitle({ me, bob }: Cast): Promise<Map<string, string>> {
  const lists = await Promise.all([bob, me].map((person) => person.ask('GET', '/v1/tasks')));
  const tasks = lists.flatMap(({ body }) => body.data as { id: string; title: string }[]);
  return new Map([['me', me.userId], ['bob', bob.userId], ...tasks.map(({ id, title }) => [title, id] as const)]);
}

export async function takeSnapshot({ me, bob }: Cast): Promise<Snapshot> {
  const read = async (path: string) => (await me.ask('GET', path)).body.data;
  const tasks = new Map<string, Fields>();
  for (const { id, title } of await read('/v1/tasks')) {
    assert.ok(!tasks.has(title), `there are two tasks “${title}”`);
    const { preset, name, rungs } = await read(`/v1/tasks/${id}/ladder`);
    const { heads_ups } = await read(`/v1/tasks/${id}/heads-ups`);
    tasks.set(title, { ...(await read(`/v1/tasks/${id}`)), ladder: preset ?? name ?? rungs, heads_ups });
  }
  const outcomes: Record<string, number> = {};
  for (const { title } of await read('/v1/outcomes')) outcomes[title] = (outcomes[title] ?? 0) + 1;
  const { planned_pause: plannedPause } = await read('/v1/me/pause/planned');
  const tasksOfBob = (await bob.ask('GET', '/v1/tasks')).body.data;
  return { tasks, settings: await read('/v1/me'), plannedPause, outcomes, tasksOfBob };
}

export function assertLeft(before: Snapshot, after: Snapshot, leaves: State, about = ''): void {
  const expected = leaves.tasks ?? {};
  const titles = new Set([...before.tasks.keys(), ...Object.keys(expected)]);
  assert.deepEqual([...after.tasks.keys()].sort(), [...titles].sort(), `the tasks that there are ${about}`);
  for (const [title, shown] of after.tasks) {
    const wanted = expected[title] ?? before.tasks.get(title) ?? {};
    assertHas(shown, wanted, `“${title}” ${about}`);
  }
  assertHas(after.settings, { ...before.settings, ...leaves.settings }, `the settings ${about}`);
  const plannedPause = 'planned_pause' in leaves ? leaves.planned_pause : before.plannedPause;
  assert.deepEqual(after.plannedPause, plannedPause, `the planned pause ${about}`);
  const more = Object.fromEntries(
    [...after.tasks.keys()].map((title) => [title, (after.outcomes[title] ?? 0) - (before.outcomes[title] ?? 0)]),
  );
  const none = Object.fromEntries([...after.tasks.keys()].map((title) => [title, 0]));
  assert.deepEqual(more, { ...none, ...leaves.outcomes }, `new outcomes ${about}`);
  assert.deepEqual(after.tasksOfBob, before.tasksOfBob, `the tasks of Bob ${about}`);
}

function assertHas(shown: Fields, wanted: Fields, what: string): void {
  const differing = Object.keys(wanted).filter((name) => !isDeepStrictEqual(shown[name], wanted[name]));
  const pick = (fields: Fields) => Object.fromEntries(differing.map((name) => [name, fields[name]]));
  assert.deepEqual(pick(shown), pick(wanted), what);
}
