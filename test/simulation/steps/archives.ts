/** People keep exports, and import them: their own, or one of an account that they had before. */

import type { Archive, DoorBook } from '../door-book.ts';
import { importOnce, importTwiceAtOnce } from '../imports.ts';
import { exportOf } from '../invariants/export.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import { waitForService } from '../trouble.ts';
import type { World } from '../world.ts';
import { bookOf } from './ladders.ts';

const MOST_TRIES = 4;
/** The ladders of a document hold before its tasks are stored, and nothing may be nudged in between. */
const STILL_MS = 5_000;

const keepExport: StepKind = {
  // Worlds with doors have their own number of these.
  weight: 0,
  async run(world, actor) {
    const before = tasksOf(world, actor);
    if (before.some(({ id }) => world.corrections.loose.has(id) || world.corrections.unsettled.has(id))) return;
    world.tell(`${actor.name} exports everything`);
    const answer = await world.call((services) => exportOf(services, actor, true));
    if (answer === 'no answer') return;
    if ('refusal' in answer) return world.fail('export', `The export was refused: ${answer.refusal}.`);
    world.nudgeLog.follow();
    // A document is not of one moment: what was nudged meanwhile is in it as it was, or as it is.
    if (before.some((task) => world.tasks.get(task.id) !== task)) return;
    const document = JSON.parse(answer.value).data as { readonly tasks: readonly { readonly id: string }[] };
    const order = document.tasks.map(({ id }) => id);
    world.doors.archives.push({
      owner: actor.id,
      text: answer.value,
      zone: actor.settings.zone,
      tasks: before.toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id)),
      outcomes: [...actor.outcomes],
      ladders: bookOf(actor),
    });
  },
};

const tasksOf = (world: World, { id }: Person) => [...world.tasks.values()].filter(({ owner }) => owner === id);

const importExport: StepKind = {
  weight: 0,
  async run(world, actor, random) {
    const archive = pickArchive(world.doors, random);
    if (!archive || tasksOf(world, actor).some(({ id }) => world.corrections.unsettled.has(id))) return;
    const soon = tasksOf(world, actor).map(({ id }) => (world.expected.get(id)?.at ?? 0) - world.now);
    if (soon.some((ms) => ms > 0 && ms < STILL_MS)) return;
    world.tell(`${actor.name} imports ${archive.tasks.length} tasks of ${world.person(archive.owner).name}`);
    if (random.chance(0.15)) await importTwiceAtOnce(world, actor, archive);
    else if (!(await importUntilAnswered(world, actor, archive, random))) return;
    if (world.isGivenUp || random.chance(0.4)) return;
    world.tell(`${actor.name} imports it again, and nothing changes`);
    const rows = countRows(world, actor);
    await importOnce(world, actor, archive);
    if (countRows(world, actor) !== rows) world.fail('import', 'A second import of a document changed something.');
  },
};

const pickArchive = ({ archives }: DoorBook, random: Random): Archive | undefined =>
  archives.length > 0 ? random.pick(archives) : undefined;

/** Whether there was an answer at last. A client repeats an import that was interrupted, and it stores the rest. */
async function importUntilAnswered(world: World, actor: Person, archive: Archive, random: Random): Promise<boolean> {
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    const isAnswered = await importOnce(world, actor, archive, attempt < MOST_TRIES ? random : undefined);
    if (isAnswered || world.isGivenUp) return isAnswered;
    await waitForService(world);
  }
  return false;
}

function countRows(world: World, { id }: Person): string {
  const tables = ['tasks', 'outcomes', 'task_origins'].map(
    (table) => world.query(`select count(*) as count from ${table} where owner_id = ?`, id)[0]?.count,
  );
  const [user] = world.query('select ladders, timezone from users where id = ?', id);
  return JSON.stringify([tables, user]);
}

export const steps = { keepExport, importExport };
