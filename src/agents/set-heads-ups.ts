/** Sets the heads-ups of a task in minutes. Those in days stay: they are its `lead_time_days`, or were set in the app. */
import { taskPath } from './api.ts';
import type { Agent } from './define-tool.ts';
import { type ApiHeadsUp, headsUpsInWords } from './shown-heads-ups.ts';

interface HeadsUps {
  readonly heads_ups: readonly ApiHeadsUp[];
}

export const readHeadsUps = async (agent: Agent, id: string): Promise<readonly ApiHeadsUp[]> =>
  (await agent.api<HeadsUps>({ url: taskPath(id, '/heads-ups') })).data.heads_ups;

/** Returns all heads-ups as they are now, and in words what was replaced. */
export async function setHeadsUps(
  agent: Agent,
  id: string,
  minutes: readonly number[],
): Promise<{ heads_ups: readonly ApiHeadsUp[]; replaced?: string }> {
  const before = await readHeadsUps(agent, id);
  const inDays = before.filter(({ days }) => days !== undefined);
  const payload = { heads_ups: [...inDays, ...minutes.map((count) => ({ minutes: count }))] };
  const { data } = await agent.api<HeadsUps>({ method: 'PUT', url: taskPath(id, '/heads-ups'), payload });
  const [was, is] = [headsUpsInWords(before), headsUpsInWords(data.heads_ups)];
  return { ...data, ...(was !== is && { replaced: was === '' ? 'no heads-up' : `heads-up ${was}` }) };
}
