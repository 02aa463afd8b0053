/**
 * What is special of some worlds, by the seed alone, so that the other worlds stay as they are. Kinds meet in one world wherever
 * their numbers share no factor.
 */
import { drawClocks, hasEngineClock } from './clocks.ts';
import { DOOR_STEPS } from './door-book.ts';
import type { Holding } from './holder.ts';
import { DAY_MS } from './model/zone.ts';
import type { Plan, PlanSize, Step } from './plan.ts';
import { Random } from './random.ts';
import { drawServers, SERVED } from './served-worlds.ts';

/** In one of so many worlds, people share a space from the first hours on and ask each other often. */
const ASKING_EVERY = 4;
/** Only at first, because a request is repeated for days. */
const ASKED = { share: 1, askMuch: 2, askAgain: 4, toggle: 3 } as const;

/** In another of so many worlds, people of a space stand in for each other. */
const STANDING_IN_EVERY = 4;
const STANDING_IN = { share: 1, askStandIn: 8, agree: 3 } as const;
const STOOD_IN = { lookAtReached: 4, actAsStandIn: 9, bothDone: 4, quietStandIn: 2, endStandIn: 2 } as const;

/** In yet another of so many worlds, somebody has two apps that sync by CalDAV. */
const SYNCED_EVERY = 4;
const SYNCED = {
  syncApps: 1,
  useApp: 20,
  syncApp: 8,
  conflictInApps: 6,
  doneInBothApps: 4,
  crashInSync: 3,
  useAppsByOtherClock: 1,
} as const;

/** In one of so many worlds, phones change hands. */
const HANDED_EVERY = 5;
const HANDED = { create: 1, handOver: 6 } as const;

/** In the others of the worlds that are left, clients repeat their requests under a key. */
const KEYED_EVERY = 8;
const KEYED = { create: 1, keyed: 12 } as const;

/** In one of so many worlds, people sign in and out, let agents and assistants in, and import what they exported. */
const DOORS_EVERY = 8;

/** In every second of the worlds that are left, a provider holds messages in case the service falls silent. */
const HELD_EVERY = 8;
const HELD = { mustNotMiss: 2, outage: 4, changeHeld: 6, holderAway: 2, hideTitles: 1, addHolder: 2 } as const;

/** In some of the worlds of every other kind, the database is a file that is read beside its writer. */
const ODD_DATABASE_EVERY = 7;
const READ = { create: 1, atOnce: 16 } as const;

/** In others, statements fail. */
const FAILING = { create: 1, failInRequest: 14, failAtNudge: 6, failForSeconds: 6 } as const;

export const isAsking = (seed: number): boolean => seed % ASKING_EVERY === 1;

export type Special = Pick<Plan, 'holding' | 'servers' | 'clocks' | 'hasEngineClock' | 'hasDoors' | 'hasReader'>;

export function drawSpecial(seed: number): Special {
  // What opens an account is modelled by one clock and a database that works.
  if (seed % DOORS_EVERY === 1) return { hasDoors: true };
  const holding = seed % HELD_EVERY === 4 ? drawHolding(seed) : undefined;
  const servers = drawServers(seed);
  const clocks = drawClocks(seed, holding !== undefined);
  return {
    ...(holding && { holding }),
    ...(servers && { servers }),
    ...(clocks && { clocks }),
    ...(hasEngineClock(seed, holding !== undefined) && { hasEngineClock: true }),
    // Between the commit and the answer of an app, the engine may have gone on, and titles of held messages are read as they were.
    ...(seed % ODD_DATABASE_EVERY === 6 && seed % SYNCED_EVERY !== 3 && !holding && { hasReader: true }),
  };
}

export function drawSpecialSteps(seed: number, size: PlanSize, special: Special): Step[] {
  const lengthMs = size.days * DAY_MS;
  const { holding, servers, hasDoors = false, hasReader = false } = special;
  return [
    ...(isAsking(seed) ? drawMore(seed, size, ASKED, Math.min(lengthMs / 2, DAY_MS * 1.5)) : []),
    ...(seed % STANDING_IN_EVERY === 2 ? drawStandIns(seed, size) : []),
    ...(holding ? drawMore(seed, size, HELD, lengthMs - DAY_MS) : []),
    ...(servers ? drawMore(seed, size, SERVED, lengthMs - DAY_MS / 4) : []),
    ...(seed % KEYED_EVERY === 0 ? drawMore(seed, size, KEYED, lengthMs) : []),
    ...(seed % HANDED_EVERY === 2 ? drawMore(seed + 1, size, HANDED, lengthMs) : []),
    ...(hasDoors ? drawMore(seed + 2, size, DOOR_STEPS, lengthMs) : []),
    ...(seed % SYNCED_EVERY === 3 ? drawApps(seed, size) : []),
    ...(hasReader ? drawMore(seed, size, READ, lengthMs) : []),
    ...(seed % ODD_DATABASE_EVERY === 1 && !hasDoors ? drawMore(seed, size, FAILING, lengthMs) : []),
  ];
}

const drawHolding = (seed: number): Holding => {
  const random = new Random(seed);
  return {
    mostPerDay: random.pick([null, 250, 100]),
    longestMs: random.pick([3, 3, 3, 0.9, 0.3]) * DAY_MS,
  };
};

const drawStandIns = (seed: number, size: PlanSize): Step[] => [
  ...drawMore(seed, size, STANDING_IN, size.days * DAY_MS * 0.45),
  ...drawMore(seed + 1, size, STOOD_IN, size.days * DAY_MS * 0.85),
];

/** One person has the apps. At the end both sync, so that nothing is left that the service was never told. */
function drawApps(seed: number, size: PlanSize): Step[] {
  const lengthMs = size.days * DAY_MS;
  const steps = drawMore(seed, size, SYNCED, lengthMs - DAY_MS / 4);
  return [...steps, { at: lengthMs - DAY_MS / 6, kind: 'syncApps', pick: seed }].map((step) => ({
    ...step,
    who: seed,
  }));
}

/** The first kind at once, the others later. Drawn from numbers of its own, so that the usual steps stay as they are. */
function drawMore(
  seed: number,
  { people, specialShare }: PlanSize,
  counts: Readonly<Record<string, number>>,
  untilMs: number,
): Step[] {
  const random = new Random(seed);
  return Object.entries(counts).flatMap(([kind, count], order) =>
    Array.from({ length: Math.ceil(count * specialShare) }, () => ({
      at: order === 0 ? 0 : random.between(DAY_MS / 4, untilMs),
      kind,
      who: random.below(people),
      pick: random.below(2 ** 31),
    })),
  );
}
