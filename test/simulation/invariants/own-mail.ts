import { type Invariant, isStored, type Nudge } from '../invariant.ts';
import type { ModelTask } from '../model/task.ts';
import { DAY_MS } from '../model/zone.ts';
import type { World } from '../world.ts';

/** How many mails a task gets in a day: repetitions while there were fewer, and first nudges of a run. */
const REPEATS = 8;
const MOST = 24;

/** A person whom nothing else reaches is mailed at every stage, up to a number of mails about one task in a day. */
export const invariant: Invariant = {
  name: 'own mail',
  nudge: (world, nudge, task) => {
    if (!isMailed(world, task) || isUnclear(world, task)) return undefined;
    const rows = world.query(
      "select target_id from deliveries where entry_id = ? and provider = 'email' and kind = 'nudge'",
      nudge.entryId,
    );
    const { attempted, stored } = countMails(world, nudge);
    if (rows.length === 0)
      return attempted < REPEATS ? `“${task.title}” was not mailed at stage ${nudge.stage}.` : undefined;
    const most = isRepeat(world, nudge) ? REPEATS : MOST;
    return stored >= most ? `“${task.title}” was mailed ${stored + 1} times in a day.` : undefined;
  },
};

/** Read from the rows: a phone cannot know whether a registration without an answer was stored. */
function isMailed(world: World, { id, owner }: ModelTask): boolean {
  if (!world.plan.people.some(({ platforms }) => platforms.length === 0) || !world.storedTask(id)) return false;
  const others = [
    'select id from devices where user_id = ? and valid = 1',
    'select id from channels where user_id = ? and automatic = 0 and valid = 1 and verified_at is not null',
  ];
  return others.every((query) => world.query(query, owner).length === 0);
}

/** A clock that was set shows other moments than the mails had. */
const isUnclear = (world: World, { id, owner }: ModelTask): boolean =>
  world.corrections.loose.has(id) ||
  world.corrections.unsettled.has(id) ||
  world.clocks.taskMs(world.elapsedMs - world.clocks.setMs.clock) <= 2 * DAY_MS ||
  world.person(owner).reachChangedMs >= world.elapsedMs - 60_000;

/** A process that died may not have stored that it sent a mail. */
function countMails(world: World, { taskId, at }: Nudge): { attempted: number; stored: number } {
  const today = world.mails.filter((mail) => mail.taskId === taskId && mail.at > at - DAY_MS && mail.at < at);
  const nudges = (mails: typeof today) => new Set(mails.map((mail) => `${mail.at} ${mail.stage}`)).size;
  return {
    attempted: nudges(today),
    stored: nudges(today.filter((mail) => !mail.isRefused && isStored(mail, world.elapsedMs))),
  };
}

const isRepeat = (world: World, { taskId, run, entryId }: Nudge): boolean =>
  (world.nudgeLog.followed.get(taskId) ?? []).some(
    (nudge) => nudge.run === run && nudge.stage >= 0 && nudge.entryId !== entryId,
  );
