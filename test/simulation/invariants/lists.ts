import type { ShownTask as Task, TaskCursor } from '../../../src/tasks/shown-tasks.store.ts';
import { callerOf } from '../actions.ts';
import { findUntruth } from '../compare.ts';
import type { Invariant } from '../invariant.ts';
import { dueAt, type ModelTask, overdueAt } from '../model/task.ts';
import type { Person } from '../person.ts';
import type { Services } from '../process.ts';
import { visibleTasks } from '../visibility.ts';
import type { World } from '../world.ts';

const LIMIT = 2;
/** Each costs as much as reading a list, so a world compares some of them. */
const FILTERS_PER_PERSON = 3;

type Belongs = (task: ModelTask, world: World) => boolean;

const STATUSES: Readonly<Record<string, Belongs>> = {
  open: ({ status }) => status === 'open',
  done: ({ status }) => status === 'done',
  skipped: ({ status }) => status === 'skipped',
  dropped: ({ status }) => status === 'dropped',
  declined: ({ status }) => status === 'declined',
  pending: ({ isOpen, isAccepted }) => isOpen && !isAccepted,
  snoozed: ({ isOpen, snoozedUntil }, { now }) => isOpen && (snoozedUntil ?? 0) > now,
  overdue: (task, world) => task.isOpen && (overdueAt(task, world.settingsOf(task)) ?? Infinity) <= world.now,
};

/** Lists, with every filter, and searches have each task of the model once, as it is, in their order, on whatever page. */
export const invariant: Invariant = {
  name: 'lists',
  end: async (world) => {
    for (const [person, number] of world.comparedIn('lists')) {
      const problem = await findMislisted(world, person, number);
      if (problem !== undefined) return `${person.name}: ${problem}`;
    }
    return undefined;
  },
};

/** What a list must contain, and how it is read. */
interface Listed {
  readonly name: string;
  readonly wanted: readonly ModelTask[];
  readonly read: (services: Services) => Promise<Task[]>;
  /** A list with everything that its tasks say, in its order. */
  readonly isWhole?: boolean;
  readonly isByMoment?: boolean;
}

async function findMislisted(world: World, person: Person, number: number): Promise<string | undefined> {
  for (const list of [...listsOf(world, person, number), ...searchesOf(world, person, number)]) {
    const answer = await world.call(list.read);
    if (answer === 'no answer') return undefined;
    if ('refusal' in answer) return `${list.name} was refused: ${answer.refusal}.`;
    world.nudgeLog.catchUp({ id: '', nudge_count: 0 });
    const problem = findDifference(world, list, answer.value);
    if (problem !== undefined) return `${list.name} ${problem}`;
  }
  return undefined;
}

function findDifference(
  world: World,
  { wanted, isWhole, isByMoment }: Listed,
  rows: readonly Task[],
): string | undefined {
  const isClear = (id: string) =>
    !world.corrections.unsettled.has(id) &&
    !world.corrections.loose.has(id) &&
    !(isByMoment && isOfFormerZone(world, id));
  const ids = rows.map(({ id }) => id).filter(isClear);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) return `has “${rows.find(({ id }) => id === twice)?.title}” twice.`;
  const missing = wanted.find(({ id }) => isClear(id) && !ids.includes(id));
  if (missing) return `lacks “${missing.title}”.`;
  const known = new Set(wanted.map(({ id }) => id));
  const strange = rows.find(({ id }) => isClear(id) && !known.has(id));
  if (strange) return `has “${strange.title}”, which does not belong there.`;
  return isWhole
    ? findUntruthIn(
        world,
        rows.filter(({ id }) => isClear(id)),
      )
    : undefined;
}

/** A day that was closed stays the moment that it was, in the zone of then. */
function isOfFormerZone(world: World, id: string): boolean {
  const task = world.tasks.get(id);
  return task !== undefined && !task.isOpen && !task.hasTime && world.movedPeople.has(task.owner);
}

/** Open tasks by the moment that they are due or end their snooze, then those without a moment, then closed ones. */
function findUntruthIn(world: World, rows: readonly Task[]): string | undefined {
  let last = [-1, 0] as readonly [number, number];
  for (const row of rows) {
    const task = world.tasks.get(row.id);
    const untruth = task && findUntruth(world, task, row);
    if (untruth !== undefined) return `is wrong: ${untruth}`;
    const place = task ? placeOf(world, task) : last;
    if (place[0] < last[0] || (place[0] === last[0] && place[1] < last[1])) return `has “${row.title}” too late.`;
    last = place;
  }
  return undefined;
}

/** Among undated and among closed tasks, the model cannot tell the order. */
function placeOf(world: World, task: ModelTask): readonly [number, number] {
  if (!task.isOpen) return [2, 0];
  const moments = [dueAt(task, world.settingsOf(task)), task.snoozedUntil].filter((moment) => moment !== null);
  return moments.length === 0 ? [1, 0] : [0, Math.max(...moments)];
}

/** Some of the values, others in other worlds. */
const someOf = <T>(values: readonly T[], number: number): T[] =>
  Array.from({ length: Math.min(FILTERS_PER_PERSON, values.length) }, (_, index) => at(values, number + index * 3));

const at = <T>(values: readonly T[], number: number): T => values[number % values.length] as T;

function listsOf(world: World, person: Person, number: number): Listed[] {
  const own = [...world.tasks.values()].filter(({ owner }) => owner === person.id);
  const assigned = visibleTasks(world, person.id).filter(({ assigner }) => assigner === person.id);
  const spaces = [...world.spaces].filter(([, members]) => members.has(person.id)).map(([id]) => id);
  const isInPages = number % 2 === 0;
  const list =
    (status: string | undefined, isAssigned = false) =>
    (services: Services) =>
      isInPages ? readInPages(services, person, status, isAssigned) : readWhole(services, person, status, isAssigned);
  return [
    { name: 'the list', wanted: own, read: list(undefined), isWhole: true },
    { name: 'the list of what was assigned', wanted: assigned, read: list(undefined, true), isWhole: true },
    ...someOf(Object.entries(STATUSES), number).map(([status, belongs]) => ({
      name: `the list “${status}”`,
      wanted: own.filter((task) => belongs(task, world)),
      read: list(status),
    })),
    ...(spaces.length === 0 ? [] : [at(spaces, number)]).map((space) => ({
      name: 'the list of a space',
      wanted: visibleTasks(world, person.id).filter((task) => task.space === space),
      read: async ({ spaceTasks }: Services) => all(await spaceTasks.list(callerOf(person), space)),
      isWhole: true,
    })),
  ];
}

async function readWhole({ tasks }: Services, person: Person, status: string | undefined, assigned: boolean) {
  const query = { status, assigned, limit: undefined, after: undefined };
  return all((await tasks.list(callerOf(person), query)).tasks);
}

async function readInPages({ tasks }: Services, person: Person, status: string | undefined, assigned: boolean) {
  const rows: Task[] = [];
  let after: TaskCursor | undefined;
  do {
    const { next, tasks: page } = await tasks.list(callerOf(person), { status, assigned, limit: LIMIT, after });
    rows.push(...(await all(page)));
    after = next && { rank: next.list_rank, key: next.list_key, id: next.id };
  } while (after);
  return rows;
}

async function all<T>({ first, rest }: { first: readonly T[]; rest?: AsyncIterable<T[]> | undefined }): Promise<T[]> {
  const rows = [...first];
  for await (const page of rest ?? []) rows.push(...page);
  return rows;
}

/** By a word of a title, a label, a space, and when something is due. */
function searchesOf(world: World, person: Person, number: number): Listed[] {
  const own = [...world.tasks.values()].filter(({ owner }) => owner === person.id);
  const spaces = [...world.spaces.keys()];
  const wordsOf = (text: string) => text.toLowerCase().split(/[^a-z0-9]+/);
  const word = wordsOf(at(own, number)?.title ?? 'none')[0] ?? '';
  const label = at(own, number)?.label ?? 'todo';
  const moment = new Date(world.now).toISOString();
  const due = (task: ModelTask) => dueAt(task, world.settingsOf(task));
  const filters: readonly (readonly [Parameters<Services['search']['search']>[1] | object, Belongs])[] = [
    [{ q: word }, ({ title, label: kind }) => `${title} ${kind === 'todo' ? '' : kind}`.toLowerCase().includes(word)],
    [{ kind: label }, (task) => task.label === label],
    [{ due_from: moment }, (task) => (due(task) ?? -1) >= world.now],
    [{ due_until: moment }, (task) => (due(task) ?? Infinity) <= world.now],
    ...spaces.slice(0, 1).map((space) => [{ space }, (task: ModelTask) => task.space === space] as const),
  ];
  const [filter, belongs] = at(filters, number);
  return [
    {
      name: `the search ${JSON.stringify(filter)}`,
      wanted: own.filter((task) => belongs(task, world)),
      read: (services) => find(services, person, filter),
      isByMoment: 'due_from' in filter || 'due_until' in filter,
    },
  ];
}

async function find({ search }: Services, person: Person, filter: object): Promise<Task[]> {
  const rows: Task[] = [];
  let after: Parameters<typeof search.search>[1]['after'];
  do {
    const query = { ...filter, limit: LIMIT, after };
    const found = await search.search(callerOf(person), query, () => {}, new AbortController().signal);
    rows.push(...found.tasks);
    after = found.next;
  } while (after);
  return rows;
}
