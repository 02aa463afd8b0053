/**
 * The plan of a world, drawn from its seed before it starts: its people, and a list of steps. A step is data, with its
 * own random number for its details. So steps can be left out of a plan without changing the other steps.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { PLACES_PER_SERVER } from '../../src/push/channel-provider.ts';
import type { Platform } from '../../src/push/gateway.ts';
import type { Place } from './channels.ts';
import { drawClocks, hasEngineClock, type TwoClocks } from './clocks.ts';
import { DOOR_STEPS } from './door-book.ts';
import { HERE, type Holding, THERE } from './holder.ts';
import type { Invariant } from './invariant.ts';
import { DAY_MS } from './model/zone.ts';
import type { Person } from './person.ts';
import { Random } from './random.ts';
import { drawServers, drawTiers, type PlannedServer, SERVED } from './served-worlds.ts';
import type { World } from './world.ts';

export interface Step {
  /** Milliseconds since the start, by the clock of tasks. */
  readonly at: number;
  readonly kind: string;
  readonly who: number;
  readonly pick: number;
}

export interface PlannedPerson {
  readonly name: string;
  readonly zone: string;
  readonly quiet: readonly [string, string] | null;
  readonly dayStart: string;
  readonly platforms: readonly Platform[];
  /** The tiers of their channels. */
  readonly tiers: readonly number[];
  /** Where the first of them leads. */
  readonly place?: Place;
  readonly fallbackMinutes: number;
}

export interface Plan {
  readonly seed: number;
  readonly startsAt: number;
  readonly days: number;
  readonly rowsAtOnce: number;
  /** The database is a file, with a reader beside its writer. */
  readonly isApart?: boolean;
  readonly people: readonly PlannedPerson[];
  /** The provider of channels holds messages for people. */
  readonly holding?: Holding;
  /** The clock of tasks differs from that of real time. */
  readonly clocks?: TwoClocks;
  /** The engine's clock differs from that of the API. */
  readonly hasEngineClock?: boolean;
  /** The provider of channels has several, behind the real gateway. */
  readonly servers?: readonly PlannedServer[];
  /** Mails to accounts arrive. */
  readonly hasDoors?: boolean;
  readonly steps: readonly Step[];
}

/** A kind of step: something that people, phones, providers or the machine do. */
export interface StepKind {
  /** How often it happens, compared to the others. */
  readonly weight: number;
  /** Tells what happens with `world.tell`. Does nothing if it makes no sense at the moment. */
  run(world: World, actor: Person, random: Random): Promise<void>;
}

export interface PlanSize {
  readonly people: number;
  readonly tasks: number;
  readonly steps: number;
  readonly days: number;
}

const DAYS: PlanSize = { people: 3, tasks: 5, steps: 16, days: 3 };
const WEEK: PlanSize = { people: 3, tasks: 10, steps: 32, days: 7 };
/** One of so many worlds takes a week. Most faults need few steps, and a world of three days costs a third. */
const WEEK_EVERY = 9;
export const LONG: PlanSize = { people: 12, tasks: 150, steps: 1_500, days: 90 };

/** How often people close tasks that have been nudged for long, because endless nudges show nothing new. */
const TIDIED_PER_DAY = 8;

const NAMES = ['Ada', 'Ben', 'Cleo', 'Dora', 'Emil', 'Fay', 'Gus', 'Hana', 'Ivo', 'Juno', 'Kim', 'Leo'];
const ZONES = [
  'UTC',
  'Europe/Amsterdam',
  'America/New_York',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Auckland',
  'Africa/Casablanca',
];
/** Weeks in which some of these zones change their clocks, and one in which none does. */
const WEEKS = [
  '2026-03-05',
  '2026-03-26',
  '2026-04-02',
  '2026-09-03',
  '2026-09-24',
  '2026-10-22',
  '2026-10-29',
  '2026-06-15',
];
const QUIET: readonly (readonly [string, string])[] = [
  ['22:00', '07:00'],
  ['23:30', '06:15'],
  ['00:00', '05:00'],
  ['13:00', '15:00'],
  ['02:15', '02:45'],
];
const TIERS: readonly (readonly number[])[] = [[], [1], [1, 2], [1, 2, 3], [1, 2, 3], [0, 1, 3]];
const DAY_STARTS = ['09:00', '07:30', '00:00', '02:30'];

/** In one of so many worlds, somebody has neither a phone nor a channel. */
const MAILED_EVERY = 5;

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
const APART_EVERY = 7;
const APART = { create: 1, atOnce: 16 } as const;

/** In others, statements fail. */
const FAILING = { create: 1, failInRequest: 14, failAtNudge: 6, failForSeconds: 6 } as const;

export const hasOnlyMail = ({ platforms, tiers }: PlannedPerson): boolean =>
  platforms.length === 0 && tiers.length === 0;

export const pickZone = (random: Random): string => random.pick(ZONES);
export const pickQuiet = (random: Random): readonly [string, string] | null =>
  random.chance(0.6) ? random.pick(QUIET) : null;
export const pickDayStart = (random: Random): string => random.pick(DAY_STARTS);

export type StepKinds = Readonly<Record<string, StepKind>>;

/** Every file of `steps` and of `invariants`, so that a new kind of step or a new invariant is one file. */
export async function loadParts(): Promise<{ kinds: StepKinds; invariants: Invariant[] }> {
  const steps = await loadFolder<{ steps: StepKinds }>('steps');
  const invariants = await loadFolder<{ invariant: Invariant }>('invariants');
  return {
    kinds: Object.assign({}, ...steps.map((file) => file.steps)),
    invariants: invariants.map(({ invariant }) => invariant),
  };
}

async function loadFolder<T>(name: string): Promise<T[]> {
  const folder = join(import.meta.dirname, name);
  const files = globSync('*.ts', { cwd: folder }).sort();
  return Promise.all(files.map((file) => import(join(folder, file)) as Promise<T>));
}

export function drawPlan(seed: number, kinds: StepKinds, given = seed % WEEK_EVERY === 0 ? WEEK : DAYS): Plan {
  const holding = seed % HELD_EVERY === 4 ? drawHolding(seed) : undefined;
  const servers = drawServers(seed);
  const special: Special = { ...(holding && { holding }), ...(servers && { servers }) };
  const size = sizeOf(given, special);
  const random = new Random(seed);
  const names = Object.keys(kinds).sort();
  const bag = names.flatMap((name) => Array.from({ length: kinds[name]?.weight ?? 0 }, () => name));
  const hasChannels = random.chance(0.5);
  const drawn = Array.from({ length: size.people }, (_, index) =>
    drawPerson(random, NAMES[index] ?? `P${index}`, hasChannels),
  );
  const hasDoors = seed % DOORS_EVERY === 1;
  const isApart = !hasDoors && seed % APART_EVERY === 6;
  const isFailing = !hasDoors && seed % APART_EVERY === 1;
  const people = drawn.map((person, index) => fit(seed, person, index, special));
  const draw = (kind: string, from: number, until: number): Step => ({
    at: random.between(from, until),
    kind,
    who: random.below(people.length),
    pick: random.below(2 ** 31),
  });
  const lengthMs = size.days * DAY_MS;
  const steps = [
    ...(random.chance(0.6) ? [draw('share', 0, DAY_MS / 4)] : []),
    ...Array.from({ length: size.tasks }, () => draw('create', 0, lengthMs * 0.6)),
    ...Array.from({ length: size.days * TIDIED_PER_DAY }, (_, part) =>
      draw('tidyUp', (part * DAY_MS) / TIDIED_PER_DAY, ((part + 1) * DAY_MS) / TIDIED_PER_DAY),
    ),
    ...Array.from({ length: size.steps }, () => draw(random.pick(bag), 0, lengthMs)),
    ...(isAsking(seed) ? drawMore(seed, size, ASKED, Math.min(lengthMs / 2, DAY_MS * 1.5)) : []),
    ...(seed % STANDING_IN_EVERY === 2 ? drawStandIns(seed, size) : []),
    ...(holding ? drawMore(seed, size, HELD, lengthMs - DAY_MS) : []),
    ...(servers ? drawMore(seed, size, SERVED, lengthMs - DAY_MS / 4) : []),
    ...(seed % KEYED_EVERY === 0 ? drawMore(seed, size, KEYED, lengthMs) : []),
    ...(seed % HANDED_EVERY === 2 ? drawMore(seed + 1, size, HANDED, lengthMs) : []),
    ...(hasDoors ? drawMore(seed + 2, size, DOOR_STEPS, lengthMs) : []),
    ...(seed % SYNCED_EVERY === 3 ? drawApps(seed, size) : []),
    ...(isApart ? drawMore(seed, size, APART, lengthMs) : []),
    ...(isFailing ? drawMore(seed, size, FAILING, lengthMs) : []),
  ].sort((a, b) => a.at - b.at);
  // What opens an account is modelled by one clock.
  const clocks = hasDoors ? undefined : drawClocks(seed, holding !== undefined);
  return {
    seed,
    startsAt: Date.parse(`${random.pick(WEEKS)}T00:00:00Z`) + random.below(DAY_MS),
    days: size.days,
    rowsAtOnce: random.chance(0.5) ? 100 : 2,
    people,
    steps,
    ...special,
    ...(clocks && { clocks }),
    ...(!hasDoors && hasEngineClock(seed, special.holding !== undefined) && { hasEngineClock: true }),
    ...(hasDoors && { hasDoors }),
    ...(isApart && { isApart }),
  };
}

/** Each nudge moves what is held, so a day costs several times as much. */
const halfOf = ({ people, tasks, steps, days }: PlanSize): PlanSize => ({
  people,
  tasks: Math.ceil(tasks / 2),
  steps: Math.ceil(steps / 2),
  days: Math.ceil(days / 2),
});

type Special = Pick<Plan, 'holding' | 'servers'>;

/** Where servers are shared, there are more people than places. Their crowds cost as much as the other half of the days. */
function sizeOf(given: PlanSize, { holding, servers }: Special): PlanSize {
  if (holding) return halfOf(given);
  return servers ? { ...halfOf(given), people: PLACES_PER_SERVER + 1 } : given;
}

const isAsking = (seed: number): boolean => seed % ASKING_EVERY === 1;

/** Changes a person by the seed alone, so that the other worlds stay as they are. */
function fit(seed: number, drawn: PlannedPerson, index: number, { holding, servers }: Special): PlannedPerson {
  if (holding) return { ...drawn, ...drawPlace(seed, drawn, index) };
  if (seed % MAILED_EVERY === 0 && index === 0) return { ...drawn, platforms: [], tiers: [] };
  const person = servers ? { ...drawn, tiers: drawTiers(seed, index) } : drawn;
  // Messages about requests reach browsers, and no phones.
  return isAsking(seed) && index === 1 ? { ...person, platforms: ['web'] } : person;
}

const drawHolding = (seed: number): Holding => {
  const random = new Random(seed);
  return {
    mostPerDay: random.pick([null, 250, 100]),
    longestMs: random.pick([3, 3, 3, 0.9, 0.3]) * DAY_MS,
  };
};

/** Two share a server elsewhere; the server of the others is on the machine of the service. */
const drawPlace = (seed: number, { tiers }: PlannedPerson, index: number) => ({
  tiers: tiers.length > 0 ? tiers : [1],
  place: { server: index < 2 ? THERE : HERE, isPrivate: new Random(seed + index).chance(0.3) },
});

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

/**
 * The first kind at once, the others later, and half as many in a world of a few days. Drawn from numbers of its own, like
 * the people above.
 */
function drawMore(
  seed: number,
  { people, days }: PlanSize,
  counts: Readonly<Record<string, number>>,
  untilMs: number,
): Step[] {
  const random = new Random(seed);
  const share = days < WEEK.days / 2 ? 0.5 : 1;
  return Object.entries(counts).flatMap(([kind, count], order) =>
    Array.from({ length: Math.ceil(count * share) }, () => ({
      at: order === 0 ? 0 : random.between(DAY_MS / 4, untilMs),
      kind,
      who: random.below(people),
      pick: random.below(2 ** 31),
    })),
  );
}

function drawPerson(random: Random, name: string, hasChannels: boolean): PlannedPerson {
  const platforms: Platform[] = [random.pick(['ios', 'android', 'web'])];
  if (random.chance(0.3)) platforms.push('ios');
  return {
    name,
    zone: pickZone(random),
    quiet: pickQuiet(random),
    dayStart: pickDayStart(random),
    platforms,
    tiers: hasChannels ? random.pick(TIERS) : [],
    fallbackMinutes: random.pick([1, 3, 5, 5]),
  };
}
