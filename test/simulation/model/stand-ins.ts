/** Who is told of a task besides its owner, written from the design and not from the code. */
import type { ModelTask } from './task.ts';

export interface StandIn {
  readonly id: string;
  readonly owner: string;
  readonly person: string;
  readonly space: string;
  /** One task, or one label, or with neither everything. */
  readonly task: string | null;
  readonly label: string | null;
  /** Null leaves the person out of the task. */
  readonly fromRung: number | null;
  readonly hasAgreed: boolean;
  readonly passesQuietHours: boolean;
}

export type Scope = Pick<StandIn, 'owner' | 'person' | 'task' | 'label'>;

/** That a task has come to a stand-in. */
export interface Reached {
  readonly standIn: string;
  readonly run: number;
  /** The occurrence that they were told of, as its due instant. */
  readonly occurrence: number | null;
  readonly snoozedUntil: number | null;
  readonly settledAt: number | null;
}

const MOST_TOLD = 5;

type Labelled = Pick<ModelTask, 'id' | 'owner' | 'label' | 'ownersLabel'>;

function fits({ owner, task, label }: Scope, about: Labelled): boolean {
  if (owner !== about.owner) return false;
  return task === null ? label === null || label === (about.ownersLabel ?? about.label) : task === about.id;
}

const widthOf = ({ task, label }: Scope): number => (task !== null ? 0 : label !== null ? 1 : 2);

/** For each person, the narrowest that they have agreed to, unless they are left out. */
export function standInsOf(task: Labelled, all: readonly StandIn[]): StandIn[] {
  const chosen = all.filter((one) => (one.hasAgreed || one.fromRung === null) && fits(one, task));
  return [...Map.groupBy(chosen, ({ person }) => person).values()]
    .map((own) => own.reduce((best, one) => (widthOf(one) < widthOf(best) ? one : best)))
    .filter(({ fromRung }) => fromRung !== null)
    .sort((a, b) => Number(a.fromRung) - Number(b.fromRung) || (a.id < b.id ? -1 : 1))
    .slice(0, MOST_TOLD);
}

/** What was agreed to covers the same or something narrower, in the same space, from the same rung or a later one. */
export function isAgreedAlready(
  wanted: Scope & Pick<StandIn, 'space' | 'fromRung'>,
  task: Labelled | undefined,
  all: readonly StandIn[],
): boolean {
  const covers = (one: StandIn) =>
    isSameScope(one, wanted) || (one.task === null && (task ? fits(one, task) : one.label === null));
  return all.some(
    (one) =>
      one.hasAgreed &&
      one.fromRung !== null &&
      wanted.fromRung !== null &&
      one.owner === wanted.owner &&
      one.person === wanted.person &&
      one.space === wanted.space &&
      one.fromRung <= wanted.fromRung &&
      covers(one),
  );
}

export const isSameScope = (a: Scope, b: Scope): boolean =>
  a.owner === b.owner && a.person === b.person && a.task === b.task && a.label === b.label;

/** Those who are told of this nudge: it is of their rung or a later one, and they have not silenced the task. */
export const toldBy = (
  task: ModelTask,
  nudge: { readonly stage: number; readonly at: number },
  all: readonly StandIn[],
  reachedOf: (person: string) => Reached | undefined,
): StandIn[] =>
  nudge.stage < 0
    ? []
    : standInsOf(task, all).filter(({ person, fromRung }) => {
        const reached = reachedOf(person);
        const isSnoozed = reached?.run === task.run && (reached.snoozedUntil ?? 0) > nudge.at;
        return task.step >= Number(fromRung) && !isSnoozed;
      });
