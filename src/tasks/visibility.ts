/**
 * Who sees a task: its owner, its assigner and, once the owner has accepted it, every member of its space. In a space,
 * the assigner and the members see it only while they and the owner are members: when somebody leaves, the rows change
 * in slices, but nobody keeps a say in between. An access token reaches only the tasks that its user owns. All code
 * that shows or changes a task uses this rule. It exists twice, as a function and as an SQL filter (`visibility.sql.ts`),
 * which must agree.
 *
 * A stand-in sees a task that has reached them, through routes of their own and for as long as the agreement counts:
 * agreed, both in its space, nobody suspended or deleted. That rule exists twice as well.
 */
import type { TaskCaller } from '../lib/caller.ts';

export interface SeenTask {
  readonly owner_id: string;
  readonly assigner_id: string | null;
  readonly space_id: string | null;
  readonly accepted_by_owner: boolean;
}

export type Relation = 'owner' | 'assigner' | 'member' | 'stand_in';

/** Undefined if the viewer does not see the task. `areMembers`: the viewer and the owner are in its space. */
export function relationTo(task: SeenTask, viewer: Viewer, areMembers: boolean): Relation | undefined {
  if (task.owner_id === viewer.userId) return 'owner';
  if (viewer.kind === 'token' || viewer.kind === 'stand_in') return undefined;
  if (task.assigner_id === viewer.userId) return task.space_id === null || areMembers ? 'assigner' : undefined;
  return task.space_id !== null && task.accepted_by_owner && areMembers ? 'member' : undefined;
}

/** Who may see the task and hears of its changes (`live/`): people by id, and the space for all its members. */
export function audienceOf({ owner_id, assigner_id, space_id, accepted_by_owner }: SeenTask): string[] {
  const audience = [owner_id];
  if (assigner_id !== null) audience.push(assigner_id);
  if (space_id !== null && accepted_by_owner) audience.push(space_id);
  return audience;
}

export type Viewer = Pick<TaskCaller, 'kind' | 'userId'>;

/** What an agreement to stand in depends on. */
export interface StandInFacts {
  readonly isAgreed: boolean;
  /** Both are in the space that it was made in. */
  readonly areMembers: boolean;
  /** One of the two is suspended or deleted. */
  readonly isAnyoneGone: boolean;
}

export const countsAsStandIn = ({ isAgreed, areMembers, isAnyoneGone }: StandInFacts): boolean =>
  isAgreed && areMembers && !isAnyoneGone;

/** Whether the stand-in sees the task: its present run has reached them, or they are still shown who settled it. */
export const seesAsStandIn = (
  facts: StandInFacts,
  task: { readonly run: number },
  reached: { readonly run: number; readonly settled_at: Date | null } | undefined,
): boolean =>
  countsAsStandIn(facts) && reached !== undefined && (reached.run === task.run || reached.settled_at !== null);
