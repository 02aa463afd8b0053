/** What people do in apps that sync by CalDAV, and how the model follows. */
import { listOfSpace, spaceOfList } from '../../src/caldav/paths.ts';
import { accept, nudgedUpTo, resolveLostAnswer } from './actions.ts';
import { copiesOf, fetchAll, fetchOne, isClear, isShown, keep, lose, unchanged, zoneOf } from './app-copies.ts';
import { ask, callerOf, NO_PRECONDITION, statusOf } from './app-requests.ts';
import { type Stage, stagesOf } from './app-stages.ts';
import {
  type App,
  type AppChange,
  type Copy,
  type DoneForm,
  type Draft,
  detachedCopy,
  dueOfText,
  factsOf,
  factsOfTask,
  formsOf,
  isAllDay,
  isSame,
  labelOfText,
  laterSeries,
  ruleOfText,
  tell,
  textAfter,
} from './apps.ts';
import { isStoredAs } from './compare.ts';
import { act, dueAt, type ModelTask, type Result } from './model/task.ts';
import { newTask } from './steps/tasks.ts';
import { relationOf } from './visibility.ts';
import type { World } from './world.ts';

const PROMISE = 'apps';

/** The user of the app changes its copy, and nobody is told before it syncs. */
export function changeCopy(world: World, app: App, copy: Copy, change: AppChange): void {
  world.tell(`in ${app.name}: ${JSON.stringify(change)} of ${tell(factsOf(copy.text))}`);
  const uid = `${world.story.length}-${app.name}`.replaceAll(' ', '-');
  if (change.kind === 'done' && change.form === 'D' && formsOf(copy.text, zoneOf(world, app)).includes('A'))
    app.drafts.push(laterSeries(copy, uid, zoneOf(world, app)));
  if (change.kind === 'done' && change.form === 'A' && change.detaches) app.drafts.push(detachedCopy(copy, uid));
  keep(app, { ...copy, change });
}

/** Sends what was changed, then fetches what changed. Returns whether the service answered all of it. */
export async function sync(world: World, app: App): Promise<boolean> {
  world.tell(`${app.name} syncs`);
  for (const copy of copiesOf(app)) if (copy.change && !(await send(world, app, copy, copy.change))) return false;
  for (const draft of [...app.drafts]) if (!(await sendDraft(world, app, draft))) return false;
  return fetchAll(world, app);
}

async function send(world: World, app: App, had: Copy, change: AppChange, isRepeated = false): Promise<boolean> {
  const copy = { ...had, taskId: taskAt(world, app, had) };
  // The model cannot tell what follow-ups have done to it by now.
  if (!isClear(world, copy.taskId)) return true;
  // In another time zone the series may be told otherwise, so its user looks first.
  const isMoved = world.movedPeople.has(app.owner) && /due|done/.test(change.kind);
  if (!app.isStrict && !isRepeated && isMoved) return resolveConflict(world, app, copy, change, false);
  const expects = app.isStrict ? { mustBeNew: false, tags: [copy.tag] } : NO_PRECONDITION;
  const at = { list: copy.list, name: copy.name };
  const text = textAfter(copy, change, zoneOf(world, app));
  const before = world.tasks.get(copy.taskId);
  const askedMs = world.elapsedMs;
  const answer = await ask(world, async ({ caldavWriting }) => {
    if (change.kind === 'delete') await caldavWriting.delete(callerOf(app), at, expects);
    else await caldavWriting.put(callerOf(app), at, text, expects);
    return before && nudgedUpTo(world, before);
  });
  const status = statusOf(answer);
  world.tell(`  ${change.kind} of “${factsOf(copy.text).title}”: ${status ?? 'no answer'}`);
  switch (status) {
    case 400:
      return world.fail('answers', `An app sent what is right, and it was refused: ${JSON.stringify(answer)}.`);
    case 404:
      lose(app, copy);
      return true;
    case 409:
    case 412:
      return resolveConflict(world, app, copy, change, isRepeated);
    default:
      if (before && status === 200) world.nudgeLog.catchUp(nudgedUpTo(world, before));
      follow(world, app, { copy, change, text, askedMs, isAnswered: status === 200 });
      return status === 200;
  }
}

/** Another app may have put a new task there. */
function taskAt(world: World, { owner }: App, { name, taskId }: Copy): string {
  const [entry] = world.query('select task_id from caldav_entries where user_id = ? and name = ?', owner, name);
  return String(entry?.task_id ?? taskId);
}

interface SentChange {
  readonly copy: Copy;
  readonly change: AppChange;
  readonly text: string;
  readonly askedMs: number;
  readonly isAnswered: boolean;
}

/** The service has taken the change, or has died before it answered. */
function follow(world: World, app: App, sent: SentChange): void {
  const { copy, change, text, askedMs, isAnswered } = sent;
  const task = shownAt(world, copy);
  if (isAnswered && app.isStrict) checkKnown(world, app, copy, task);
  const stages = task ? stagesOf(world, app, copy, change) : [];
  const isTooLate = task !== undefined && change.kind === 'reopen' && stages.some((stage) => 'refusal' in stage(task));
  if (!task && change.kind === 'delete') return;
  if (!task || isTooLate) learnNew(world, app, { ...copy, text }, isAnswered);
  else if (isAnswered) followAnswer(world, app, task, sent, stages);
  else followLost(world, task, stages, askedMs);
  // What could not be opened again stays done here, and apps see the new one alone.
  if (task && (isAnswered ? isTooLate : isHidden(world, task))) world.hiddenFromApps.add(task.id);
}

/** The task, if apps see it in that list. */
function shownAt(world: World, { taskId, list }: Copy): ModelTask | undefined {
  const task = world.tasks.get(taskId);
  return task && isShown(world, task) && listOfSpace(task.space) === list ? task : undefined;
}

/** A strict app changes only what it has as it is. */
function checkKnown(world: World, { name }: App, { text }: Copy, task: ModelTask | undefined): void {
  const known = factsOf(text);
  if (!task || !isSame(known, factsOfTask(task)))
    world.fail(PROMISE, `${name} had an old copy of “${known.title}”, and its change was taken.`);
}

/** Whether an app has deleted it after it was done. Nothing of the task itself says so. */
const isHidden = (world: World, { id }: ModelTask): boolean =>
  world.query('select task_id from caldav_entries where task_id = ? and is_deleted', id).length > 0;

function followAnswer(world: World, app: App, task: ModelTask, { copy, change }: SentChange, stages: Stage[]): void {
  for (const stage of stages) {
    const result = stage(world.tasks.get(task.id) ?? task);
    if ('refusal' in result) world.fail('answers', `It should be refused with ${result.refusal}, and was done.`);
    accept(world, result);
  }
  const isDeleted = change.kind === 'delete';
  if (isDeleted && !task.isOpen) world.hiddenFromApps.add(task.id);
  else world.hiddenFromApps.delete(task.id);
  if (isDeleted) lose(app, copy);
  else keep(app, unchanged(copy));
  const loss = findLoss(world, task.id);
  if (loss !== undefined) world.fail(PROMISE, `${app.name} was told that it is stored: ${loss}`);
}

/** What of the model is not in the stored task. */
function findLoss(world: World, id: string): string | undefined {
  const [task, row] = [world.tasks.get(id), world.storedTask(id)];
  if (!task || !row) return 'the task is gone.';
  if (row.title !== task.title) return `the title is ${row.title}, and should be ${task.title}.`;
  if (row.status !== task.status) return `“${task.title}” is ${row.status}, and should be ${task.status}.`;
  const due = dueAt(task, world.settingsOf(task));
  if (task.hasTime && row.due_at !== due) return `“${task.title}” is due ${row.due_at}, and should be due ${due}.`;
  const stored = world.query('select count(*) as count from outcomes where task_id = ?', id)[0]?.count;
  const known = world.person(task.owner).outcomes.filter(({ taskId }) => taskId === id).length;
  return stored === known ? undefined : `“${task.title}” has ${stored} outcomes, and should have ${known}.`;
}

/** The process died before it answered. It has stored some of the stages, from the first one on. */
function followLost(world: World, task: ModelTask, stages: readonly Stage[], askedMs: number): void {
  const [only, ...more] = stages;
  if (!only) return;
  if (more.length === 0) {
    resolveLostAnswer(world, task.id, { person: world.person(task.owner), predict: only, relate: relationOf });
    return;
  }
  // A stage that waited for the database comes at a later moment than the ones before it, and nobody can tell at which.
  if (world.nudgeLog.waitingOf(task.id).length > 0 || world.elapsedMs !== askedMs) {
    world.giveUp();
    return;
  }
  const results: Extract<Result, { task: ModelTask }>[] = [];
  const isStored = () => {
    const outcomes = results.filter(({ added }) => added).length;
    return isStoredAs(world, results.at(-1)?.task ?? task, outcomes);
  };
  for (const stage of stages) {
    if (isStored()) break;
    const result = stage(results.at(-1)?.task ?? task);
    if ('refusal' in result) break;
    results.push(result);
  }
  if (!isStored()) world.fail('whole or not at all', `“${task.title}” was changed by halves when the process died.`);
  for (const result of results) accept(world, result);
}

/** Another one changed the task: the app fetches it, and its user does the same again if it still makes sense. */
async function resolveConflict(
  world: World,
  app: App,
  copy: Copy,
  change: AppChange,
  isRepeated: boolean,
): Promise<boolean> {
  const isPlanning = world.query('select user_id from follow_ups where user_id = ?', app.owner).length > 0;
  if (isRepeated && !isPlanning) world.fail(PROMISE, `${app.name} cannot change “${factsOf(copy.text).title}” at all.`);
  const fresh = await fetchOne(world, app, copy);
  if (fresh === 'no answer') return false;
  if (!fresh) {
    lose(app, copy);
    return true;
  }
  keep(app, fresh);
  const [before, now] = [factsOf(copy.text), factsOf(fresh.text)];
  const isStill = before.due === now.due && before.status === now.status && isPossible(world, app, fresh, change);
  const makesSense = change.kind === 'title' || isStill;
  return makesSense && !isRepeated ? send(world, app, fresh, change, true) : true;
}

/** Whether the app can say this of what it has. A series that it is not told of is moved otherwise. */
function isPossible(world: World, app: App, { taskId, text }: Copy, change: AppChange): boolean {
  if (change.kind === 'done') return change.form !== 'D' && formsOf(text, zoneOf(world, app)).includes(change.form);
  return change.kind !== 'due' || ruleOfText(text) !== null || world.tasks.get(taskId)?.rule === null;
}

/** A task that the service made because an app stored something at an address without one. */
function learnNew(world: World, app: App, { list, name, text }: Draft, isAnswered: boolean): void {
  const entry = world.query('select task_id from caldav_entries where user_id = ? and name = ?', app.owner, name)[0];
  const stored = world.query('select id, created_at from tasks where owner_id = ?', app.owner);
  const [made, ...more] = stored.filter(({ id }) => !world.tasks.has(String(id)));
  if (!made && !isAnswered) return;
  if (!made || more.length > 0 || made.id !== entry?.task_id)
    world.fail('whole or not at all', `${app.name} stored ${name}, and no task or a part of it is there.`);
  const [owner, due, isDone] = [world.person(app.owner), dueOfText(text), factsOf(text).status === 'done'];
  const drawn = {
    title: factsOf(text).title,
    space: spaceOfList(list),
    due,
    hasTime: due !== null && !isAllDay(text),
    leadDays: null,
    mode: 'escalate',
    isMustNotMiss: false,
    rule: due === null || isDone ? null : ruleOfText(text),
  } as const;
  const task = newTask(world, String(made.id), owner, owner, drawn, Number(made.created_at));
  world.learn({ ...task, label: labelOfText(text), ...(isDone && { status: 'done', isOpen: false }) });
  lose(app, { list, name });
}

async function sendDraft(world: World, app: App, draft: Draft): Promise<boolean> {
  const { list, name, text } = draft;
  // After a lost answer, an app without preconditions looks whether it is there.
  const known = app.isStrict ? undefined : await fetchOne(world, app, draft);
  if (known === 'no answer') return false;
  const expects = { ...NO_PRECONDITION, mustBeNew: app.isStrict };
  const answer = known
    ? undefined
    : await ask(world, ({ caldavWriting }) => caldavWriting.put(callerOf(app), { list, name }, text, expects));
  const status = answer && statusOf(answer);
  if (answer) world.tell(`  new “${factsOf(text).title}”: ${status ?? 'no answer'}`);
  if (status === 400) world.fail('answers', `An app sent a new task, and it was refused: ${JSON.stringify(answer)}.`);
  if (status === 200 || (answer && status === undefined)) learnNew(world, app, draft, status === 200);
  if (answer && status === undefined) return false;
  app.drafts.splice(app.drafts.indexOf(draft), 1);
  return true;
}

type Said = readonly [app: App, copy: Copy, form: DoneForm];

/** Both apps say at once that the same occurrence is done. It is done once. */
export async function doneAtOnce(world: World, task: ModelTask, both: readonly Said[]): Promise<void> {
  world.tell(`both apps say at once that “${task.title}” is done`);
  const askedMs = world.elapsedMs;
  const answers = await Promise.all(
    both.map(([app, copy, form]) =>
      ask(world, async ({ caldavWriting }) => {
        const done = textAfter(copy, { kind: 'done', form, dates: 1 }, zoneOf(world, app));
        const expects = app.isStrict ? { mustBeNew: false, tags: [copy.tag] } : NO_PRECONDITION;
        await caldavWriting.put(callerOf(app), { list: copy.list, name: copy.name }, done, expects);
        return nudgedUpTo(world, task);
      }),
    ),
  );
  const statuses = answers.map(statusOf);
  world.tell(`  answers: ${statuses.join(', ')}`);
  const predict: Stage = (current) => act(current, { name: 'complete' }, 'owner', world.settingsOf(current), world.now);
  if (world.giveUpIfLate(askedMs)) return;
  if (statuses.includes(undefined))
    return resolveLostAnswer(world, task.id, { person: world.person(task.owner), predict, relate: relationOf });
  if (!statuses.includes(200)) return world.fail('answers', `Neither of two apps could complete “${task.title}”.`);
  world.nudgeLog.catchUp(nudgedUpTo(world, task));
  const result = predict(world.tasks.get(task.id) ?? task);
  if ('refusal' in result) return world.fail('answers', `It should be refused with ${result.refusal}, and was done.`);
  accept(world, result);
  world.hiddenFromApps.delete(task.id);
  const loss = findLoss(world, task.id);
  if (loss !== undefined) world.fail(PROMISE, `Two apps said at once that it is done: ${loss}`);
}
