/** How apps sync by CalDAV, and how the model follows. */
import { textOf } from '../../src/caldav/caldav-reading.service.ts';
import type { Preconditions } from '../../src/caldav/caldav-writing.service.ts';
import { DavRefusal } from '../../src/caldav/dav-refusal.ts';
import { listOfSpace, spaceOfList } from '../../src/caldav/paths.ts';
import { tagOf } from '../../src/caldav/todo-writer.ts';
import { accept, nudgedUpTo, resolveLostAnswer } from './actions.ts';
import {
  type App,
  type AppChange,
  type Copy,
  type DoneChange,
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
import { type Action, act, dueAt, type Edit, edit, type ModelTask, type Result } from './model/task.ts';
import type { Answer, Services } from './process.ts';
import { newTask } from './steps/tasks.ts';
import { relationOf } from './visibility.ts';
import type { World } from './world.ts';

const MOST_SKIPPED = 20;
const PROMISE = 'apps';
const NO_PRECONDITION: Preconditions = { mustBeNew: false, tags: undefined };

const callerOf = ({ owner }: App) =>
  ({
    kind: 'token',
    userId: owner,
    tokenId: owner,
    scopes: ['tasks:read', 'tasks:write'],
    maxStage: null,
    maxOpenTasks: null,
    shortestWait: null,
    via: 'caldav',
  }) as const;

/** What CalDAV answers: a value, or the status of a refusal. */
type Answered<T> = Answer<{ readonly value: T } | { readonly status: number }>;

const ask = <T>(world: World, request: (services: Services) => Promise<T>): Promise<Answered<T>> =>
  world.call(async (services) => {
    try {
      return { value: await request(services) };
    } catch (error) {
      if (error instanceof DavRefusal) return { status: error.status };
      throw error;
    }
  });

/** The status of an answer, as HTTP has it; undefined if there was none. */
function statusOf(answer: Answered<unknown>): number | undefined {
  if (answer === 'no answer') return undefined;
  if ('refusal' in answer) return answer.refusal === 'not_found' ? 404 : 400;
  return 'status' in answer.value ? answer.value.status : 200;
}

/** Whether apps see the task. */
const isShown = (world: World, { id, isOpen, isAccepted, status }: ModelTask): boolean =>
  isOpen ? isAccepted : status === 'done' && !world.hiddenFromApps.has(id);

export const isClear = (world: World, id: string): boolean => !world.loose.has(id) && !world.unsettled.has(id);

export const copiesOf = ({ lists }: App): Copy[] => [...lists.values()].flatMap(({ copies }) => [...copies.values()]);

const keep = ({ lists }: App, copy: Copy): void => void lists.get(copy.list)?.copies.set(copy.name, copy);
const lose = ({ lists }: App, { list, name }: Pick<Copy, 'list' | 'name'>): void =>
  void lists.get(list)?.copies.delete(name);

const zoneOf = (world: World, { owner }: App): string => world.person(owner).settings.zone;

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
      if (before && status === 200) world.catchUp(nudgedUpTo(world, before));
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

const unchanged = ({ change: _, ...copy }: Copy): Copy => copy;

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
  if (world.unappliedOf(task.id).length > 0 || world.elapsedMs !== askedMs) {
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

async function fetchOne(world: World, app: App, { list, name }: Draft): Promise<Copy | undefined | 'no answer'> {
  const answer = await ask(world, async ({ caldavReading }) => {
    const row = await caldavReading.find(app.owner, list, name);
    if (!row) return undefined;
    const view = await caldavReading.view(app.owner);
    const tag = tagOf(row, row.uid ?? row.id, row.kept_hash, view);
    return { taskId: row.id, list, name, tag, text: textOf(row, view) };
  });
  if (answer === 'no answer') return answer;
  return 'value' in answer && 'value' in answer.value ? answer.value.value : undefined;
}

type Stage = (task: ModelTask) => Result;

/** What each step of a change does to the task; the service stores one after the other. */
function stagesOf(world: World, app: App, copy: Copy, change: AppChange): Stage[] {
  const current = world.tasks.get(copy.taskId);
  if (!current) return [];
  const { edited, acted } = stagesIn(world);
  const isStale = isOld(app, copy, current);
  switch (change.kind) {
    case 'title':
      return [edited({ title: change.title })];
    case 'due':
      return current.isOpen && !isStale ? [edited({ due: change.due })] : [];
    case 'delete':
      return current.isOpen ? [acted({ name: 'drop', batch: 'of an app' })] : [];
    case 'reopen':
      return current.isOpen ? [] : [acted({ name: 'reopen' })];
    case 'done': {
      const next = dueOfText(textAfter(copy, change, zoneOf(world, app))) ?? 0;
      const done = current.isOpen && !isStale ? doneStages(world, current, change, next) : [];
      return change.title === undefined ? done : [edited({ title: change.title }), ...done];
    }
  }
}

/** The app knew another occurrence, and nothing but its text says which. */
const isOld = ({ isStrict }: App, { text }: Copy, task: ModelTask): boolean =>
  !isStrict && isSeries(task) && factsOf(text).due !== factsOfTask(task).due;

const isSeries = ({ due, rule }: ModelTask): boolean => due !== null && rule !== null;

const stagesIn = (world: World) => ({
  edited:
    (change: Edit): Stage =>
    (task) =>
      edit(task, change, world.settingsOf(task), world.now),
  acted:
    (action: Action): Stage =>
    (task) =>
      act(task, action, 'owner', world.settingsOf(task), world.now),
});

/** `next` is where form A has gone on to. What is no series any more has a date alone. */
function doneStages(world: World, task: ModelTask, { form }: DoneChange, next: number): Stage[] {
  const { edited, acted } = stagesIn(world);
  const complete = acted({ name: 'complete' });
  switch (form) {
    case 'A':
      return isSeries(task) ? [complete, ...skips(next, acted({ name: 'skip' }))] : [edited({ due: next })];
    case 'B':
      return [complete];
    case 'C':
    case 'E':
      return isSeries(task) ? [complete] : [];
    case 'D':
      return isSeries(task) ? [edited({ rule: null }), complete] : [complete];
  }
}

/** After form A, the occurrences before the one that the app has gone on to. */
const skips = (next: number, skip: Stage): Stage[] =>
  Array.from(
    { length: MOST_SKIPPED },
    (): Stage => (task) => {
      const key = factsOfTask(task).due;
      const due = key.includes('-') ? Date.parse(key) : Number(key) * 1_000;
      return task.isOpen && key !== '' && due < next ? skip(task) : { task };
    },
  );

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

/** Fetches what changed in each list. Returns whether the service answered all of it. */
export async function fetchAll(world: World, app: App): Promise<boolean> {
  // The mark of a moment is final once the moment is over.
  await world.pass(1);
  const answer = await ask(world, ({ caldavReading }) => caldavReading.lists(app.owner));
  if (answer === 'no answer') return false;
  const lists = 'value' in answer && 'value' in answer.value ? answer.value.value.map(({ id }) => id) : [];
  for (const list of [...app.lists.keys()]) if (!lists.includes(list)) app.lists.delete(list);
  for (const list of lists) if (!(await fetchList(world, app, list))) return false;
  const problem = findDisagreement(world, app);
  return problem === undefined ? true : world.fail(PROMISE, problem);
}

async function fetchList(world: World, app: App, list: string): Promise<boolean> {
  const known = app.lists.getOrInsertComputed(list, () => ({ token: '', copies: new Map<string, Copy>() }));
  const answer = await ask(world, async ({ caldavReading }) => {
    const view = await caldavReading.view(app.owner);
    const { ids, token } = app.isStrict
      ? await caldavReading.changedIds(callerOf(app), list, view, known.token)
      : { token: await caldavReading.token(app.owner, view), ids: await caldavReading.memberIds(app.owner, list) };
    const entries: { name: string; copy?: Copy }[] = [];
    for await (const page of caldavReading.entries(app.owner, ids, { list, view, withText: true, charge: () => {} }))
      for (const { id, name, found } of page)
        entries.push({
          name,
          ...(found && { copy: { taskId: id, list, name, tag: found.tag, text: found.text ?? '' } }),
        });
    return { token, entries };
  });
  if (answer === 'no answer') return false;
  // The token is too old, or was made by other settings.
  if (statusOf(answer) === 403 && known.token !== '') {
    known.token = '';
    return fetchList(world, app, list);
  }
  if ('refusal' in answer || 'status' in answer.value)
    return world.fail(PROMISE, `${app.name} could not sync: ${JSON.stringify(answer)}.`);
  adopt(app, known, answer.value.value);
  return true;
}

type KnownList = NonNullable<ReturnType<App['lists']['get']>>;
interface Told {
  readonly token: string;
  readonly entries: readonly { readonly name: string; readonly copy?: Copy }[];
}

function adopt({ isStrict }: App, known: KnownList, { token, entries }: Told): void {
  // The same mark means that nothing has changed.
  if (!isStrict && token === known.token) return;
  const isWhole = !isStrict || known.token === '';
  known.token = token;
  const names = new Set(entries.flatMap(({ name, copy }) => (copy ? name : [])));
  if (isWhole) for (const name of [...known.copies.keys()]) if (!names.has(name)) known.copies.delete(name);
  for (const { name, copy } of entries) {
    if (!copy) known.copies.delete(name);
    else if (!known.copies.get(name)?.change) known.copies.set(name, copy);
  }
}

/** At the end, what the service was never told is given up. */
export function giveUpChanges(app: App): void {
  for (const list of app.lists.values()) {
    const changed = [...list.copies.values()].filter(({ change }) => change);
    for (const copy of changed) keep(app, unchanged(copy));
    if (changed.length > 0) list.token = '';
  }
}

/** Compares the copies with the model. */
function findDisagreement(world: World, app: App): string | undefined {
  const shown = [...world.tasks.values()].filter((task) => task.owner === app.owner && isShown(world, task));
  for (const task of shown) {
    if (!isClear(world, task.id)) continue;
    const copies = copiesOf(app).filter(({ taskId }) => taskId === task.id);
    const [copy] = copies;
    if (!copy || copies.length > 1) return `${app.name} has ${copies.length} copies of “${task.title}”.`;
    if (copy.change) continue;
    if (copy.list !== listOfSpace(task.space)) return `${app.name} has “${task.title}” in another list.`;
    const [has, wanted] = [factsOf(copy.text), factsOfTask(task)];
    if (!isSame(has, wanted)) return `${app.name} has ${tell(has)} instead of ${tell(wanted)}.`;
  }
  const ids = new Set(shown.map(({ id }) => id));
  const left = copiesOf(app).find(({ taskId, change }) => !ids.has(taskId) && isClear(world, taskId) && !change);
  return left && `${app.name} still has ${tell(factsOf(left.text))}.`;
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
  world.catchUp(nudgedUpTo(world, task));
  const result = predict(world.tasks.get(task.id) ?? task);
  if ('refusal' in result) return world.fail('answers', `It should be refused with ${result.refusal}, and was done.`);
  accept(world, result);
  world.hiddenFromApps.delete(task.id);
  const loss = findLoss(world, task.id);
  if (loss !== undefined) world.fail(PROMISE, `Two apps said at once that it is done: ${loss}`);
}
