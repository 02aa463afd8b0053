import { callerOf } from '../actions.ts';
import type { Invariant } from '../invariant.ts';
import { overdueAt } from '../model/task.ts';
import type { Person } from '../person.ts';
import type { World } from '../world.ts';

/** The statistics equal a recount. */
export const invariant: Invariant = {
  name: 'statistics',
  end: async (world) => {
    for (const person of world.people.values()) {
      const problem = person.isGone ? undefined : await findMiscount(world, person);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
};

export async function findMiscount(world: World, person: Person): Promise<string | undefined> {
  const answer = await world.call(({ statistics }) => statistics.getStatistics(callerOf(person)));
  if (answer === 'no answer') return undefined;
  if ('refusal' in answer) return `The statistics were refused: ${answer.refusal}.`;
  world.nudgeLog.catchUp({ id: '', nudge_count: 0 });
  const open = [...world.tasks.values()].filter((task) => task.owner === person.id && task.isOpen);
  // Tasks that a follow-up will drop may be counted or not.
  if (open.some(({ id }) => world.corrections.unsettled.has(id))) return undefined;
  const done = person.outcomes.filter(({ kind }) => kind === 'done');
  const seconds = done.reduce((sum, outcome) => sum + outcome.seconds, 0);
  const wanted = {
    open: open.length,
    done: done.length,
    skipped: person.outcomes.length - done.length,
    nudges_sent: person.nudges,
    overdue: open.filter((task) => (overdueAt(task, person.settings) ?? Number.POSITIVE_INFINITY) <= world.now).length,
    snoozed: open.filter(({ snoozedUntil }) => (snoozedUntil ?? 0) > world.now).length,
    avg_hours_to_complete: done.length === 0 ? null : seconds / done.length / 3_600,
  };
  // After a change of the zone, slices store the new ends of days one after another.
  const isReplanning =
    world.query("select id from follow_ups where kind = 'replan' and user_id = ?", person.id).length > 0;
  for (const [name, count] of Object.entries(wanted)) {
    const counted = answer.value[name as keyof typeof wanted];
    if (counted !== count && !(name === 'overdue' && isReplanning))
      return `The statistics of ${person.name} say ${name} ${counted}, and a recount says ${count}.`;
  }
  return undefined;
}
