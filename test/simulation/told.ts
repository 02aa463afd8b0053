/** Whom a push about a task may go to, and whose holds it obeys: its owner's, or a stand-in's. */
import type { Platform } from '../../src/push/gateway.ts';
import type { StandIn } from './model/stand-ins.ts';
import type { ModelTask } from './model/task.ts';
import type { Person } from './person.ts';
import type { World } from './world.ts';

/** Whether this person may be told of the task as a stand-in now, there: a phone shows only what its person can read. */
export function mayBeTold(world: World, person: string, task: ModelTask, platform: Platform | undefined): boolean {
  if (world.standIns.isChanging(task.owner) || world.corrections.loose.has(task.id)) return true;
  const standIn = world.standIns.standsIn(person, task);
  if (!standIn || task.step - 1 < Number(standIn.fromRung)) return isSame(world.endedMs.get(task.id), world);
  if (world.standIns.isSnoozed(person, task)) return false;
  return platform === undefined || canRead(world, person, task, platform);
}

const isSame = (ms: number | undefined, world: World): boolean => ms === world.elapsedMs;

export function canRead(world: World, person: string, task: ModelTask, platform: Platform): boolean {
  if (platform === 'web' || isSame(world.placesChangedMs, world)) return true;
  const members = task.space === null ? undefined : world.spaces.get(task.space);
  return Boolean(members?.has(person) && members.has(task.owner));
}

/** The task as it is for this person: it passes a stand-in's quiet hours only if they agreed to exactly that. */
export function holdsOf(world: World, id: string, task: ModelTask): { person: Person; asTold: ModelTask } {
  const person = world.person(id);
  return id === task.owner
    ? { person, asTold: task }
    : { person, asTold: forStandIn(task, world.standIns.standsIn(id, task)) };
}

export const forStandIn = (task: ModelTask, standIn: StandIn | undefined): ModelTask => ({
  ...task,
  isMustNotMiss: task.isMustNotMiss && standIn?.passesQuietHours === true,
  ringsAnywayAt: null,
});
