/** How a person asks the service to change a task, and how the model follows. */
import type { ShownTask as Task } from '../../src/tasks/shown-tasks.store.ts';
import { findUntruth, isStoredAs } from './compare.ts';
import type { HeadsUp } from './model/ladder.ts';
import {
  type Action,
  type Actor,
  act,
  chooseLadder,
  climb,
  type Edit,
  edit,
  endSnooze,
  type ModelTask,
  type Result,
  ringAnyway,
  setHeadsUps,
  withLabel,
} from './model/task.ts';
import type { Person } from './person.ts';
import type { Answer, Services } from './process.ts';
import type { Random } from './random.ts';
import { relationOf, visibleTasks } from './visibility.ts';
import type { World } from './world.ts';

/** The one session of the person has the id of the person. */
export const callerOf = ({ id }: Pick<Person, 'id'>) =>
  ({ kind: 'session', userId: id, sessionId: id, provenAt: new Date(0) }) as const;

/** A task that the person sees, or now and then one that they do not. */
export function pickTask(world: World, person: Person, random: Random, isOpen = false): ModelTask | undefined {
  const all = [...world.tasks.values()].filter((task) => !isOpen || task.isOpen);
  const seen = visibleTasks(world, person.id).filter((task) => !isOpen || task.isOpen);
  const own = seen.filter(({ owner }) => owner === person.id);
  const choices = random.chance(0.1) ? all : random.chance(0.3) ? seen : own;
  return choices.length > 0 ? random.pick(choices) : undefined;
}

/** Moves to just before, at, or just after the next nudge of the task, if that is soon. Races are found there. */
export async function meetNudge(world: World, task: ModelTask, random: Random): Promise<void> {
  const at = world.expected.get(task.id)?.at;
  const waitMs = at === undefined ? 0 : at - world.now;
  if (waitMs <= 0 || waitMs > 6 * 3_600_000 || random.chance(0.5)) return;
  await world.pass(world.clocks.realMs(waitMs) + random.pick([-1, 0, 0, 1, 30]));
}

export async function doAction(world: World, person: Person, task: ModelTask, action: Action): Promise<void> {
  const until = action.until === undefined ? '' : ` until ${new Date(action.until).toISOString()}`;
  const named = action.occurrence === undefined ? '' : ', naming the occurrence of the notification';
  const request = {
    name: action.name,
    ...(action.until !== undefined && { until: new Date(action.until).toISOString() }),
    ...(action.occurrence !== undefined && {
      occurrenceDueAt: action.occurrence === null ? null : new Date(action.occurrence).toISOString(),
    }),
    ...(action.batch !== undefined && { batchId: action.batch }),
  };
  await change(
    world,
    person,
    task.id,
    `${action.name} “${task.title}”${until}${named}`,
    ({ tasks }) => tasks.act(callerOf(person), task.id, request),
    (current, actor) => act(current, action, actor, world.settingsOf(current), world.now),
  );
}

/** Two requests at once, of which one takes effect. Each names the occurrence, so that it is closed once. */
export async function doTwice(world: World, person: Person, task: ModelTask, action: Action): Promise<void> {
  world.tell(`${person.name} asks twice at once to ${action.name} “${task.title}”`);
  const occurrenceDueAt = action.occurrence == null ? null : new Date(action.occurrence).toISOString();
  const request = ({ tasks }: Services) => tasks.act(callerOf(person), task.id, { name: action.name, occurrenceDueAt });
  const askedMs = world.elapsedMs;
  const answers = await Promise.all([world.call(request), world.call(request)]);
  const rows = answers.flatMap((answer) => (answer !== 'no answer' && 'value' in answer ? [answer.value] : []));
  const [row] = rows;
  if (world.giveUpIfLate(askedMs)) return;
  if (answers.includes('no answer'))
    return resolveLostAnswer(world, task.id, {
      person,
      predict: (current, actor) => act(current, action, actor, world.settingsOf(current), world.now),
      relate: relationOf,
    });
  if (!row) return world.fail('answers', 'Of two equal requests, neither was done.');
  world.nudgeLog.catchUp(row);
  const current = world.tasks.get(task.id) ?? task;
  const result = act(current, action, 'owner', world.settingsOf(current), world.now);
  if ('refusal' in result) return world.fail('answers', `It should be refused with ${result.refusal}, and was done.`);
  accept(world, result);
  for (const one of rows) {
    const untruth = findUntruth(world, result.task, one);
    if (untruth !== undefined) world.fail('answers are true', untruth);
  }
}

export async function doEdit(world: World, person: Person, task: ModelTask, change_: Edit): Promise<void> {
  const { due, isMustNotMiss, leadDays, space, label, ...same } = change_;
  const input = {
    ...same,
    ...(due !== undefined && { due_at: writtenDue(due, task.hasTime) }),
    ...(isMustNotMiss !== undefined && { break_quiet_hours: isMustNotMiss }),
    ...(leadDays !== undefined && { lead_time_days: leadDays }),
    ...(space !== undefined && { space_id: space }),
    ...(label !== undefined && { kind: label }),
  };
  await change(
    world,
    person,
    task.id,
    `edit “${task.title}”: ${JSON.stringify(input)}`,
    ({ tasks }) => tasks.update(callerOf(person), task.id, input),
    (current, actor) => {
      const refusal = refusalOfEdit(world, person, current, actor, change_);
      if (refusal !== undefined) return { refusal };
      const result = relabelled(edit(current, change_, world.settingsOf(current), world.now), label, actor);
      if (label !== undefined) world.ladderChangedMs.set(task.id, world.elapsedMs);
      if ('refusal' in result || !losesAssigner(world, current, space)) return result;
      return { task: { ...result.task, assigner: null } };
    },
  );
}

const relabelled = (result: Result, label: string | undefined, editor: Actor): Result =>
  'refusal' in result || label === undefined ? result : { ...result, task: withLabel(result.task, label, editor) };

/** What the request says, and what that is in the model. */
interface ChosenLadder {
  readonly given: Parameters<Services['taskLadders']['choose']>[2];
  readonly model: ModelTask['ladder'];
}

export async function doChooseLadder(
  world: World,
  person: Person,
  task: ModelTask,
  chosen: ChosenLadder | null,
  isFit: (current: ModelTask) => boolean,
): Promise<void> {
  world.ladderChangedMs.set(task.id, world.elapsedMs);
  const caller = callerOf(person);
  await change(
    world,
    person,
    task.id,
    `nudge about “${task.title}” by ${chosen ? JSON.stringify(chosen.given) : 'no ladder of its own'}`,
    async ({ taskLadders }) => {
      if (chosen) await taskLadders.choose(caller, task.id, chosen.given);
      else await taskLadders.unchoose(caller, task.id);
      return nudgedUpTo(world, task);
    },
    (current, actor) => chooseLadder(current, chosen?.model ?? null, actor, isFit(current)),
  );
}

export async function doSetHeadsUps(
  world: World,
  person: Person,
  task: ModelTask,
  headsUps: readonly HeadsUp[],
): Promise<void> {
  const caller = callerOf(person);
  await change(
    world,
    person,
    task.id,
    `be told of “${task.title}” ${JSON.stringify(headsUps)} before`,
    async ({ taskLadders }) => {
      await taskLadders.setHeadsUps(caller, task.id, headsUps);
      return nudgedUpTo(world, task);
    },
    (current, actor) => setHeadsUps(current, headsUps, actor),
  );
}

/** In another space the assigner keeps a say as a member only, and outside of it never. */
function losesAssigner(world: World, task: ModelTask, space: string | null | undefined): boolean {
  if (space === undefined || space === task.space || task.assigner === null || !task.isAccepted) return false;
  return space === null || !world.spaces.get(space)?.has(task.assigner);
}

export async function doEndAssignment(world: World, person: Person, task: ModelTask): Promise<void> {
  await change(
    world,
    person,
    task.id,
    `end the say of the assigner of “${task.title}”`,
    ({ tasks }) => tasks.endAssignment(callerOf(person), task.id),
    (current, actor) => (actor === 'owner' ? { task: { ...current, assigner: null } } : { refusal: 'not_allowed' }),
  );
}

export async function doRingAnyway(world: World, person: Person, task: ModelTask, at: number | null): Promise<void> {
  const moment = at === null ? null : new Date(at).toISOString();
  await change(
    world,
    person,
    task.id,
    moment === null ? `hold “${task.title}” as usual` : `let “${task.title}” ring anyway at ${moment}`,
    ({ tasks }) => tasks.ringAnyway(callerOf(person), task.id, moment),
    (current, actor) => ringAnyway(current, at, actor, world.settingsOf(current), world.now),
  );
}

export async function doEndSnooze(world: World, person: Person, task: ModelTask): Promise<void> {
  await change(
    world,
    person,
    task.id,
    `take back the snooze of “${task.title}”`,
    ({ tasks }) => tasks.endSnooze(callerOf(person), task.id),
    (current) => endSnooze(current, world.now),
  );
}

function refusalOfEdit(
  world: World,
  person: Person,
  task: ModelTask,
  editor: Actor,
  change_: Edit,
): string | undefined {
  const { space, isMustNotMiss } = change_;
  const isRestricted = editor !== 'owner' && task.isAccepted;
  if (space !== undefined && space !== task.space) {
    const refusal = refusalOfMove(world, person, task, editor, space);
    if (refusal !== undefined) return refusal;
  }
  const isLouder = isMustNotMiss === true && !task.isMustNotMiss && task.isOpen;
  return isLouder && isRestricted ? 'not_allowed' : undefined;
}

/** Only the owner moves an accepted task, or takes a request out of its space. */
function refusalOfMove(world: World, person: Person, task: ModelTask, editor: Actor, space: string | null) {
  if (editor !== 'owner' && (task.isAccepted || space === null)) return 'not_allowed';
  const members = space === null ? undefined : world.spaces.get(space);
  if (!members) return undefined;
  if (!members.has(person.id)) return 'not_found';
  const others = [task.owner, task.isAccepted ? task.owner : (task.assigner ?? task.owner)];
  return others.every((id) => members.has(id)) ? undefined : 'not_allowed';
}

export const writtenDue = (due: number, hasTime: boolean): string =>
  hasTime ? new Date(due).toISOString() : new Date(due).toISOString().slice(0, 19);

/** An answer that does not show the task says how many nudges it had then. */
type Nudged = Pick<Task, 'id' | 'nudge_count'>;

export const nudgedUpTo = (world: World, { id }: ModelTask): Nudged => ({
  id,
  nudge_count: Number(world.storedTask(id)?.nudge_count ?? 0),
});

type Predict = (task: ModelTask, editor: Actor) => Result;
/** What the person is to the task; undefined if they do not see it. */
type Relate = (world: World, personId: string, task: ModelTask) => Actor | 'member' | undefined;

/** How a request is resolved: who asks, and what it must do. */
interface Asked {
  readonly person: Person;
  readonly predict: Predict;
  readonly relate: Relate;
}

export async function change(
  world: World,
  person: Person,
  id: string,
  sentence: string,
  request: (services: Services) => Promise<Task | Nudged>,
  predict: Predict,
  relate: Relate = relationOf,
): Promise<void> {
  world.tell(`${person.name} asks to ${sentence}`);
  follow(world, id, await world.call(request), { person, predict, relate });
}

/** The model follows what was answered. */
export function follow(world: World, id: string, answer: Answer<Task | Nudged>, asked: Asked): void {
  if (answer === 'no answer') {
    resolveLostAnswer(world, id, asked);
    return;
  }
  if ('refusal' in answer) {
    world.tell(`  refused: ${answer.refusal}`);
    checkRefusal(world, id, answer.refusal, () => predictFor(world, world.tasks.get(id), asked));
    return;
  }
  const row = answer.value;
  world.nudgeLog.catchUp(row);
  const result = predictFor(world, world.tasks.get(id), asked);
  if ('refusal' in result) world.fail('answers', `It should be refused with ${result.refusal}, and was done.`);
  accept(world, result);
  const untruth = 'title' in row ? findUntruth(world, result.task, row) : undefined;
  if (untruth !== undefined) world.fail('answers are true', untruth);
}

/** A follow-up may have come before the request or after it. */
function checkRefusal(world: World, id: string, refusal: string, predict: () => Result): void {
  const before = predict();
  world.settle();
  const after = predict();
  if ([before, after].some((result) => 'refusal' in result && result.refusal === refusal)) return;
  // It may be about a nudge whose commit it shares, which the model does not know yet.
  const task = world.tasks.get(id);
  if (task && nudgedUpTo(world, task).nudge_count > task.nudges) return;
  if ('refusal' in after) world.fail('answers', `It was refused with ${refusal} instead of ${after.refusal}.`);
  world.fail('answers', `It was refused (${refusal}) and should be possible.`);
}

function predictFor(world: World, task: ModelTask | undefined, { person, predict, relate }: Asked): Result {
  const relation = task && relate(world, person.id, task);
  // The tasks of an account that is being deleted are hidden from every caller.
  if (!task || !relation || world.person(task.owner).isGone) return { refusal: 'not_found' };
  if (relation === 'member') return { refusal: 'not_allowed' };
  if (isLeftRequest(world, task)) return { refusal: 'task_closed' };
  return predict(task, relation);
}

/** A request of a space that its owner or its assigner has left. */
function isLeftRequest(world: World, task: ModelTask): boolean {
  if (task.space === null || task.assigner === null || task.isAccepted || task.status !== 'open') return false;
  const members = world.spaces.get(task.space);
  return !members?.has(task.owner) || !members.has(task.assigner);
}

export function accept(world: World, result: Extract<Result, { task: ModelTask }>): void {
  const owner = world.person(result.task.owner);
  if (result.added) owner.outcomes.push(result.added);
  if (result.withdrawn) owner.outcomes = owner.outcomes.filter((outcome) => outcome !== result.withdrawn);
  world.learn(result.task);
}

/** The process died before it answered: the change happened whole, or not at all. */
export function resolveLostAnswer(world: World, id: string, asked: Asked): void {
  world.tell('  no answer');
  const before = world.tasks.get(id);
  if (!before) return;
  const nudges = world.nudgeLog.waitingOf(id);
  const climbAll = (task: ModelTask) => nudges.reduce(climb, task);
  const changeIn = (task: ModelTask): Extract<Result, { task: ModelTask }> => {
    const result = predictFor(world, task, asked);
    return 'task' in result ? result : { task };
  };
  const isStored = ({ task, added, withdrawn }: Extract<Result, { task: ModelTask }>) =>
    isStoredAs(world, task, Number(added !== undefined) - Number(Boolean(withdrawn)));
  const nudgedFirst = changeIn(climbAll(before));
  const changedFirst = changeIn(before);
  const isUnchanged = isStored({ task: climbAll(before) });
  // While a task is being corrected, fewer columns are compared, and the change may be in the others.
  const isUnclear = world.corrections.loose.has(id) || world.corrections.unsettled.has(id);
  const mayBeChanged = nudgedFirst.task !== climbAll(before) && isStored(nudgedFirst);
  if (isUnclear && isUnchanged === mayBeChanged) {
    world.giveUp();
    return;
  }
  if (isUnchanged) return;
  if (isStored(nudgedFirst)) {
    world.nudgeLog.catchUp({ id, nudge_count: Number.POSITIVE_INFINITY });
    accept(world, changeIn(world.tasks.get(id) ?? before));
  } else if (isStored({ ...changedFirst, task: climbAll(changedFirst.task) })) accept(world, changedFirst);
  else world.fail('whole or not at all', `“${before.title}” was changed by halves when the process died.`);
}
