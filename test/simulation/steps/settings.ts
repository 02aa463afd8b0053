/** People change their settings, mostly at a bad moment. */
import { callerOf, meetNudge, pickTask } from '../actions.ts';
import { findUntruth } from '../compare.ts';
import type { Settings } from '../model/ladder.ts';
import { wallAt } from '../model/zone.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import { pickDayStart, pickQuiet, pickZone } from '../planned-people.ts';
import type { Services } from '../process.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

const MINUTE_MS = 60_000;
const DELAY_MS = 60_000;

export async function change(
  world: World,
  actor: Person,
  sentence: string,
  request: (services: Services) => Promise<unknown>,
  predict: (settings: Settings) => Settings,
): Promise<void> {
  world.tell(`${actor.name} ${sentence}`);
  const answer = await world.call(request);
  if (answer === 'no answer') {
    world.tell('  no answer');
    const [row] = world.query('select * from users where id = ?', actor.id);
    const wanted = predict(actor.settings);
    const isStored = (settings: Settings) =>
      row?.timezone === settings.zone &&
      row?.day_start === settings.dayStart &&
      row?.quiet_hours_start === (settings.quiet?.[0] ?? null) &&
      row?.quiet_hours_end === (settings.quiet?.[1] ?? null) &&
      row?.pause_until === (settings.pause?.[1] ?? null) &&
      Boolean(row?.keep_must_not_miss) === settings.keepMustNotMiss &&
      row?.planned_pause_until === (settings.planned?.[1] ?? null) &&
      Boolean(row?.planned_keep_must_not_miss) === (settings.planned?.[2] ?? false) &&
      (row?.suspended_at !== null) === (settings.isSuspended ?? false);
    if (isStored(wanted)) learnSettings(world, actor, wanted);
    else if (!isStored(actor.settings))
      world.fail('whole or not at all', `The settings of ${actor.name} are half changed.`);
    return;
  }
  if ('refusal' in answer) world.fail('answers', `Changing settings was refused: ${answer.refusal}.`);
  learnSettings(world, actor, predict(actor.settings));
}

export function learnSettings(world: World, actor: Person, settings: Settings): void {
  actor.settingsBefore = actor.settings;
  actor.settings = settings;
  actor.changedMs = world.elapsedMs;
  if (settings.isSuspended) world.standIns.endOf(actor.id);
  for (const task of world.tasks.values()) if (task.owner === actor.id) world.learn(task);
}

async function waitForBadMoment(world: World, actor: Person, random: Random): Promise<void> {
  const task = pickTask(world, actor, random, true);
  if (task) await meetNudge(world, task, random);
}

/** Quiet hours begin this minute. They are short, because a held push is checked again and again. */
export async function beQuietNow(world: World, actor: Person): Promise<void> {
  const wall = wallAt(actor.settings.zone, world.now);
  await setQuietHours(world, actor, [clockOf(wall), clockOf(wall + 20 * MINUTE_MS)]);
}

export async function setQuietHours(
  world: World,
  actor: Person,
  quiet: readonly [start: string, end: string],
): Promise<void> {
  const input = { quiet_hours_start: quiet[0], quiet_hours_end: quiet[1] };
  const request = ({ settings }: Services) => settings.update(callerOf(actor), input);
  await change(world, actor, `changes settings: ${JSON.stringify(input)}`, request, (before) => ({ ...before, quiet }));
}

const clockOf = (wall: number): string => new Date(wall).toISOString().slice(11, 16);

async function lookAt(world: World, actor: Person, id: string): Promise<void> {
  const answer = await world.call(({ tasks }) => tasks.get(callerOf(actor), id));
  if (answer === 'no answer' || 'refusal' in answer) return;
  world.nudgeLog.catchUp(answer.value);
  const task = world.tasks.get(id);
  const untruth = task && findUntruth(world, task, answer.value);
  if (untruth !== undefined) world.fail('answers are true', untruth);
}

/** Looks at the tasks while the engine has not planned all of them again. */
export async function lookWhileStale(
  world: World,
  actor: Person,
  random: Random,
  changeIt: () => Promise<void>,
): Promise<void> {
  if (random.chance(0.2)) return changeIt();
  world.delayFollowUps(DELAY_MS);
  await changeIt();
  await world.pass(random.between(0, DELAY_MS / 2));
  for (const { id, owner, isOpen } of [...world.tasks.values()])
    if (owner === actor.id && isOpen) await lookAt(world, actor, id);
  await world.pass(DELAY_MS);
}

const setting = (weight: number, draw: (random: Random) => Partial<Settings>): StepKind => ({
  weight,
  async run(world, actor, random) {
    await waitForBadMoment(world, actor, random);
    const drawn = draw(random);
    const { zone, quiet, dayStart } = drawn;
    if (zone !== undefined) world.movedPeople.add(actor.id);
    const input = {
      ...(zone !== undefined && { timezone: zone }),
      ...(dayStart !== undefined && { day_start: dayStart }),
      ...(quiet !== undefined && { quiet_hours_start: quiet?.[0] ?? null, quiet_hours_end: quiet?.[1] ?? null }),
    };
    const request = ({ settings }: Services) => settings.update(callerOf(actor), input);
    const sentence = `changes settings: ${JSON.stringify(input)}`;
    await lookWhileStale(world, actor, random, () =>
      change(world, actor, sentence, request, (before) => ({ ...before, ...drawn })),
    );
  },
});

/** The outbox checks a held push again and again. In a long pause that would be most of the run. */
const hasPendingPush = (world: World, { id }: Person): boolean =>
  world.query("select 1 from deliveries where recipient_id = ? and status = 'pending' limit 1", id).length > 0;

/** When a planned pause starts, it continues the pause before it, or follows it. */
function begin(settings: Settings, now: number): Settings {
  const { pause, planned } = settings;
  if (!planned || planned[0] > now) return settings;
  if (pause && pause[1] >= planned[1]) return { ...settings, planned: null };
  const from = pause && pause[1] >= planned[0] ? pause[0] : planned[0];
  return { ...settings, pause: [from, planned[1]], keepMustNotMiss: planned[2], planned: null };
}

const pause: StepKind = {
  weight: 3,
  async run(world, actor, random) {
    await waitForBadMoment(world, actor, random);
    const until =
      world.now + random.pick(hasPendingPush(world, actor) ? [20, 20, 45, 45] : [20, 90, 600, 3_000]) * MINUTE_MS;
    const keepMustNotMiss = random.chance(0.5);
    const text = new Date(until).toISOString();
    const request = ({ settings }: Services) => settings.pause(callerOf(actor), text, keepMustNotMiss);
    await change(world, actor, `pauses until ${text}, keeping must-not-miss: ${keepMustNotMiss}`, request, (last) => {
      const before = begin(last, world.now);
      const isRunning = before.pause !== null && before.pause[1] > world.now;
      return { ...before, pause: [isRunning ? (before.pause?.[0] ?? 0) : world.now, until], keepMustNotMiss };
    });
  },
};

const endPause: StepKind = {
  weight: 1,
  async run(world, actor) {
    const request = ({ settings }: Services) => settings.endPause(callerOf(actor));
    await change(world, actor, 'ends the pause', request, (last) => {
      const before = begin(last, world.now);
      if (before.pause === null || before.pause[1] <= world.now) return before;
      return { ...before, pause: [before.pause[0], world.now] };
    });
  },
};

const planPause: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const from = world.now + random.pick([10, 90, 600]) * MINUTE_MS;
    const until = from + random.pick([20, 90, 600]) * MINUTE_MS;
    const keepMustNotMiss = random.chance(0.5);
    const [first, last] = [from, until].map((moment) => new Date(moment).toISOString()) as [string, string];
    const request = ({ settings }: Services) =>
      settings.planPause(callerOf(actor), { from: first, until: last, keepMustNotMiss });
    const sentence = `plans a pause from ${first} until ${last}, keeping must-not-miss: ${keepMustNotMiss}`;
    await change(world, actor, sentence, request, (before) => ({
      ...begin(before, world.now),
      planned: [from, until, keepMustNotMiss],
    }));
  },
};

const cancelPlannedPause: StepKind = {
  weight: 1,
  async run(world, actor) {
    const request = ({ settings }: Services) => settings.cancelPlannedPause(callerOf(actor));
    await change(world, actor, 'cancels the planned pause', request, (before) => ({
      ...begin(before, world.now),
      planned: null,
    }));
  },
};

export const steps = {
  zone: setting(2, (random) => ({ zone: pickZone(random) })),
  quietHours: setting(3, (random) => ({ quiet: pickQuiet(random) })),
  dayStart: setting(1, (random) => ({ dayStart: pickDayStart(random) })),
  pause,
  endPause,
  planPause,
  cancelPlannedPause,
};
