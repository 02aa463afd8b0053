/** The heads-ups of a task as one list: the contract's `lead_time_days` is the first one in days. Pure. */
import type { HeadsUp } from '../../escalation/plan-nudge.ts';
import { InvalidInput } from '../../lib/errors.ts';
import { MOST_HEADS_UPS } from '../plan-task.ts';
import type { Task } from '../task-state.ts';

type Stored = Pick<Task, 'lead_time_days' | 'heads_ups'>;

export function headsUpsOf({ lead_time_days, heads_ups }: Stored): HeadsUp[] {
  const others: readonly HeadsUp[] = heads_ups === null ? [] : JSON.parse(heads_ups);
  return lead_time_days === null ? [...others] : [{ days: lead_time_days }, ...others];
}

/** What is sent twice counts once. */
export function readHeadsUps(given: readonly HeadsUp[]): Stored {
  const all = new Map(given.map((one, index) => readHeadsUp(one, index)).map((one) => [JSON.stringify(one), one]));
  const lead = all.values().find((one) => 'days' in one);
  const others = [...all.values()].filter((one) => one !== lead);
  if (others.length > MOST_HEADS_UPS)
    throw invalid(`A task has at most ${MOST_HEADS_UPS} heads-ups besides one in days`);
  return {
    lead_time_days: lead && 'days' in lead ? lead.days : null,
    heads_ups: others.length === 0 ? null : JSON.stringify(others),
  };
}

export function readHeadsUp(given: Partial<Record<'minutes' | 'hours' | 'days', number>>, index: number): HeadsUp {
  const { minutes, hours, days } = given;
  if ([minutes, hours, days].filter((one) => one !== undefined).length !== 1)
    throw invalid('Send one of minutes, hours and days', index);
  if (minutes !== undefined) return { minutes };
  return hours === undefined ? { days: days as number } : { hours };
}

const invalid = (msg: string, ...place: number[]) =>
  new InvalidInput({ type: 'value_error', loc: ['body', 'heads_ups', ...place], msg });
