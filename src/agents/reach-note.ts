/** What tools say where a reminder that they name would reach nobody. Silent where all is well. */
import { type Api, taskPath } from './api.ts';
import { shortMinute, type TimeContext } from './format-time.ts';

export interface ApiForecast {
  readonly at: string;
  readonly wanted_at: string;
  readonly stage: number;
  readonly holds: readonly string[];
  readonly via: readonly string[];
  readonly unreached: string | null;
  readonly falls: readonly { readonly at: string; readonly via: readonly string[] }[];
}

interface ReachNote {
  readonly text: string;
  readonly fields: { readonly unreachable: string; readonly unreached_stages?: readonly number[] };
}

interface Reader extends TimeContext {
  readonly api: Api;
  readonly canRead: boolean;
}

interface NamedTask {
  readonly id: string;
  readonly status: string;
  readonly next_fire_at: string | null;
}

/** A heads-up, and every stage of the ladder. */
const EVERY_STAGE = 6;

/** Undefined if nothing is ahead, and for a token that cannot read. */
export async function readForecast(agent: Reader, task: NamedTask): Promise<readonly ApiForecast[] | undefined> {
  const isAhead = task.status === 'open' && task.next_fire_at !== null;
  if (!agent.canRead || !isAhead) return undefined;
  return (await agent.api<ApiForecast[]>({ url: taskPath(task.id, `/forecast?limit=${EVERY_STAGE}`) })).data;
}

/** Undefined if every one of these reminders reaches the user. */
export function noteOn(forecast: readonly ApiForecast[], { zone }: TimeContext): ReachNote | undefined {
  const silent = forecast.filter(({ unreached }) => unreached !== null);
  const unreachable = silent[0]?.unreached;
  if (!silent[0] || !unreachable) return undefined;
  const heard = forecast.filter(({ unreached }) => unreached === null);
  const heardStages = new Set(heard.map(({ stage }) => stage));
  const stages = [...new Set(silent.map(({ stage }) => stage))].filter((stage) => !heardStages.has(stage));
  const isAlways = heard.length === 0;
  const inZone = (nudge: ApiForecast) => shortMinute(nudge.at, zone);
  const where = isAlways ? '' : ` at stage ${stages.join(', ')}`;
  // Another day brings new messages, so this reason holds for some hours and not for a stage.
  const silence =
    unreachable === 'enough_today'
      ? `From ${inZone(silent[0])} on no reminder reaches the user for a while`
      : `No reminder reaches the user${where}`;
  const first = heard[0] && silent[0] === forecast[0] ? ` The first to arrive is ${inZone(heard[0])}.` : '';
  return {
    text: `${silence}: ${reasonInWords(unreachable)}.${first}`,
    fields: { unreachable, ...(!isAlways && { unreached_stages: stages }) },
  };
}

/** For lists, which name many reminders. */
export async function readReachOfUser(agent: Reader): Promise<ReachNote['fields'] | undefined> {
  if (!agent.canRead) return undefined;
  const { data } = await agent.api<{ reason: string | null; unreached_stages: readonly number[] }>({
    url: '/v1/channels',
  });
  const { reason, unreached_stages } = data;
  if (reason !== null) return { unreachable: reason };
  return unreached_stages.length === 0 ? undefined : { unreachable: 'other_stages', unreached_stages };
}

export const unreachedInWords = (reason: string): string =>
  `No reminder reaches the user at present: ${reasonInWords(reason)}. The user changes that in the app, under ` +
  '"What reaches you".';

const reasonInWords = (reason: string): string => UNREACHED[reason] ?? reason;

const UNREACHED: Readonly<Record<string, string>> = {
  nothing_set_up: 'no device or channel is set up',
  other_stages: 'what is set up is for other stages',
  enough_today: 'enough messages about this task were sent in the 24 hours before',
  not_confirmed: 'no channel is confirmed yet',
  switched_off: 'everything is switched off',
  mail_paused: 'mail, the only channel, waits until the user opens the app',
  not_working: 'what is set up does not work any more',
  not_configured: 'this service does not offer what is set up',
};
