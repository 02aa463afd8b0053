/** The people of a plan. */
import type { Platform } from '../../src/push/gateway.ts';
import { HERE, THERE } from './holder.ts';
import type { PlannedPerson } from './plan.ts';
import { Random } from './random.ts';
import { drawTiers } from './served-worlds.ts';
import { isAsking, type Special } from './special-worlds.ts';

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

export const hasOnlyMail = ({ platforms, tiers }: PlannedPerson): boolean =>
  platforms.length === 0 && tiers.length === 0;

export const pickZone = (random: Random): string => random.pick(ZONES);
export const pickQuiet = (random: Random): readonly [string, string] | null =>
  random.chance(0.6) ? random.pick(QUIET) : null;
export const pickDayStart = (random: Random): string => random.pick(DAY_STARTS);

export function drawPeople(random: Random, seed: number, count: number, special: Special): PlannedPerson[] {
  const hasChannels = random.chance(0.5);
  const drawn = Array.from({ length: count }, (_, index) =>
    drawPerson(random, NAMES[index] ?? `P${index}`, hasChannels),
  );
  return drawn.map((person, index) => fit(seed, person, index, special));
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

/** Changes a person by the seed alone, so that the other worlds stay as they are. */
function fit(seed: number, drawn: PlannedPerson, index: number, { holding, servers }: Special): PlannedPerson {
  if (holding) return { ...drawn, ...drawPlace(seed, drawn, index) };
  if (seed % MAILED_EVERY === 0 && index === 0) return { ...drawn, platforms: [], tiers: [] };
  const person = servers ? { ...drawn, tiers: drawTiers(seed, index) } : drawn;
  // Messages about requests reach browsers, and no phones.
  return isAsking(seed) && index === 1 ? { ...person, platforms: ['web'] } : person;
}

/** Two share a server elsewhere; the server of the others is on the machine of the service. */
const drawPlace = (seed: number, { tiers }: PlannedPerson, index: number) => ({
  tiers: tiers.length > 0 ? tiers : [1],
  place: { server: index < 2 ? THERE : HERE, isPrivate: new Random(seed + index).chance(0.3) },
});
