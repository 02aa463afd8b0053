/**
 * Finds who is told of the tasks of a batch besides their owners. Phones get only what their person can read through
 * the contract, as a member of the task's space; browsers and channels get everything.
 */
import type { Db } from '../db/schema.ts';
import { listSnoozed } from '../tasks/stand-ins/reached-tasks.store.ts';
import { type CountingStandIn, listCounting, listMemberships } from '../tasks/stand-ins/stand-ins.store.ts';
import { standInsFor } from '../tasks/stand-ins/stand-ins.ts';
import type { Device } from './nudge-targets.store.ts';
import type { DueTask } from './sweep.store.ts';

type Told = CountingStandIn & { readonly from_rung: number };

export interface StandInTargets {
  readonly personIds: readonly string[];
  /** Those who are told of the task and have not snoozed it. */
  of(task: DueTask): readonly Told[];
  readableBy(task: DueTask, personId: string, devices: readonly Device[]): Device[];
}

const NOBODY: StandInTargets = { personIds: [], of: () => [], readableBy: () => [] };

export async function findStandInTargets(
  trx: Db,
  tasks: readonly DueTask[],
  ownerIds: readonly string[],
  now: Date,
): Promise<StandInTargets> {
  const counting = Map.groupBy(await listCounting(trx, ownerIds), ({ owner_id }) => owner_id);
  if (counting.size === 0) return NOBODY;
  const snoozes = await listSnoozed(
    trx,
    tasks.filter(({ owner_id }) => counting.has(owner_id)).map(({ id }) => id),
  );
  const snoozed = new Set(
    snoozes
      .filter(({ snoozed_until }) => snoozed_until !== null && snoozed_until > now)
      .map(({ task_id, person_id, run }) => `${task_id} ${person_id} ${run}`),
  );
  const isSnoozed = ({ id, run }: DueTask, personId: string) => snoozed.has(`${id} ${personId} ${run}`);
  const told = new Map(
    tasks.map((task) => {
      const all = standInsFor(task, counting.get(task.owner_id) ?? []);
      return [task.id, all.filter(({ person_id }) => !isSnoozed(task, person_id))];
    }),
  );
  const personIds = [...new Set([...told.values()].flat().map(({ person_id }) => person_id))];
  const spaceIds = tasks.flatMap(({ space_id }) => space_id ?? []);
  const memberships = await listMemberships(trx, [...new Set(spaceIds)], [...personIds, ...ownerIds]);
  const isIn = (spaceId: string, userId: string) => memberships.has(`${spaceId} ${userId}`);
  return {
    personIds,
    of: ({ id }) => told.get(id) ?? [],
    readableBy: ({ space_id, owner_id }, personId, devices) => {
      const reads = space_id !== null && isIn(space_id, personId) && isIn(space_id, owner_id);
      return devices.filter(({ platform }) => platform === 'web' || reads);
    },
  };
}
