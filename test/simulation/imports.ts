/** How a person imports what was exported, and how the model follows. */
import type { Static } from 'typebox';
import type { ImportReport } from '../../src/archive/archive.schemas.ts';
import { callerOf } from './actions.ts';
import { findUntruth } from './compare.ts';
import type { Archive } from './door-book.ts';
import { findMiscount } from './invariants/statistics.ts';
import { addLadders, restoredTask } from './model/archive.ts';
import type { LadderBook } from './model/ladders.ts';
import type { ModelTask } from './model/task.ts';
import type { Person } from './person.ts';
import type { Answer, Services } from './process.ts';
import type { Random } from './random.ts';
import { usePages } from './small-pages.ts';
import { bookOf, learnBook, storedBook } from './steps/ladders.ts';
import { learnSettings } from './steps/settings.ts';
import { askInTrouble } from './trouble.ts';
import type { World } from './world.ts';

/** The statements of an import of some tasks, about. */
const OPERATIONS = 40;

type Report = Static<typeof ImportReport>;

/** Whether there was an answer. In trouble, if there are random numbers for it. */
export async function importOnce(world: World, actor: Person, archive: Archive, random?: Random): Promise<boolean> {
  const request = requestOf(actor, archive);
  const answer = await whileImporting(() => askInTrouble(world, random, OPERATIONS, request));
  if (answer === 'no answer') adoptStored(world, actor, archive);
  else await followReports(world, actor, archive, [reportIn(world, answer)]);
  return answer !== 'no answer';
}

export async function importTwiceAtOnce(world: World, actor: Person, archive: Archive): Promise<void> {
  world.tell('  twice at once');
  const request = requestOf(actor, archive);
  const answers = await whileImporting(() => Promise.all([world.call(request), world.call(request)]));
  const reports = answers.flatMap((answer) => (answer === 'no answer' ? [] : [reportIn(world, answer)]));
  if (reports.length < answers.length) adoptStored(world, actor, archive);
  else await followReports(world, actor, archive, reports);
}

/** With small pages, so that even a few tasks take several. */
async function whileImporting<T>(request: () => Promise<T>): Promise<T> {
  usePages('small');
  return request().finally(() => usePages('usual'));
}

const requestOf =
  (actor: Person, { text }: Archive) =>
  async ({ doors }: Services): Promise<Report> => {
    const document = { bytes: Buffer.from(text), format: 'json', from: 0 } as const;
    const callerLeft = new AbortController().signal;
    const { report } = await doors.imports.import(callerOf(actor), {
      document,
      isPartial: false,
      address: '::1',
      callerLeft,
    });
    return report;
  };

function reportIn(world: World, answer: Exclude<Answer<Report>, 'no answer'>): Report {
  return 'refusal' in answer ? world.fail('import', `It was refused with ${answer.refusal}.`) : answer.value;
}

/** The id that a task of the document has in the account, as far as the model knows. */
const knownId = (world: World, { id: person }: Person, { id }: ModelTask): string | undefined =>
  world.tasks.get(id)?.owner === person ? id : world.doors.originsOf(person).get(id);

/** Of two reports, each new task is in one. */
async function followReports(world: World, actor: Person, archive: Archive, reports: readonly Report[]): Promise<void> {
  const isNew = (task: ModelTask) => knownId(world, actor, task) === undefined;
  const fresh = archive.tasks.filter(isNew);
  checkCounts(world, actor, archive, reports, fresh);
  const items = archive.tasks.map((task, index) => ({ task, all: reports.map((report) => report.items[index]) }));
  const ids = items.map(({ task, all }) => {
    const [id, ...others] = new Set(all.map((item) => item?.id));
    const known = knownId(world, actor, task);
    if (!id || others.length > 0 || (known !== undefined && id !== known))
      world.fail('import', `“${task.title}” is in the report as ${JSON.stringify(all)}, and known as ${known}.`);
    const news = all.filter((item) => item?.result === 'imported').length;
    if (news !== (known === undefined ? 1 : 0)) world.fail('import', `“${task.title}” was imported ${news} times.`);
    return id;
  });
  if (archive.tasks.length > 0) adoptZone(world, actor, archive);
  followBook(world, actor, addLadders(bookOf(actor), archive.ladders));
  for (const [index, { task }] of items.entries())
    if (fresh.includes(task)) learnImported(world, actor, archive, task, ids[index] ?? '');
  world.nudgeLog.follow();
  await compare(
    world,
    actor,
    ids.filter((_, index) => fresh.includes(archive.tasks[index] as ModelTask)),
  );
}

function checkCounts(
  world: World,
  actor: Person,
  { tasks, zone }: Archive,
  reports: readonly Report[],
  fresh: readonly ModelTask[],
): void {
  const sum = (name: 'imported' | 'refused' | 'quiet' | 'remaining') =>
    reports.reduce((total, report) => total + report[name], 0);
  const left = (name: 'spaces' | 'assigners') => reports.reduce((total, report) => total + report.left_behind[name], 0);
  const counts = [sum('imported'), sum('refused'), sum('quiet'), sum('remaining'), left('spaces'), left('assigners')];
  const wanted = [
    ...[fresh.length, 0, 0, 0],
    fresh.filter(({ space }) => space !== null).length,
    fresh.filter(({ assigner }) => assigner !== null).length,
  ];
  if (counts.join() !== wanted.join()) {
    const reasons = reports.flatMap(({ items }) => items.flatMap(({ reason }) => reason ?? []));
    world.fail('import', `The report counts ${counts} and should count ${wanted}: ${reasons.join(' ')}`);
  }
  const [first] = reports;
  const after = adoptsZone(world, actor, tasks) ? zone : actor.settings.zone;
  if (first?.zone.account !== after)
    world.fail('import', `The account has the zone ${first?.zone.account}, not ${after}.`);
}

/** A new account that has chosen no time zone takes the one of the document. */
const adoptsZone = (world: World, { id, settings }: Person, tasks: readonly ModelTask[]): boolean =>
  tasks.length > 0 &&
  settings.zone === 'UTC' &&
  ![...world.tasks.values()].some(({ owner, status }) => owner === id && status === 'open');

function adoptZone(world: World, actor: Person, { zone, tasks }: Archive): void {
  if (!adoptsZone(world, actor, tasks) || zone === actor.settings.zone) return;
  world.movedPeople.add(actor.id);
  learnSettings(world, actor, { ...actor.settings, zone });
}

const textOf = ({ own, labels, account }: LadderBook): string =>
  JSON.stringify([[...own].sort(), [...labels].sort(), account]);

function followBook(world: World, actor: Person, wanted: LadderBook): void {
  const stored = storedBook(world, actor);
  if (textOf(stored) !== textOf(wanted)) world.fail('import', 'Ladders are missing, or replaced what was chosen.');
  if (textOf(stored) !== textOf(bookOf(actor))) learnBook(world, actor, stored);
}

function learnImported(world: World, actor: Person, { outcomes }: Archive, task: ModelTask, id: string): void {
  world.doors.originsOf(actor.id).set(task.id, id);
  const own = outcomes.filter(({ taskId }) => taskId === task.id);
  actor.outcomes.push(...own.map((outcome) => ({ ...outcome, taskId: id })));
  actor.nudges += task.nudges;
  world.learn(restoredTask(task, id, actor.id, world.now));
}

/** What was imported is there as it was, and the statistics count it. */
async function compare(world: World, actor: Person, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const answer = await world.call(({ tasks }) => tasks.get(callerOf(actor), id));
    if (answer === 'no answer') return;
    if ('refusal' in answer) return world.fail('import', `An imported task was ${answer.refusal}.`);
    world.nudgeLog.catchUp(answer.value);
    const task = world.tasks.get(id);
    const untruth = task && findUntruth(world, task, answer.value);
    if (untruth !== undefined) world.fail('import', untruth);
  }
  const miscount = await findMiscount(world, actor);
  if (miscount !== undefined) world.fail('import', miscount);
}

/** The process died: pages were stored whole, from the first one on, and the ladders before them. */
function adoptStored(world: World, actor: Person, archive: Archive): void {
  const stored = new Map(
    world
      .query('select origin, task_id from task_origins where owner_id = ?', actor.id)
      .map(({ origin, task_id }) => [String(origin), String(task_id)]),
  );
  const missing = archive.tasks.filter((task) => knownId(world, actor, task) === undefined);
  const there = missing.filter(({ id }) => stored.has(id));
  if (there.some((task, index) => task !== missing[index]))
    world.fail('import', 'Of an interrupted import, tasks in the middle are missing.');
  for (const task of there) checkWhole(world, archive, task, stored.get(task.id) ?? '');
  if (there.length > 0) adoptZone(world, actor, archive);
  const merged = addLadders(bookOf(actor), archive.ladders);
  const isMerged = textOf(storedBook(world, actor)) === textOf(merged);
  followBook(world, actor, isMerged || there.length > 0 ? merged : bookOf(actor));
  for (const task of there) learnImported(world, actor, archive, task, stored.get(task.id) ?? '');
  world.nudgeLog.follow();
}

function checkWhole(world: World, { outcomes }: Archive, { id: origin, title }: ModelTask, id: string): void {
  const count = (sql: string) => Number(world.query(sql, id)[0]?.count);
  const isWhole =
    count('select count(*) as count from tasks where id = ?') === 1 &&
    count("select count(*) as count from timeline where kind = 'created' and task_id = ?") === 1 &&
    count('select count(*) as count from outcomes where task_id = ?') ===
      outcomes.filter(({ taskId }) => taskId === origin).length;
  if (!isWhole) world.fail('import', `“${title}” was imported by halves.`);
}
