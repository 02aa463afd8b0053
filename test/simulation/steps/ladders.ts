/** People choose ladders, for a task, a label or everything, and further heads-ups. */
import type { OwnLadder } from '../../../src/escalation/choose-ladder.ts';
import type { Ladder } from '../../../src/escalation/ladder.ts';
import { callerOf, doAction, doChooseLadder, doEdit, doSetHeadsUps, meetNudge, pickTask } from '../actions.ts';
import type { HeadsUp } from '../model/ladder.ts';
import { type LadderBook, type ModelLadder, NO_LADDERS, SERVICE_LADDERS } from '../model/ladders.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Services } from '../process.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';
import { learnSettings, lookWhileStale } from './settings.ts';

const MINUTE_MS = 60_000;
const LABELS = ['todo', 'pills', 'work'];
const WAITS = [1, 3, 5, 7, 20, 60, 240, 'day_start', '02:30', '23:58'] as const;

/** Two minutes apart, were it not for the shortest wait. */
const OVER_MIDNIGHT = [
  { after: 0, stage: 0 },
  { after: '23:58', stage: 1 },
  { after: '00:00', stage: 1 },
] as const;
const BRIEF_STOP: Ladder = {
  rungs: [
    { after: 0, stage: 0 },
    { after: 5, stage: 1 },
  ],
  end: null,
};
/** Fits only while its task must not be missed. */
const BRIEF: Ladder = {
  rungs: [
    { after: 0, stage: 0 },
    { after: 1, stage: 1 },
  ],
  end: { repeat_last: 1, times: 20 },
};

export const bookOf = ({ settings }: Person): LadderBook => settings.ladders ?? NO_LADDERS;

/** Waits are short at times, for tasks that must not be missed; the service refuses them for others. */
function drawLadder(random: Random): Ladder {
  if (random.chance(0.15)) return { rungs: [...OVER_MIDNIGHT], end: null };
  const count = random.between(1, 4);
  let stage = random.between(0, 1);
  const rungs: Ladder['rungs'][number][] = [{ after: 0, stage }];
  for (let index = 0; index < count; index += 1) {
    stage = Math.min(2, stage + random.between(0, 1));
    rungs.push({ after: random.pick([...WAITS]), stage });
  }
  const end = { repeat_last: random.between(1, count), times: random.chance(0.5) ? null : random.between(1, 2) };
  return { rungs, end: random.chance(0.3) ? null : end };
}

export const toModel = ({ rungs, end }: Ladder): ModelLadder => ({
  rungs: rungs.map(({ after, stage }) => [after, stage]),
  again: end?.repeat_last ?? 1,
  times: end === null ? 0 : (end.times ?? Number.POSITIVE_INFINITY),
});

/** The document as it is stored: one column, so it is changed whole or not at all. */
export function storedBook(world: World, { id }: Person): LadderBook {
  const [row] = world.query('select ladders from users where id = ?', id);
  if (typeof row?.ladders !== 'string') return NO_LADDERS;
  const { own, labels, default: account } = JSON.parse(row.ladders);
  const nameOf = (choice: { preset?: string; ladder_id?: string }) => choice.preset ?? choice.ladder_id ?? '';
  return {
    own: new Map(own.map((one: OwnLadder) => [one.id, toModel(one)])),
    labels: new Map(labels.map(({ label, ladder }: { label: string; ladder: object }) => [label, nameOf(ladder)])),
    account: account && nameOf(account),
  };
}

/** `predict` says what the book is afterwards, or undefined if the change must be refused. */
async function changeBook<T>(
  world: World,
  actor: Person,
  sentence: string,
  request: (services: Services) => Promise<T>,
  predict: (book: LadderBook, answer: T) => LadderBook | undefined,
): Promise<void> {
  world.tell(`${actor.name} ${sentence}`);
  const answer = await world.call(request);
  if (answer === 'no answer') {
    world.tell('  no answer');
    learnBook(world, actor, storedBook(world, actor));
    return;
  }
  if ('refusal' in answer) {
    if (predict(bookOf(actor), {} as T) !== undefined)
      world.fail('answers', `Changing ladders was refused: ${answer.refusal}.`);
    return;
  }
  const book = predict(bookOf(actor), answer.value);
  if (!book) world.fail('answers', 'A ladder that does not fit was taken.');
  learnBook(world, actor, book);
}

export function learnBook(world: World, actor: Person, ladders: LadderBook): void {
  for (const { id, owner } of world.tasks.values())
    if (owner === actor.id) world.ladderChangedMs.set(id, world.elapsedMs);
  learnSettings(world, actor, { ...actor.settings, ladders });
}

const SHORTEST = 5;
const isShort = ({ rungs }: ModelLadder): boolean =>
  rungs.slice(1).some(([after]) => typeof after === 'number' && after < SHORTEST);

/** Ladders that a label, or everything, can have. */
function drawName(actor: Person, random: Random): string {
  const own = [...bookOf(actor).own.keys()];
  return own.length > 0 && random.chance(0.5) ? random.pick(own) : random.pick(Object.keys(SERVICE_LADDERS));
}

const findNamed = (name: string, { own }: LadderBook): ModelLadder | undefined =>
  SERVICE_LADDERS[name] ?? own.get(name);
const isFit = (name: string, book: LadderBook): boolean => {
  const ladder = findNamed(name, book);
  return ladder !== undefined && !isShort(ladder);
};
const choiceOf = (name: string) =>
  (name in SERVICE_LADDERS ? { preset: name } : { ladder_id: name }) as { preset: 'gentle' } | { ladder_id: string };

const setDefault: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const name = random.chance(0.3) ? null : drawName(actor, random);
    const request = ({ ladders }: Services) =>
      ladders.setDefault(callerOf(actor), name === null ? null : choiceOf(name));
    await lookWhileStale(world, actor, random, () =>
      changeBook(world, actor, `wants ${name ?? 'no ladder'} for everything`, request, (book) =>
        name === null || isFit(name, book) ? { ...book, account: name } : undefined,
      ),
    );
  },
};

const setLabel: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const name = random.chance(0.3) ? null : drawName(actor, random);
    await lookWhileStale(world, actor, random, () => wantForLabel(world, actor, random.pick(LABELS), name));
  },
};

async function wantForLabel(world: World, actor: Person, label: string, name: string | null): Promise<void> {
  const request = ({ ladders }: Services) =>
    ladders.setLabel(callerOf(actor), label, name === null ? null : choiceOf(name));
  await changeBook(world, actor, `wants ${name ?? 'no ladder'} for the label ${label}`, request, (book) => {
    if (name !== null && !isFit(name, book)) return undefined;
    const labels = new Map(book.labels);
    if (name === null) labels.delete(label);
    else labels.set(label, name);
    return { ...book, labels };
  });
}

const makeLadder: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const ladder = drawLadder(random);
    const request = ({ ladders }: Services) => ladders.create(callerOf(actor), { name: 'Own', ...ladder });
    await changeBook(world, actor, `makes the ladder ${JSON.stringify(ladder)}`, request, (book, { id }) =>
      isTooMuch(ladder) ? undefined : { ...book, own: new Map([...book.own, [id, toModel(ladder)]]) },
    );
  },
};

/** More than 300 nudges a day: a repeated wait under 5 minutes that has no end. */
function isTooMuch({ rungs, end }: Ladder): boolean {
  if (end?.times !== null) return false;
  const repeated = rungs.slice(rungs.length - end.repeat_last);
  const minutes = repeated.reduce((sum, { after }) => sum + (typeof after === 'number' ? after : 720), 0);
  return (1_440 / minutes) * repeated.length > 300;
}

const changeLadder: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const own = [...bookOf(actor).own.keys()];
    if (own.length === 0) return;
    const [id, ladder] = [random.pick(own), drawLadder(random)];
    const request = ({ ladders }: Services) => ladders.update(callerOf(actor), id, ladder);
    await changeBook(world, actor, `changes a ladder to ${JSON.stringify(ladder)}`, request, (book) => {
      const isChosen = book.account === id || [...book.labels.values()].includes(id);
      if (isTooMuch(ladder) || (isChosen && isShort(toModel(ladder)))) return undefined;
      return { ...book, own: new Map([...book.own, [id, toModel(ladder)]]) };
    });
  },
};

const deleteLadder: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const own = [...bookOf(actor).own.keys()];
    if (own.length === 0) return;
    const id = random.pick(own);
    const request = ({ ladders }: Services) => ladders.delete(callerOf(actor), id);
    await changeBook(world, actor, 'deletes a ladder', request, (book) => ({
      own: new Map([...book.own].filter(([one]) => one !== id)),
      labels: new Map([...book.labels].filter(([, name]) => name !== id)),
      account: book.account === id ? null : book.account,
    }));
  },
};

const chooseLadder: StepKind = {
  weight: 5,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (!task) return;
    await meetNudge(world, task, random);
    if (random.chance(0.2)) return doChooseLadder(world, actor, task, null, () => true);
    if (random.chance(0.5)) {
      const name = drawName(actor, random);
      return doChooseLadder(world, actor, task, { given: choiceOf(name), model: name }, ({ isMustNotMiss }) => {
        const ladder = findNamed(name, bookOf(world.person(task.owner)));
        return ladder !== undefined && (isMustNotMiss || !isShort(ladder));
      });
    }
    const ladder = drawLadder(random);
    await doChooseLadder(world, actor, task, { given: ladder, model: toModel(ladder) }, ({ isMustNotMiss }) =>
      isMustNotMiss ? !isTooMuch(ladder) : !isShort(toModel(ladder)),
    );
  },
};

/** The task may be missed again, and its ladder does not fit it any more. */
const loosen: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const tasks = [...world.tasks.values()].filter((one) => one.isOpen && one.owner === actor.id);
    const task = tasks.find((one) => one.mode === 'escalate' && one.isAccepted);
    if (!task) return;
    if (!task.isMustNotMiss) await doEdit(world, actor, task, { isMustNotMiss: true });
    const chosen = { given: BRIEF, model: toModel(BRIEF) };
    await doChooseLadder(world, actor, task, chosen, ({ isMustNotMiss }) => isMustNotMiss);
    if (random.chance(0.5)) await meetNudge(world, task, random);
    await doEdit(world, actor, task, { isMustNotMiss: false });
  },
};

/** A ladder that stops early does not stop for a task that must not be missed. */
const insist: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const tasks = [...world.tasks.values()].filter((one) => one.isOpen && one.owner === actor.id && one.isAccepted);
    const task = tasks.findLast((one) => one.mode === 'escalate' && one.due !== null);
    if (!task) return;
    await doChooseLadder(world, actor, task, { given: BRIEF_STOP, model: toModel(BRIEF_STOP) }, () => true);
    if (!task.isMustNotMiss) await doEdit(world, actor, task, { isMustNotMiss: true });
    const until = world.now + random.between(1, 30) * MINUTE_MS;
    await doAction(world, actor, task, { name: 'snooze', until });
  },
};

/** The owner's labels have ladders, and whoever assigned the task changes its label. */
const relabelOther: StepKind = {
  weight: 3,
  async run(world, _actor, random) {
    const task = [...world.tasks.values()].find(
      ({ isOpen, isAccepted, assigner, ladder }) => isOpen && isAccepted && assigner !== null && ladder === null,
    );
    if (!task) return;
    const [owner, assigner] = [world.person(task.owner), world.person(task.assigner ?? '')];
    if (owner.isGone || assigner.isGone) return;
    await wantForLabel(world, owner, task.label, 'persistent');
    await doEdit(world, assigner, task, { label: random.pick(LABELS.filter((label) => label !== task.label)) });
    if (owner.settings.isSuspended !== true && task.mode === 'escalate')
      await doAction(world, owner, task, { name: 'snooze', until: world.now + 10 * MINUTE_MS });
  },
};

const setHeadsUps: StepKind = {
  weight: 4,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (!task) return;
    await meetNudge(world, task, random);
    const draw = (): HeadsUp =>
      random.chance(0.7) ? { minutes: random.pick([1, 10, 30, 60, 90, 300, 1_440]) } : { days: random.between(0, 2) };
    const drawn = Array.from({ length: random.between(0, 3) }, draw);
    const unique = [...new Map(drawn.map((one) => [JSON.stringify(one), one])).values()];
    await doSetHeadsUps(world, actor, task, unique);
  },
};

const relabel: StepKind = {
  weight: 3,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (!task) return;
    await meetNudge(world, task, random);
    await doEdit(world, actor, task, { label: random.pick(LABELS) });
  },
};

export const steps = {
  setDefaultLadder: setDefault,
  setLabelLadder: setLabel,
  makeLadder,
  changeLadder,
  deleteLadder,
  chooseLadder,
  loosen,
  insist,
  relabelOther,
  setHeadsUps,
  relabel,
};
