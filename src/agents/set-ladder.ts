/** Chooses the ladder of a task, by a name or by a wait. */
import { LADDER_NAMES, ladderEvery } from '../words/ladder-wait.ts';
import { taskPath } from './api.ts';
import type { Agent } from './define-tool.ts';
import { type ApiLadder, LONGEST_NAME, ladderInWords } from './shown-ladder.ts';
import { quoted } from './shown-text.ts';
import { ToolFailure } from './tool-failure.ts';

/** As many names as a refusal lists. */
const MOST_NAMES = 10;

/** What the API takes; undefined if the input asks for no ladder. */
export async function readLadder(
  agent: Agent,
  preset: string | undefined,
  everyMinutes: number | undefined,
): Promise<object | undefined> {
  if (preset !== undefined && everyMinutes !== undefined)
    throw new ToolFailure('invalid_input', 'Give either preset or every_minutes');
  if (everyMinutes !== undefined) return ladderEvery(everyMinutes);
  if (preset === undefined) return undefined;
  const name = fold(preset);
  return LADDER_NAMES.some((one) => one === name) ? { preset: name } : { ladder_id: await findOwn(agent, preset) };
}

const fold = (text: string) => text.trim().toLowerCase();

async function findOwn(agent: Agent, name: string): Promise<string> {
  const { data } = await agent.api<{ readonly ladders: readonly { readonly id: string; readonly name: string }[] }>({
    url: '/v1/ladders',
  });
  const [found, ...others] = data.ladders.filter((one) => fold(one.name) === fold(name));
  if (found && others.length === 0) return found.id;
  const names = data.ladders.slice(0, MOST_NAMES).map((one) => quoted(one.name, LONGEST_NAME));
  throw new ToolFailure(
    'invalid_input',
    found
      ? `preset: the user has several ladders called ${quoted(name, LONGEST_NAME)}`
      : `preset: there is no such ladder. There are ${[...LADDER_NAMES, ...names].join(', ')}`,
  );
}

/** Null goes back to the ladder of the label or of the account. Returns what it replaced, in words. */
export async function setLadder(agent: Agent, id: string, choice: object | null): Promise<{ replaced?: string }> {
  const url = taskPath(id, '/ladder');
  const before = agent.canRead ? ladderInWords((await agent.api<ApiLadder>({ url })).data) : 'unknown';
  const change = choice ? ({ method: 'PUT', url, payload: choice } as const) : ({ method: 'DELETE', url } as const);
  try {
    const { data } = await agent.api<ApiLadder>(change);
    return before === ladderInWords(data) ? {} : { replaced: `ladder ${before}` };
  } catch (error) {
    throw error instanceof ToolFailure ? withArgument(error) : error;
  }
}

/** The API speaks of rungs, and the tool has none. */
const withArgument = (failure: ToolFailure): ToolFailure =>
  failure.code === 'invalid_input' && failure.message.startsWith('rungs: ')
    ? new ToolFailure('invalid_input', 'every_minutes: at least 5, or 1 for a task that breaks quiet hours')
    : failure;
