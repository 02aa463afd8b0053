/**
 * Who is told of a task if its owner does not react, and from which rung on. Pure.
 *
 * An owner asks a person for one task, for a label, or for everything; of several that fit, the narrowest counts. A
 * person who has not agreed counts for nothing. For one task the owner can also leave a person out, which asks nobody.
 * `visibility.ts` says what else has to be so: both in the space, nobody suspended or deleted.
 */
import type { Selectable } from 'kysely';
import type { Database } from '../../db/schema.ts';
import type { Task } from '../task-state.ts';

export type StandIn = Selectable<Database['stand_ins']>;
type Scope = Pick<StandIn, 'task_id' | 'label'>;
type Choice = Scope & Pick<StandIn, 'id' | 'person_id' | 'from_rung' | 'agreed_at'>;

/** Of one owner, over all tasks. */
export const MOST_STAND_INS = 100;
/** Of those, how many ask a person who has not answered. */
export const MOST_ASKED = 20;
/** Of one task: more people would not be told, but a crowd. */
export const MOST_PER_TASK = 5;
export const LAST_RUNG = 100;

export const isExcluded = ({ from_rung }: Pick<StandIn, 'from_rung'>): boolean => from_rung === null;

export function stateOf(one: Pick<StandIn, 'from_rung' | 'agreed_at'>): 'asked' | 'agreed' | 'left_out' {
  if (isExcluded(one)) return 'left_out';
  return one.agreed_at === null ? 'asked' : 'agreed';
}

/** Somebody else's change of a label tells nobody: the label is the one that chooses the ladder. */
const labelOf = ({ kind, ladder_label }: Pick<Task, 'kind' | 'ladder_label'>): string => ladder_label ?? kind;

const widthOf = ({ task_id, label }: Scope): number => (task_id !== null ? 0 : label !== null ? 1 : 2);

const fits = (scope: Scope, task: Pick<Task, 'id' | 'kind' | 'ladder_label'>): boolean =>
  scope.task_id !== null ? scope.task_id === task.id : scope.label === null || scope.label === labelOf(task);

/** One for each person who is told of the task, from its `from_rung` on. `all` are the stand-ins of its owner. */
export function standInsFor<S extends Choice>(
  task: Pick<Task, 'id' | 'kind' | 'ladder_label'>,
  all: readonly S[],
): (S & { readonly from_rung: number })[] {
  const counting = all.filter((one) => (one.agreed_at !== null || isExcluded(one)) && fits(one, task));
  const byPerson = Map.groupBy(counting, ({ person_id }) => person_id);
  const narrowest = [...byPerson.values()].flatMap(
    (ofPerson) => ofPerson.toSorted((a, b) => widthOf(a) - widthOf(b))[0] ?? [],
  );
  return narrowest
    .filter((one): one is S & { from_rung: number } => one.from_rung !== null)
    .toSorted((a, b) => a.from_rung - b.from_rung || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_PER_TASK);
}

/**
 * Whether the person has agreed to as much already, for something wider in the same space: nobody needs to be asked
 * again.
 */
export function isCovered(
  wanted: Scope & Pick<StandIn, 'person_id' | 'space_id'> & { readonly from_rung: number },
  task: Pick<Task, 'id' | 'kind' | 'ladder_label'> | null,
  all: readonly StandIn[],
): boolean {
  const isWider = (one: StandIn) =>
    one.task_id === null && (one.label === null || (task !== null ? fits(one, task) : one.label === wanted.label));
  return all.some(
    (one) =>
      one.person_id === wanted.person_id &&
      one.space_id === wanted.space_id &&
      one.agreed_at !== null &&
      one.from_rung !== null &&
      isWider(one) &&
      wanted.from_rung >= one.from_rung,
  );
}

/**
 * What the owner may have chosen within an agreement without a question of its own. It ends with the agreement: one
 * press stops all of it. `tasks` are those that `all` names.
 */
export const chosenWithin = (
  ended: StandIn,
  all: readonly StandIn[],
  tasks: ReadonlyMap<string, Pick<Task, 'id' | 'kind' | 'ladder_label'>>,
): StandIn[] =>
  all.filter(({ from_rung, ...one }) => {
    if (one.id === ended.id || one.agreed_at === null || from_rung === null) return false;
    return isCovered({ ...one, from_rung }, tasks.get(one.task_id ?? '') ?? null, [ended]);
  });

/** The rung of the nudge that has just been sent, when the run has had this many. */
export const rungOf = (step: number): number => step - 1;
