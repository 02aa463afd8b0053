/**
 * The plan of a world, drawn from its seed before it starts: its people, and a list of steps. A step is data, with its
 * own random number for its details. So steps can be left out of a plan without changing the other steps.
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { PLACES_PER_SERVER } from '../../src/push/channel-provider.ts';
import type { Platform } from '../../src/push/gateway.ts';
import type { Place } from './channels.ts';
import type { TwoClocks } from './clocks.ts';
import type { Holding } from './holder.ts';
import type { Invariant } from './invariant.ts';
import { DAY_MS } from './model/zone.ts';
import type { Person } from './person.ts';
import { drawPeople } from './planned-people.ts';
import { Random } from './random.ts';
import type { PlannedServer } from './served-worlds.ts';
import { drawSpecial, drawSpecialSteps, type Special } from './special-worlds.ts';
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
  readonly hasReader?: boolean;
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
  /** At the end, what one person is shown in one place is compared, instead of everything. */
  readonly comparesOne?: boolean;
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
  /** How many of the steps that a special world has besides. */
  readonly specialShare: number;
  readonly days: number;
}

const DAYS: PlanSize = { people: 3, tasks: 5, steps: 16, specialShare: 0.5, days: 3 };
const WEEK: PlanSize = { people: 3, tasks: 10, steps: 32, specialShare: 1, days: 7 };
/** One of so many worlds takes a week. Most faults need few steps, and a world of three days costs a third. */
const WEEK_EVERY = 9;
/** For very many seeds. What every world has costs more than its days. */
export const SHORT: PlanSize = { people: 3, tasks: 3, steps: 8, specialShare: 0.25, days: 2 };
export const LONG: PlanSize = { people: 12, tasks: 150, steps: 1_500, specialShare: 1, days: 90 };

/** How often people close tasks that have been nudged for long, because endless nudges show nothing new. */
const TIDIED_PER_DAY = 8;

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
  const special = drawSpecial(seed);
  const size = sizeOf(given, special);
  const random = new Random(seed);
  const people = drawPeople(random, seed, size.people, special);
  const steps = [...drawSteps(random, size, kinds), ...drawSpecialSteps(seed, size, special)];
  return {
    seed,
    startsAt: Date.parse(`${random.pick(WEEKS)}T00:00:00Z`) + random.below(DAY_MS),
    days: size.days,
    rowsAtOnce: random.chance(0.5) ? 100 : 2,
    people,
    steps: steps.sort((a, b) => a.at - b.at),
    ...(given === SHORT && { comparesOne: true }),
    ...special,
  };
}

function drawSteps(random: Random, size: PlanSize, kinds: StepKinds): Step[] {
  const names = Object.keys(kinds).sort();
  const bag = names.flatMap((name) => Array.from({ length: kinds[name]?.weight ?? 0 }, () => name));
  const draw = (kind: string, from: number, until: number): Step => ({
    at: random.between(from, until),
    kind,
    who: random.below(size.people),
    pick: random.below(2 ** 31),
  });
  const lengthMs = size.days * DAY_MS;
  return [
    ...(random.chance(0.6) ? [draw('share', 0, DAY_MS / 4)] : []),
    ...Array.from({ length: size.tasks }, () => draw('create', 0, lengthMs * 0.6)),
    ...Array.from({ length: size.days * TIDIED_PER_DAY }, (_, part) =>
      draw('tidyUp', (part * DAY_MS) / TIDIED_PER_DAY, ((part + 1) * DAY_MS) / TIDIED_PER_DAY),
    ),
    ...Array.from({ length: size.steps }, () => draw(random.pick(bag), 0, lengthMs)),
  ];
}

/** Each nudge moves what is held, so a day costs several times as much. */
const halfOf = (size: PlanSize): PlanSize => ({
  ...size,
  tasks: Math.ceil(size.tasks / 2),
  steps: Math.ceil(size.steps / 2),
  days: Math.ceil(size.days / 2),
});

/** Where servers are shared, there are more people than places. Their crowds cost as much as the other half of the days. */
function sizeOf(given: PlanSize, { holding, servers }: Special): PlanSize {
  // What is held takes more than a day.
  const half = given === SHORT ? { ...halfOf(DAYS), specialShare: SHORT.specialShare } : halfOf(given);
  if (holding) return half;
  return servers ? { ...half, people: PLACES_PER_SERVER + 1 } : given;
}
