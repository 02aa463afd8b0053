/** What people do to tasks. */
import type { ShownTask as Task } from '../../../src/tasks/shown-tasks.store.ts';
import { callerOf, doAction, doEdit, doEndSnooze, doRingAnyway, meetNudge, pickTask, writtenDue } from '../actions.ts';
import { learnAnswers } from '../channels.ts';
import { findUntruth } from '../compare.ts';
import type { ActionName, ModelTask, Rule } from '../model/task.ts';
import { DAY_MS, startOfDay, wallAt } from '../model/zone.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import type { Answer } from '../process.ts';
import type { Random } from '../random.ts';
import { relationOf } from '../visibility.ts';
import { ANSWER_WITHIN_MS, type World } from '../world.ts';

const MINUTE_MS = 60_000;

const create: StepKind = {
  // Every plan has its own number of these.
  weight: 0,
  async run(world, actor, random) {
    const title = nextTitle(world);
    const spaces = [...world.spaces].filter(([, members]) => members.has(actor.id)).map(([id]) => id);
    const space = spaces.length > 0 && random.chance(0.6) ? random.pick(spaces) : null;
    const owner = random.chance(0.3) ? random.pick([...world.people.values()]) : actor;
    await createTask(world, actor, owner, { title, space, ...drawTask(world, owner, random) });
  },
};

export const nextTitle = (world: World): string =>
  `T${world.story.filter((line) => line.includes(' creates ')).length + 1}`;

type Drawn = Pick<ModelTask, 'due' | 'hasTime' | 'leadDays' | 'mode' | 'isMustNotMiss' | 'rule'>;

export function drawTask(world: World, owner: Person, random: Random): Drawn {
  const hasTime = random.chance(0.75);
  const leadDays = random.chance(0.6) ? null : random.between(0, 2);
  const rule: Rule | null = random.chance(0.25)
    ? {
        freq: random.pick(['daily', 'weekly']),
        interval: random.between(1, 2),
        from: random.pick(['due', 'completion']),
      }
    : null;
  return {
    due: random.chance(0.1) ? null : drawDue(world, owner, random, hasTime),
    hasTime,
    leadDays,
    mode: random.chance(0.45) ? 'notify_once' : 'escalate',
    isMustNotMiss: random.chance(0.15),
    rule,
  };
}

export function drawDue(world: World, owner: Person, random: Random, hasTime: boolean): number {
  if (!hasTime) return startOfDay(wallAt(owner.settings.zone, world.now)) + random.between(0, 4) * DAY_MS;
  const soon = world.now + random.between(-120, 4_000) * MINUTE_MS;
  return random.chance(0.7) ? soon - (soon % MINUTE_MS) : soon;
}

export type NewTask = Drawn & Pick<ModelTask, 'title' | 'space'>;

export async function createTask(world: World, actor: Person, owner: Person, drawn: NewTask): Promise<void> {
  const input = inputOf(owner, drawn);
  const { owner_id, space_id, kind, ...told } = input;
  world.tell(
    `${actor.name} creates “${drawn.title}” for ${owner === actor ? 'themself' : owner.name}: ${JSON.stringify(told)}`,
  );
  followCreation(world, await world.call(({ tasks }) => tasks.create(callerOf(actor), input)), actor, owner, drawn);
}

/** What the request says. */
export function inputOf(owner: Person, drawn: NewTask) {
  const { title, space, due, hasTime, leadDays, mode, isMustNotMiss, rule } = drawn;
  return {
    title,
    kind: 'todo',
    due_at: due === null ? null : writtenDue(due, hasTime),
    has_time: hasTime,
    recurrence: rule && { ...rule },
    lead_time_days: leadDays,
    mode,
    break_quiet_hours: isMustNotMiss,
    owner_id: owner.id,
    space_id: space,
  };
}

/** The model follows what was answered. */
export function followCreation(world: World, answer: Answer<Task>, actor: Person, owner: Person, drawn: NewTask): void {
  if (answer === 'no answer') {
    findCreated(world, actor, owner, drawn);
    return;
  }
  const refusal = refusalOfNew(world, actor, owner, drawn.space);
  if ('refusal' in answer || refusal !== undefined) {
    const answered = 'refusal' in answer ? answer.refusal : 'done';
    if (answered === refusal) return;
    world.fail('answers', `Creating a task should be ${refusal ?? 'done'}, and the answer was ${answered}.`);
  }
  const { id, created_at } = answer.value;
  const tookMs = world.now - created_at.getTime();
  if (tookMs < 0 || tookMs > ANSWER_WITHIN_MS)
    world.fail('answers are true', `“${drawn.title}” has a wrong first moment.`);
  const task = newTask(world, id, actor, owner, drawn, created_at.getTime());
  world.learn(task);
  world.nudgeLog.catchUp(answer.value);
  const untruth = findUntruth(world, world.tasks.get(task.id) ?? task, answer.value);
  if (untruth !== undefined) world.fail('answers are true', untruth);
}

function refusalOfNew(world: World, actor: Person, owner: Person, space: string | null): string | undefined {
  if (owner.isGone) return 'not_found';
  const members = space === null ? undefined : world.spaces.get(space);
  if (!members || (members.has(actor.id) && members.has(owner.id))) return undefined;
  return members.has(actor.id) ? 'not_allowed' : 'not_found';
}

export function newTask(
  world: World,
  id: string,
  actor: Person,
  owner: Person,
  drawn: NewTask,
  now: number,
): ModelTask {
  const { due, hasTime } = drawn;
  const seriesFirst = due === null || !hasTime ? due : wallAt(world.person(owner.id).settings.zone, due);
  return {
    ...drawn,
    id,
    owner: owner.id,
    assigner: owner === actor ? null : actor.id,
    status: 'open',
    isOpen: true,
    isAccepted: owner === actor,
    snoozedUntil: null,
    run: 1,
    runFrom: now,
    step: 0,
    lastNudge: null,
    headsUpsDone: null,
    ringsAnywayAt: null,
    ladder: null,
    label: 'todo',
    ownersLabel: null,
    headsUps: [],
    seriesFirst,
    dueWall: seriesFirst,
    occurrenceFrom: now,
    stage: 0,
    nudges: 0,
    undo: null,
  };
}

/** The process died before it answered. If it stored the task, the task is found by its owner and title, with its entry. */
function findCreated(world: World, actor: Person, owner: Person, drawn: NewTask): void {
  world.tell('  no answer');
  const named = world.query('select id, created_at from tasks where title = ? and owner_id = ?', drawn.title, owner.id);
  const row = named.find(({ id }) => !world.tasks.has(String(id)));
  if (!row) return;
  const entries = world.query("select id from timeline where task_id = ? and kind = 'created'", String(row.id));
  if (entries.length !== 1)
    world.fail('whole or not at all', `“${drawn.title}” was stored without its timeline entry.`);
  world.learn(newTask(world, String(row.id), actor, owner, drawn, Number(row.created_at)));
}

/** People close tasks in bulk here and one by one elsewhere. Of half the tasks they take back bulk changes alone. */
function batchOf(name: ActionName, { id }: ModelTask): { readonly batch?: string } {
  const isBulk = name === 'reopen' ? /[0-7]$/.test(id) : /^(complete|skip|drop)$/.test(name);
  return isBulk ? { batch: id } : {};
}

const action = (name: ActionName, weight: number): StepKind => ({
  weight,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, name !== 'reopen');
    if (!task) return;
    await meetNudge(world, task, random);
    const until = name === 'snooze' ? { until: world.now + random.pick([-1, 5, 30, 60, 240, 1_500]) * MINUTE_MS } : {};
    await doAction(world, actor, task, { name, ...until, ...batchOf(name, task) });
  },
});

/** A person answers a notification on their phone. It names the occurrence it was about, which may be over. */
const react: StepKind = {
  weight: 9,
  async run(world, actor, random) {
    const shown = world.phones.filter(({ owner }) => owner === actor.id).flatMap(({ shown }) => [...shown.values()]);
    // A notification of somebody else's task has other buttons.
    const tasks = shown.filter(({ taskId }) => world.tasks.get(taskId)?.owner === actor.id);
    for (const notification of tasks.slice(0, 4)) {
      const task = world.tasks.get(notification.taskId);
      if (!task?.isOpen) continue;
      const { occurrence } = notification;
      if (random.chance(0.15)) await acknowledge(world, actor, task, notification.stage);
      else if (random.chance(0.2))
        await doAction(world, actor, task, { name: 'snooze', until: world.now + 30 * MINUTE_MS, occurrence });
      else await doAction(world, actor, task, { name: random.pick(['complete', 'complete', 'skip']), occurrence });
    }
  },
};

async function acknowledge(world: World, actor: Person, task: ModelTask, stage: number): Promise<void> {
  world.tell(`${actor.name} acknowledges “${task.title}” at stage ${stage}`);
  const answer = await world.call(({ deliveries }) => deliveries.acknowledge(callerOf(actor), task.id, stage));
  const noted = world.query(
    'select acked_at from deliveries where task_id = ? and recipient_id = ? and stage = ? and acked_at is not null',
    task.id,
    actor.id,
    stage,
  );
  if (answer !== 'no answer' && noted.length !== 1)
    world.fail('answers', `An acknowledgement of “${task.title}” is noted ${noted.length} times.`);
  learnAnswers(world, task.id);
}

/** Nobody lets everything climb for days. */
const tidyUp: StepKind = {
  // Every plan has its own number of these.
  weight: 0,
  async run(world) {
    const climbing = [...world.tasks.values()].filter((task) => task.isOpen && task.step > 4);
    for (const task of climbing) {
      const owner = world.person(task.owner);
      if (!owner.isGone && !owner.settings.isSuspended) await doAction(world, owner, task, { name: 'complete' });
    }
  },
};

const editTask: StepKind = {
  weight: 4,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random);
    if (!task) return;
    await meetNudge(world, task, random);
    const owner = world.person(task.owner);
    const change = random.pick([
      () => ({ title: `${task.title}'` }),
      () => ({ due: drawDue(world, owner, random, task.hasTime) }),
      () => ({ due: drawDue(world, owner, random, task.hasTime) }),
      () => ({ mode: task.mode === 'escalate' ? ('notify_once' as const) : ('escalate' as const) }),
      () => ({ leadDays: random.pick([null, 0, 1, 2]) }),
      () => ({ isMustNotMiss: !task.isMustNotMiss }),
    ])();
    await doEdit(world, actor, task, change);
  },
};

/** A person lets the next nudge pass quiet hours and pauses, or takes that back; now and then at a wrong moment. */
const ringAnyway: StepKind = {
  weight: 5,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (!task) return;
    const owner = world.person(task.owner);
    // Most tasks are due in daylight. A snooze into quiet hours is what people are asked about.
    if (random.chance(0.4) && actor === owner)
      await doAction(world, actor, task, { name: 'snooze', until: world.now + random.between(1, 600) * MINUTE_MS });
    const wanted = world.expected.get(task.id)?.wanted ?? world.now + MINUTE_MS;
    const at = random.chance(0.1) ? null : wanted + (random.chance(0.1) ? MINUTE_MS : 0);
    await doRingAnyway(world, actor, task, at);
    await meetNudge(world, task, random);
  },
};

/** A person takes a snooze back, often one that they have just made. */
const endSnooze: StepKind = {
  weight: 3,
  async run(world, actor, random) {
    const task = pickTask(world, actor, random, true);
    if (!task) return;
    if (random.chance(0.5) && actor === world.person(task.owner))
      await doAction(world, actor, task, { name: 'snooze', until: world.now + random.between(1, 600) * MINUTE_MS });
    await doEndSnooze(world, actor, task);
    await meetNudge(world, task, random);
  },
};

/** Any person tries to read any task. The service shows it as it is, or says that it does not exist. */
const read: StepKind = {
  weight: 4,
  async run(world, actor, random) {
    const tasks = [...world.tasks.values()];
    if (tasks.length === 0) return;
    const task = random.pick(tasks);
    const isToken = random.chance(0.3);
    const token = { tokenId: 'token', scopes: [], maxStage: null, maxOpenTasks: null, shortestWait: null };
    const caller = isToken ? ({ kind: 'token', userId: actor.id, ...token } as const) : callerOf(actor);
    const answer = await world.call(({ tasks: service }) => service.get(caller, task.id));
    if (answer === 'no answer') return;
    const relation = relationOf(world, actor.id, world.tasks.get(task.id) ?? task);
    const mayRead = isToken ? relation === 'owner' : relation !== undefined;
    if ('refusal' in answer) {
      if (mayRead && !world.corrections.unsettled.has(task.id))
        world.fail('visibility', `${actor.name} may see “${task.title}” and got ${answer.refusal}.`);
      return;
    }
    if (!mayRead) world.fail('visibility', `${actor.name} must not see “${task.title}”, and was shown it.`);
    world.nudgeLog.catchUp(answer.value);
    const untruth = findUntruth(world, world.tasks.get(task.id) ?? task, answer.value);
    if (untruth !== undefined) world.fail('answers are true', untruth);
  },
};

export const steps = {
  create,
  complete: action('complete', 4),
  skip: action('skip', 2),
  snooze: action('snooze', 4),
  drop: action('drop', 2),
  reopen: action('reopen', 3),
  accept: action('accept', 4),
  decline: action('decline', 1),
  react,
  tidyUp,
  edit: editTask,
  ringAnyway,
  endSnooze,
  read,
};
