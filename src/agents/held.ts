/** What holds the next nudge of a task, and how an assistant lets it ring anyway. */
import { type Api, taskPath } from './api.ts';
import type { ApiTask, Held, ViewContext } from './api-task.ts';
import { localTime, type TimeContext } from './format-time.ts';
import { ToolFailure } from './tool-failure.ts';

interface Reader extends ViewContext {
  readonly api: Api;
  readonly canRead: boolean;
}

const NEXT_MOMENTS = 3;

const forecast = async (agent: Reader, { id }: ApiTask, limit: number): Promise<readonly Held[]> =>
  (await agent.api<Held[]>({ url: taskPath(id, `/forecast?limit=${limit}`) })).data;

/** The moment that was asked for: the end of the snooze, or the due time. */
const askedFor = ({ deferred_until, due_at, has_time }: ApiTask): string | null =>
  deferred_until ?? (has_time ? due_at : null);

const isLater = (task: ApiTask, { now }: TimeContext): boolean => {
  const [next, asked] = [task.next_fire_at, askedFor(task)];
  return next !== null && asked !== null && next > asked && new Date(asked) > now;
};

/** Adds what holds the next nudge. A nudge at the moment that was asked for is not held. */
export function withHeld(task: ApiTask, ahead: readonly Held[] | undefined, context: TimeContext): ApiTask {
  if (task.status !== 'open' || task.next_fire_at === null || task.next_fire_at === askedFor(task)) return task;
  if (!ahead) return isLater(task, context) ? { ...task, held: { wanted_at: askedFor(task) ?? '', holds: [] } } : task;
  const [next] = ahead;
  return next && next.holds.length > 0 ? { ...task, held: next } : task;
}

/** Refused before anything is changed. */
export function checkMayRing({ ceiling }: ViewContext): void {
  if (ceiling !== null && ceiling < 2)
    throw new ToolFailure('not_allowed', 'ring_anyway: this access token may not break quiet hours');
}

/** Lets the first of the next nudges that is held ring at its own moment. Changes nothing if none is held. */
export async function ringAnyway(agent: Reader, task: ApiTask): Promise<ApiTask> {
  const moments = agent.canRead ? await forecast(agent, task, NEXT_MOMENTS) : [];
  const at = moments.find(({ holds }) => holds.length > 0)?.wanted_at ?? (isLater(task, agent) ? askedFor(task) : null);
  if (at === null) return task;
  const { data } = await agent.api<ApiTask>({
    method: 'POST',
    url: taskPath(task.id, '/ring-anyway'),
    payload: { at },
  });
  return { ...task, ...data };
}

const NAMES: Readonly<Record<string, string>> = { quiet_hours: 'quiet hours', pause: "the user's pause" };

export const heldBy = ({ holds }: Held): string =>
  holds.length === 0 ? 'quiet hours or a pause' : holds.map((name) => NAMES[name] ?? name).join(' and ');

/** ` because of quiet hours, not at 23:30` */
export function heldInWords({ held }: ApiTask, { zone, now }: TimeContext): string {
  if (!held) return '';
  const wanted = new Date(held.wanted_at);
  const isAhead = wanted > now;
  const hint = isAhead ? ' If the user wants it then: update_task with ring_anyway.' : '';
  return ` It is held by ${heldBy(held)}${isAhead ? `; asked for: ${localTime(wanted, zone).slice(0, 16)}` : ''}.${hint}`;
}

/** In a list, from what the row itself says: it names the hold that ends when the nudge comes. */
export function listedHold(task: ApiTask, context: ViewContext): string | null {
  if (task.status !== 'open' || !isLater(task, context)) return null;
  const comesAt = localTime(new Date(task.next_fire_at ?? 0), context.zone).slice(11, 16);
  return context.quietHours?.endsWith(comesAt) ? 'quiet hours' : 'pause';
}
