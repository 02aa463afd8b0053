/** A person uses two apps that sync by CalDAV at odd moments. */
import { meetNudge } from '../actions.ts';
import { changeCopy, doneAtOnce, sync } from '../app-actions.ts';
import { copiesOf, isClear } from '../app-copies.ts';
import {
  type App,
  type AppChange,
  type Copy,
  dueOfText,
  factsOf,
  factsOfTask,
  formsOf,
  isAllDay,
  isSame,
  newDraft,
  ruleOfText,
} from '../apps.ts';
import { DAY_MS } from '../model/zone.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { steps as faults } from './faults.ts';
import { drawDue, nextTitle } from './tasks.ts';

/** Worlds in which somebody has apps have their own number of these steps. */
const weight = 0;
const MINUTE_MS = 60_000;

const newApp = ({ id, name }: Person, isStrict: boolean): App => ({
  owner: id,
  name: `${name}'s ${isStrict ? 'desk' : 'phone'} app`,
  isStrict,
  lists: new Map(),
  drafts: [],
});

const appsOf = (world: World, person: Person): readonly App[] =>
  world.apps.getOrInsertComputed(person.id, () => [newApp(person, true), newApp(person, false)]);

const isAble = ({ isGone, settings }: Person): boolean => !isGone && !settings.isSuspended;

/** Both sync, until each has seen what the other sent. */
const syncApps: StepKind = {
  weight,
  async run(world, actor) {
    for (const app of [...appsOf(world, actor), ...appsOf(world, actor)]) await sync(world, app);
  },
};

const syncApp: StepKind = {
  weight,
  async run(world, actor, random) {
    await sync(world, random.pick(appsOf(world, actor)));
  },
};

/** An open one mostly. */
function pickCopy(app: App, random: Random): Copy | undefined {
  const free = copiesOf(app).filter(({ change }) => !change);
  const open = free.filter(({ text }) => factsOf(text).status === 'open');
  const choices = open.length > 0 && random.chance(0.85) ? open : free;
  return choices.length > 0 ? random.pick(choices) : undefined;
}

function drawChange(world: World, actor: Person, { taskId, text }: Copy, random: Random): AppChange {
  const { title, due, status } = factsOf(text);
  const titled = `${title}+`;
  if (status === 'done')
    return random.pick<AppChange>([
      { kind: 'reopen' },
      { kind: 'reopen' },
      { kind: 'delete' },
      { kind: 'title', title: titled },
    ]);
  const done: AppChange = {
    kind: 'done',
    form: random.pick(formsOf(text, actor.settings.zone)),
    dates: random.chance(0.8) ? 1 : 2,
    detaches: random.chance(0.5),
    ...(random.chance(0.2) && { title: titled }),
  };
  // A later day of a series would be a Done, and a series that the app does not know as one is moved otherwise.
  const isMovable = due !== '' && (ruleOfText(text) ? !isAllDay(text) : world.tasks.get(taskId)?.rule === null);
  const moved = drawDue(world, actor, random, !isAllDay(text));
  const dueMs = dueOfText(text) ?? 0;
  const drawn = ruleOfText(text) ? dueMs + 95 * MINUTE_MS : moved - (moved % 1_000);
  // The same date would be no change, and a change of the other app would stay.
  const toDue = drawn === dueMs ? drawn + DAY_MS : drawn;
  return random.pick<AppChange>([
    done,
    done,
    done,
    { kind: 'title', title: titled },
    isMovable ? { kind: 'due', due: toDue } : { kind: 'title', title: titled },
    random.chance(0.5) ? { kind: 'delete' } : done,
  ]);
}

/** Its user writes or ticks off something, and the app syncs at once, when a nudge is about to come, or later. */
const useApp: StepKind = {
  weight,
  async run(world, actor, random) {
    const app = random.pick(appsOf(world, actor));
    const copy = pickCopy(app, random);
    if (random.chance(0.15) || !copy) draft(world, actor, app, random);
    else changeCopy(world, app, copy, drawChange(world, actor, copy, random));
    if (random.chance(0.3)) return;
    const task = copy && world.tasks.get(copy.taskId);
    if (task) await meetNudge(world, task, random);
    if (isAble(actor)) await sync(world, app);
  },
};

function draft(world: World, actor: Person, app: App, random: Random): void {
  const title = nextTitle(world);
  world.tell(`${actor.name} creates “${title}” in ${app.name}`);
  const list = random.pick([...app.lists.keys(), 'tasks']);
  const due = random.chance(0.1) ? null : drawDue(world, actor, random, true);
  const rule =
    due !== null && random.chance(0.6)
      ? ({ freq: 'daily', interval: random.between(1, 2), from: 'due' } as const)
      : null;
  app.drafts.push(newDraft(list, `app-${title}`, title, due === null ? null : due - (due % 1_000), rule));
}

/** Both apps change the same task before either syncs. */
const conflictInApps: StepKind = {
  weight,
  async run(world, actor, random) {
    const apps = appsOf(world, actor);
    const picked = pickCopy(random.pick(apps), random);
    const order = random.chance(0.5) ? apps : apps.toReversed();
    for (const app of order) {
      const copy = copiesOf(app).find(({ taskId, change }) => taskId === picked?.taskId && !change);
      if (copy) changeCopy(world, app, copy, drawChange(world, actor, copy, random));
    }
    for (const app of order) {
      await world.pass(world.clocks.realMs(random.pick([0, 1_000, 40 * MINUTE_MS, DAY_MS / 3])));
      if (isAble(actor)) await sync(world, app);
    }
  },
};

const doneInBothApps: StepKind = {
  weight,
  async run(world, actor, random) {
    const [one, other] = appsOf(world, actor);
    if (!one || !other) return;
    await sync(world, one);
    await sync(world, other);
    const pairs = copiesOf(one).flatMap((copy) => {
      const same = copiesOf(other).find(({ taskId, change }) => taskId === copy.taskId && !change);
      const task = world.tasks.get(copy.taskId);
      const isKnown = task?.isOpen && !copy.change && isSame(factsOf(copy.text), factsOfTask(task));
      return same && isKnown && same.tag === copy.tag && isClear(world, task.id) ? [{ task, copy, same }] : [];
    });
    if (pairs.length === 0) return;
    const { task, copy, same } = random.pick(pairs);
    const forms = formsOf(copy.text, actor.settings.zone).filter((form) => form === 'B' || form === 'C');
    const said = [
      [one, copy, random.pick(forms)],
      [other, same, random.pick(forms)],
    ] as const;
    await doneAtOnce(world, task, random.chance(0.5) ? said : said.toReversed());
    await sync(world, one);
    await sync(world, other);
  },
};

/** The service dies while an app syncs, mostly one that says Done in more than one request. */
const crashInSync: StepKind = {
  weight,
  async run(world, actor, random) {
    const app = random.pick(appsOf(world, actor));
    await sync(world, app);
    const { zone } = actor.settings;
    const series = copiesOf(app).find(({ text, change }) => !change && formsOf(text, zone).includes('A'));
    if (series) changeCopy(world, app, series, { kind: 'done', form: 'A', dates: 2, detaches: true });
    else draft(world, actor, app, random);
    await faults.crash.run(world, actor, random);
    if (isAble(actor)) await sync(world, app);
  },
};

/** The clock is set, and both apps go on. */
const useAppsByOtherClock: StepKind = {
  weight,
  async run(world, actor, random) {
    await syncApps.run(world, actor, random);
    await faults.setClock.run(world, actor, random);
    for (let count = 0; count < 3; count += 1) await useApp.run(world, actor, random);
  },
};

export const steps = { syncApps, syncApp, useApp, conflictInApps, doneInBothApps, crashInSync, useAppsByOtherClock };
