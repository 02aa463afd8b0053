/** The database fails while people ask for something, or while the engine nudges. */
import { meetNudge, pickTask } from '../actions.ts';
import { FAULT_KINDS, FAULT_SCOPES, type Fault } from '../database-faults.ts';
import type { Person } from '../person.ts';
import type { StepKind } from '../plan.ts';
import { Random } from '../random.ts';
import type { World } from '../world.ts';
import { steps as apps } from './apps.ts';
import { steps as audits } from './audits.ts';
import { steps as channels } from './channels.ts';
import { isSoon } from './faults.ts';
import { steps as keyed } from './keyed.ts';
import { steps as ladders } from './ladders.ts';
import { steps as phones } from './phones.ts';
import { steps as races } from './races.ts';
import { steps as requests } from './requests.ts';
import { steps as settings } from './settings.ts';
import { steps as spaces } from './spaces.ts';
import { steps as standIns } from './stand-ins.ts';
import { steps as tasks } from './tasks.ts';

const MINUTE_MS = 60_000;
/** What nothing has met by then never happens. */
const FORGOTTEN_MS = 60 * MINUTE_MS;
/** The longest back-off, and the next poll. */
const POLLED_MS = 8_000;

const { crashInSync: _, ...usedApps } = apps;
const { crashAtFall: __, ...usedChannels } = channels;
/** Kinds that are drawn for their own worlds alone count as much as these. */
const USUAL_WEIGHT = 3;
const ASKED: readonly StepKind[] = Object.values({
  ...tasks,
  ...settings,
  ...spaces,
  ...ladders,
  ...requests,
  ...phones,
  ...usedChannels,
  ...standIns,
  ...keyed,
  ...usedApps,
  ...audits,
  ...races,
}).flatMap((kind) => Array.from({ length: kind.weight || USUAL_WEIGHT }, () => kind));

function begin(world: World, random: Random, chosen: Pick<Fault, 'after' | 'isOnce' | 'share'>, ms: number): void {
  const kind = random.pick(FAULT_KINDS);
  const scope = random.pick(FAULT_SCOPES);
  const when = chosen.isOnce ? 'once' : `for ${ms / 1_000} s, ${chosen.share * 100} % of all`;
  world.tell(`statements fail (${scope}, after ${chosen.after}): ${kind}, ${when}`);
  const untilMs = world.elapsedMs + ms;
  world.faults.begin({ ...chosen, kind, scope, untilMs, random: new Random(random.below(2 ** 31)) });
}

const askForSomething = (world: World, actor: Person, random: Random): Promise<void> =>
  random.pick(ASKED).run(world, actor, random);

/** One statement fails while somebody asks for something, or the first one that meets it later. */
const failInRequest: StepKind = {
  // Worlds in which the database fails have their own number of these.
  weight: 0,
  async run(world, actor, random) {
    if (world.process.isDoomed) return;
    begin(world, random, { after: random.below(12), isOnce: true, share: 1 }, FORGOTTEN_MS);
    await askForSomething(world, actor, random);
    if (random.chance(0.5)) world.faults.end();
  },
};

/** One statement fails while a nudge is stored, sent, or its result is stored. */
const failAtNudge: StepKind = {
  weight: 0,
  async run(world, actor, random) {
    const soon = [...world.tasks.values()].filter(({ id }) => isSoon(world, id));
    if (soon.length === 0 || world.process.isDoomed) return;
    await world.pass(Math.max(0, (world.expected.get(random.pick(soon).id)?.at ?? 0) - world.now - 1));
    begin(world, random, { after: random.below(30), isOnce: true, share: 1 }, FORGOTTEN_MS);
    if (random.chance(0.3)) await askForSomething(world, actor, random);
  },
};

/** Many statements fail for some seconds, often while a nudge is due. */
const failForSeconds: StepKind = {
  weight: 0,
  async run(world, actor, random) {
    if (world.process.isDoomed) return;
    const task = pickTask(world, actor, random, true);
    if (task) await meetNudge(world, task, random);
    const ms = random.pick([300, 2_000, 9_000, 40_000]);
    begin(world, random, { after: random.below(5), isOnce: false, share: random.pick([1, 1, 0.5, 0.2]) }, ms);
    world.runtime.retryUntilMs = world.elapsedMs + ms + POLLED_MS;
    for (let left = random.below(3); left > 0; left -= 1) {
      await askForSomething(world, actor, random);
      if (actor.isGone || actor.settings.isSuspended) return;
      await world.pass(random.below(3_000));
    }
  },
};

export const steps = { failInRequest, failAtNudge, failForSeconds };
