/** The copies that apps have: how they are fetched, and whether they agree with the model. */
import { textOf } from '../../src/caldav/caldav-reading.service.ts';
import { listOfSpace } from '../../src/caldav/paths.ts';
import { tagOf } from '../../src/caldav/todo-writer.ts';
import { ask, callerOf, statusOf } from './app-requests.ts';
import { type App, type Copy, type Draft, factsOf, factsOfTask, isSame, tell } from './apps.ts';
import type { ModelTask } from './model/task.ts';
import type { World } from './world.ts';

const PROMISE = 'apps';

/** Whether apps see the task. */
export const isShown = (world: World, { id, isOpen, isAccepted, status }: ModelTask): boolean =>
  isOpen ? isAccepted : status === 'done' && !world.hiddenFromApps.has(id);

export const isClear = (world: World, id: string): boolean =>
  !world.corrections.loose.has(id) && !world.corrections.unsettled.has(id);

export const copiesOf = ({ lists }: App): Copy[] => [...lists.values()].flatMap(({ copies }) => [...copies.values()]);

export const keep = ({ lists }: App, copy: Copy): void => void lists.get(copy.list)?.copies.set(copy.name, copy);
export const lose = ({ lists }: App, { list, name }: Pick<Copy, 'list' | 'name'>): void =>
  void lists.get(list)?.copies.delete(name);

export const unchanged = ({ change: _, ...copy }: Copy): Copy => copy;

export const zoneOf = (world: World, { owner }: App): string => world.person(owner).settings.zone;

export async function fetchOne(world: World, app: App, { list, name }: Draft): Promise<Copy | undefined | 'no answer'> {
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
