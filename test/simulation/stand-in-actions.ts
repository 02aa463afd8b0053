/** How people ask each other to stand in, and what stand-ins do; and how the model follows. */

import { standInCaller } from '../../src/tasks/stand-ins/reached-tasks.service.ts';
import { accept, callerOf, change, nudgedUpTo, resolveLostAnswer } from './actions.ts';
import { isAgreedAlready, type StandIn } from './model/stand-ins.ts';
import { type Action, act, type ModelTask } from './model/task.ts';
import type { Person } from './person.ts';
import type { Answer, Services } from './process.ts';
import { relationOf } from './visibility.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;

type Wanted = Pick<StandIn, 'person' | 'space' | 'task' | 'label' | 'fromRung'>;

/** Asks, or leaves somebody out of a task. */
export async function doAsk(world: World, owner: Person, wanted: Wanted): Promise<void> {
  const { person, space, task, label, fromRung } = wanted;
  const { standIns } = world;
  const about = task === null ? (label ?? 'everything') : `“${world.tasks.get(task)?.title}”`;
  const known = standIns.find({ owner: owner.id, ...wanted });
  const isAgreed = isAgreedAlready({ owner: owner.id, ...wanted }, world.tasks.get(task ?? ''), standIns.all);
  const answer = await ask(
    world,
    owner.id,
    `${owner.name} asks ${world.person(person).name} to stand in for ${about} from rung ${fromRung} on`,
    (services) =>
      services.standIns.ask(callerOf(owner), {
        person_id: person,
        space_id: space,
        ...(task !== null && { task_id: task }),
        ...(label !== null && { label }),
        from_rung: fromRung,
      }),
  );
  const id = answer === 'no answer' ? idOf(world, owner.id, wanted) : 'value' in answer ? answer.value.id : undefined;
  if (answer !== 'no answer' && 'refusal' in answer)
    return world.fail('answers', `Asking somebody to stand in was refused: ${answer.refusal}.`);
  if (id === undefined) return;
  const passesQuietHours = known?.passesQuietHours ?? false;
  follow(world, known, { id, owner: owner.id, ...wanted, hasAgreed: isAgreed, passesQuietHours });
}

const idOf = (world: World, owner: string, { person, task, label }: Wanted): string | undefined =>
  world.query(
    'select id from stand_ins where owner_id = ? and person_id = ? and task_id is ? and label is ?',
    ...([owner, person, task, label] as string[]),
  )[0]?.id as string | undefined;

export async function doAgree(world: World, person: Person, standIn: StandIn, passes: boolean): Promise<void> {
  const { id, owner, fromRung } = standIn;
  const sentence = `${person.name} agrees to stand in for ${world.person(owner).name}, passing quiet hours: ${passes}`;
  const answer = await ask(world, owner, sentence, async ({ standIns, standInLinks }) => {
    // The button of the message agrees to nothing more.
    if (passes) await standIns.agree(callerOf(person), id, true);
    else await standInLinks.answer(person.id, id, 'accept');
  });
  const refusal = fromRung === null ? 'not_found' : undefined;
  if (!isAnsweredBy(world, answer, refusal)) return;
  follow(world, standIn, { ...standIn, hasAgreed: true, passesQuietHours: passes });
}

/** Declines, stops, or takes the question back. */
export async function doEnd(world: World, person: Person, standIn: StandIn): Promise<void> {
  const { id, owner, fromRung } = standIn;
  const answer = await ask(world, owner, `${person.name} ends what was asked of a stand-in`, ({ standIns }) =>
    standIns.end(callerOf(person), id),
  );
  if (!isAnsweredBy(world, answer, fromRung === null && owner !== person.id ? 'not_found' : undefined)) return;
  if (world.query('select id from stand_ins where id = ?', id).length === 0) {
    for (const one of world.standIns.all.filter((other) => isChosenWithin(world, standIn, other)))
      world.standIns.end(one.id);
    world.standIns.end(id);
  } else if (answer !== 'no answer') world.fail('answers', 'A stand-in was ended, and is still stored.');
}

/** One press ends an agreement with what was chosen within it. */
const isChosenWithin = (world: World, ended: StandIn, one: StandIn): boolean =>
  one.id !== ended.id && one.hasAgreed && isAgreedAlready(one, world.tasks.get(one.task ?? ''), [ended]);

async function ask<T>(
  world: World,
  owner: string,
  sentence: string,
  request: (services: Services) => Promise<T>,
): Promise<Answer<T>> {
  world.tell(sentence);
  world.standIns.inFlight.add(owner);
  const answer = await world.call(request);
  world.standIns.inFlight.delete(owner);
  if (answer === 'no answer') world.tell('  no answer');
  return answer;
}

/** Whether it was done or may have been. */
function isAnsweredBy(world: World, answer: Answer<unknown>, refusal: string | undefined): boolean {
  if (answer === 'no answer') return refusal === undefined;
  const answered = 'refusal' in answer ? answer.refusal : undefined;
  if (answered !== refusal)
    world.fail('answers', `It should be ${refusal ?? 'done'}, and the answer was ${answered ?? 'done'}.`);
  return refusal === undefined;
}

/** The stored row is as it was, or as it should be now. */
function follow(world: World, before: StandIn | undefined, after: StandIn): void {
  const [row] = world.query('select * from stand_ins where id = ?', after.id);
  const isStored = (one: StandIn | undefined) =>
    one
      ? row?.from_rung === one.fromRung &&
        (row.agreed_at !== null) === one.hasAgreed &&
        Boolean(row.passes_quiet_hours) === one.passesQuietHours &&
        row.space_id === one.space
      : !row;
  if (isStored(after)) world.standIns.put(after);
  else if (!isStored(before)) world.fail('answers', `A stand-in is stored as ${JSON.stringify(row)}.`);
}

export type StandInAction = 'done' | 'seen' | 'snooze' | 'undo';

/** What a stand-in does in the app, or by the link of a message, which names the occurrence that they were told of. */
export async function doAsStandIn(
  world: World,
  person: Person,
  task: ModelTask,
  name: StandInAction,
  isLink: boolean,
): Promise<void> {
  // The message stays on their screen while the next occurrence comes.
  const [how, named] = isLink ? [' by a link', occurrenceSeen(world, person, task)] : [''];
  const sentence = `${name} “${task.title}” as a stand-in${how}`;
  if (name === 'done' || name === 'undo') return settle(world, person, task, name, named, sentence);
  const until = world.now + HOUR_MS;
  const answer = await ask(world, task.owner, `${person.name} asks to ${sentence}`, async (services) => {
    const caller = standInCaller(person.id);
    if (named !== undefined) await byLink(services, person, task, name, named);
    else if (name === 'seen') await services.reachedTasks.seen(caller, task.id);
    else await services.reachedTasks.snooze(caller, task.id, new Date(until));
  });
  world.nudgeLog.follow();
  const current = world.tasks.get(task.id) ?? task;
  const reached = world.standIns.seenBy(person.id, current);
  if (isLink && isOvertaken(world, task, answer)) return;
  const isClosed = name === 'snooze' && reached?.settledAt != null;
  const refusal = reached ? (isClosed ? 'task_closed' : undefined) : 'not_found';
  if (!isAnsweredBy(world, answer, refusal) || name === 'seen') return;
  const [row] = world.query(
    'select snoozed_until from stand_in_tasks where task_id = ? and person_id = ?',
    task.id,
    person.id,
  );
  if (row?.snoozed_until === until) world.standIns.snooze(task.id, person.id, until);
  else if (answer !== 'no answer' && world.nudgeLog.followed.get(task.id)?.at(-1)?.ms !== world.elapsedMs)
    world.fail('answers', `The snooze of a stand-in of “${task.title}” is not stored.`);
}

const occurrenceSeen = (world: World, { id }: Person, task: ModelTask): number | null =>
  world.standIns.seenBy(id, task)?.occurrence ?? null;

/** The nudge of the next occurrence came at the same moment, and was first. */
const isOvertaken = (world: World, task: ModelTask, answer: Answer<void>): boolean =>
  typeof answer === 'object' &&
  'refusal' in answer &&
  answer.refusal === 'occurrence_passed' &&
  isNudgedNow(world, task);

const isNudgedNow = (world: World, { id }: ModelTask): boolean =>
  world.nudgeLog.followed.get(id)?.at(-1)?.ms === world.elapsedMs;

/** Done is an outcome of the owner. Of a task that somebody else has settled, nothing more happens. */
function settle(
  world: World,
  person: Person,
  task: ModelTask,
  name: 'done' | 'undo',
  named: number | null | undefined,
  sentence: string,
): Promise<void> {
  let isTaken = false;
  return change(
    world,
    person,
    task.id,
    sentence,
    async (services) => {
      const caller = standInCaller(person.id);
      if (named !== undefined) await byLink(services, person, task, name, named);
      else if (name === 'done') await services.reachedTasks.complete(caller, task.id);
      else await services.reachedTasks.reopen(caller, task.id);
      isTaken = true;
      return nudgedUpTo(world, task);
    },
    (current) => {
      const isOther = named !== undefined && world.standIns.seenBy(person.id, current)?.occurrence !== named;
      if (!isOther) return settleAs(world, person, current, name);
      // The nudge of the next occurrence came right after it.
      return isTaken && name === 'done' && isNudgedNow(world, current)
        ? { task: current }
        : { refusal: 'occurrence_passed' };
    },
    (_world, id, current) => (world.standIns.seenBy(id, current) ? `stand-in ${id}` : undefined),
  );
}

function settleAs(world: World, { id }: Person, task: ModelTask, name: 'done' | 'undo') {
  const reached = world.standIns.seenBy(id, task);
  if (name === 'done' && reached?.settledAt != null) return { task };
  const action: Action = { name: name === 'done' ? 'complete' : 'reopen', occurrence: reached?.occurrence ?? null };
  return act(task, action, `stand-in ${id}`, world.settingsOf(task), world.now);
}

async function byLink(
  { standInLinks }: Services,
  { id: userId }: Person,
  task: ModelTask,
  name: StandInAction,
  named: number | null,
): Promise<void> {
  await standInLinks.act({ userId, via: 'ntfy' }, task.id, name, named === null ? null : new Date(named));
}

/** The owner and a stand-in press Done at the same moment: one outcome, by whoever was first. */
export async function doBoth(world: World, owner: Person, person: Person, task: ModelTask): Promise<void> {
  world.tell(`${owner.name} and ${person.name} complete “${task.title}” at once`);
  const occurrence = occurrenceSeen(world, person, task);
  const occurrenceDueAt = occurrence === null ? null : new Date(occurrence).toISOString();
  const askedMs = world.elapsedMs;
  const answers = await Promise.all([
    world.call(({ tasks }) => tasks.act(callerOf(owner), task.id, { name: 'complete', occurrenceDueAt })),
    world.call(({ reachedTasks }) => reachedTasks.complete(standInCaller(person.id), task.id)),
  ]);
  const predict = (current: ModelTask) => {
    const [row] = world.query('select settled_by from stand_in_tasks where task_id = ?', task.id);
    const by = row?.settled_by === person.id ? (`stand-in ${person.id}` as const) : 'owner';
    return act(current, { name: 'complete', occurrence }, by, world.settingsOf(current), world.now);
  };
  if (world.giveUpIfLate(askedMs)) return;
  if (answers.includes('no answer'))
    return resolveLostAnswer(world, task.id, { person: owner, predict, relate: relationOf });
  if (answers.every((answer) => 'refusal' in Object(answer))) {
    // The owner has moved to another zone, so both name an occurrence that has another moment by now.
    if ('refusal' in predict(world.tasks.get(task.id) ?? task)) return;
    return world.fail('answers', 'Of two equal requests, neither was done.');
  }
  world.nudgeLog.catchUp({ id: task.id, nudge_count: Number(world.storedTask(task.id)?.nudge_count ?? 0) });
  const result = predict(world.tasks.get(task.id) ?? task);
  if ('refusal' in result) return world.fail('answers', `It should be refused with ${result.refusal}, and was done.`);
  accept(world, result);
}
