import { findTimeZone } from '../lib/time-zone.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, defineTool, IDEMPOTENT_CHANGE, readTasks } from './define-tool.ts';
import { timeInWords } from './format-time.ts';
import { nearZones } from './near-zones.ts';
import { quotedTitle } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { text, tool } from './tool-schemas.ts';

const MOST_COMPARED = 100;
const MOST_NAMED = 3;

export const setTimezone = defineTool({
  name: 'set_timezone',
  title: 'Set the time zone',
  description:
    "Sets the user's time zone, e.g. when they live elsewhere now, and tells which reminders move. Needs settings:write.",
  annotations: IDEMPOTENT_CHANGE,
  scope: 'settings:write',
  input: tool({ timezone: text(64, 'An IANA name, e.g. Europe/Amsterdam.') }),
  async run(agent, { timezone }) {
    const zone = findTimeZone(timezone.trim().replaceAll(' ', '_'));
    if (zone === undefined) throw new ToolFailure('invalid_input', refusalOf(timezone));
    const before = await readNext(agent);
    await agent.api({ method: 'PUT', url: '/v1/me/timezone', payload: { timezone: zone } });
    if (zone === agent.zone) return { text: `Nothing changed: the time zone is ${zone}.` };
    const moved = await movesIn({ ...agent, zone }, before);
    return {
      text: `The time zone is ${zone} now, where it is ${timeInWords(agent.now, zone)}. Before: ${agent.zone}. ${moved}`,
    };
  },
});

function refusalOf(timezone: string): string {
  const near = nearZones(timezone);
  const names = near.length === 0 ? 'such as Europe/Amsterdam' : `such as ${near.join(', ')}`;
  return `timezone: Input should be the IANA name of a time zone, ${names}. Ask the user for the nearest large city`;
}

/** The open tasks that come up first; undefined for a token that cannot read. */
async function readNext(agent: Agent): Promise<readonly ApiTask[] | undefined> {
  if (!agent.canRead) return undefined;
  return (await agent.api<ApiTask[]>({ url: `/v1/tasks/search?status=open&limit=${MOST_COMPARED}` })).data;
}

/** The list has another order in the other zone, so the same tasks are read by their ids. */
async function movesIn(agent: Agent, before: readonly ApiTask[] | undefined): Promise<string> {
  if (!before) return 'Tasks with a time keep their moment; days, quiet hours and rules follow the new zone.';
  const old = new Map(before.map((task) => [task.id, task.next_fire_at]));
  const after = [...(await readTasks(agent, [...old.keys()])).values()];
  const moved = after.filter(({ id, next_fire_at }) => next_fire_at !== old.get(id));
  const many = before.length === MOST_COMPARED ? `the ${MOST_COMPARED} tasks that come first` : 'the open tasks';
  if (moved.length === 0) return `Of ${many}, no next nudge moves.`;
  const named = moved.slice(0, MOST_NAMED).map((task) => `${quotedTitle(task)} ${nextOf(task, agent)}`);
  const more = moved.length > MOST_NAMED ? ` and ${moved.length - MOST_NAMED} more` : '';
  return `Of ${many}, ${moved.length} next nudge${moved.length === 1 ? ' moves' : 's move'}: ${named.join('; ')}${more}.`;
}

const nextOf = ({ next_fire_at }: ApiTask, { zone }: Agent): string =>
  next_fire_at === null ? 'to none' : `to ${timeInWords(new Date(next_fire_at), zone)}`;
