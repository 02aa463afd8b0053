/**
 * Who gets a leased delivery, by their own settings: the owner of the task, or a stand-in. Whether a person stands in is
 * asked again here, right before the sending: nobody is told who does not, or not any more.
 */
import type { Db } from '../db/schema.ts';
import type { PlanSettings } from '../escalation/plan-settings.ts';
import type { StandInFor } from '../push/gateway.ts';
import { listCounting, listMemberships } from '../tasks/stand-ins/stand-ins.store.ts';
import { rungOf, standInsFor } from '../tasks/stand-ins/stand-ins.ts';
import { type Delivery, listStandInPeople, type TaskToPush } from './outbox.store.ts';

export interface Recipient {
  readonly id: string;
  readonly settings: PlanSettings;
  /** Whether the task passes this person's quiet hours. */
  readonly mustNotMiss: boolean;
  /** Of the owner: the moment that they named. */
  readonly ringsAnywayAt: Date | null;
  /** Whether a delivery waits for the end of a suspension, because no later one comes. */
  readonly waitsForSuspension: boolean;
  readonly standInFor: StandInFor | null;
  /** A phone shows only what its person can read through the contract. */
  readonly readsTask: boolean;
}

/** Undefined for somebody who is neither the owner nor stands in. */
export type FindRecipient = (delivery: Delivery, task: TaskToPush) => Recipient | undefined;

export async function findRecipients(
  db: Db,
  deliveries: readonly Delivery[],
  tasks: ReadonlyMap<string, TaskToPush>,
): Promise<FindRecipient> {
  const others = deliveries.flatMap((delivery) => {
    const task = tasks.get(delivery.task_id);
    return task && task.owner_id !== delivery.recipient_id && delivery.kind === 'nudge' ? [{ delivery, task }] : [];
  });
  if (others.length === 0) return ofOwner;
  const ownerIds = [...new Set(others.map(({ task }) => task.owner_id))];
  const personIds = [...new Set(others.map(({ delivery }) => delivery.recipient_id))];
  const counting = Map.groupBy(await listCounting(db, ownerIds), ({ owner_id }) => owner_id);
  const people = new Map(
    (await listStandInPeople(db, [...personIds, ...ownerIds])).map((person) => [person.id, person]),
  );
  const spaceIds = [...new Set(others.flatMap(({ task }) => task.space_id ?? []))];
  const memberships = await listMemberships(db, spaceIds, [...personIds, ...ownerIds]);
  return (delivery, task) => {
    const owner = ofOwner(delivery, task);
    if (owner) return owner;
    const told = standInsFor(task, counting.get(task.owner_id) ?? []);
    const standIn = told.find(({ person_id }) => person_id === delivery.recipient_id);
    const settings = people.get(delivery.recipient_id);
    // The owner may have asked for a later rung since the nudge.
    if (!standIn || !settings || standIn.from_rung > rungOf(task.step)) return undefined;
    const isIn = (id: string) => task.space_id !== null && memberships.has(`${task.space_id} ${id}`);
    return {
      id: settings.id,
      settings,
      mustNotMiss: task.break_quiet_hours && standIn.passes_quiet_hours,
      ringsAnywayAt: null,
      waitsForSuspension: false,
      standInFor: { name: people.get(task.owner_id)?.display_name ?? null, isEither: standIn.from_rung === 0 },
      readsTask: isIn(task.owner_id) && isIn(delivery.recipient_id),
    };
  };
}

const ofOwner: FindRecipient = ({ recipient_id }, task) =>
  recipient_id === task.owner_id
    ? {
        id: task.owner_id,
        settings: task,
        mustNotMiss: task.break_quiet_hours,
        ringsAnywayAt: task.rings_anyway_at,
        waitsForSuspension: task.mode !== 'escalate',
        standInFor: null,
        readsTask: true,
      }
    : undefined;
