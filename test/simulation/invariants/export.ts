import { callerOf } from '../actions.ts';
import { findUntruth } from '../compare.ts';
import type { Invariant } from '../invariant.ts';
import type { ModelTask } from '../model/task.ts';
import type { Person } from '../person.ts';
import type { Services } from '../process.ts';
import type { World } from '../world.ts';

interface Exported {
  readonly id: string;
  readonly title: string;
  readonly outcomes: readonly { readonly outcome: string; readonly occurrence_due_at: string | null }[];
  readonly timeline: readonly { readonly kind: string }[];
}

/** An export has every task of a person once, as it is, with each of its outcomes and nudges once. */
export const invariant: Invariant = {
  name: 'export',
  end: async (world) => {
    for (const [person] of world.comparedIn('export')) {
      const problem = await findLack(world, person);
      if (problem !== undefined) return `The export of ${person.name} ${problem}`;
    }
    return undefined;
  },
};

export async function exportOf({ exports }: Services, person: Person, isImportable: boolean): Promise<string> {
  const { text } = exports.begin(callerOf(person), '', { isImportable, charge: () => {} });
  return (await Array.fromAsync(text)).join('');
}

async function findLack(world: World, person: Person): Promise<string | undefined> {
  const answer = await world.call((services) => exportOf(services, person, false));
  if (answer === 'no answer') return undefined;
  if ('refusal' in answer) return `was refused: ${answer.refusal}.`;
  world.nudgeLog.catchUp({ id: '', nudge_count: 0 });
  const { tasks } = JSON.parse(answer.value).data as { readonly tasks: readonly Exported[] };
  const own = [...world.tasks.values()].filter(({ owner }) => owner === person.id);
  for (const task of own) {
    const [exported, second] = tasks.filter(({ id }) => id === task.id);
    if (!exported || second) return `has “${task.title}” ${second ? 'twice' : 'not at all'}.`;
    const problem = findUntrueField(world, task, exported) ?? findUntrueHistory(world, person, task, exported);
    if (problem !== undefined) return `is wrong: ${problem}`;
  }
  return tasks.length > own.length ? 'has a task too many.' : undefined;
}

/** The fields that are moments are texts in an export. */
function findUntrueField(world: World, task: ModelTask, exported: object): string | undefined {
  if (world.corrections.unsettled.has(task.id) || world.corrections.loose.has(task.id)) return undefined;
  const moments = Object.entries(exported).map(([name, value]) => [
    name,
    /_at$|_until$/.test(name) && typeof value === 'string' ? new Date(value) : value,
  ]);
  return findUntruth(world, task, { ...world.storedTask(task.id), ...Object.fromEntries(moments) });
}

function findUntrueHistory(
  world: World,
  { outcomes }: Person,
  { id, title }: ModelTask,
  exported: Exported,
): string | undefined {
  const instant = (at: string | null) => (at === null ? null : Date.parse(at));
  const shown = exported.outcomes.map((row) => `${row.outcome} ${instant(row.occurrence_due_at)}`).sort();
  const own = outcomes.filter(({ taskId }) => taskId === id);
  const wanted = own.map(({ kind, occurrence }) => `${kind} ${occurrence}`).sort();
  if (shown.join() !== wanted.join()) return `“${title}” has the outcomes ${shown} instead of ${wanted}.`;
  const nudges = exported.timeline.filter(({ kind }) => kind === 'nudge').length;
  const sent = world.query('select count(*) as count from sim_nudges where task_id = ?', id)[0]?.count;
  return nudges === sent ? undefined : `“${title}” has ${nudges} nudges instead of ${sent}.`;
}
