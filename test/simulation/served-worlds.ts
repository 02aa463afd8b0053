/** Worlds in which strangers share the servers of a provider of channels. */
import { Random } from './random.ts';

export interface PlannedServer {
  readonly origin: string;
  /** How long it takes for a message when nothing is wrong. */
  readonly usualMs: number;
}

const SERVED_EVERY = 8;
export const SERVED = { create: 1, crowd: 2, troubleServer: 6 } as const;

/** Most messages are sent at once. */
const TIERS: readonly (readonly number[])[] = [[0], [0, 0], [0, 1], [1, 2]];

/** Undefined in the other worlds. */
export function drawServers(seed: number): readonly PlannedServer[] | undefined {
  if (seed % SERVED_EVERY !== 5) return undefined;
  const random = new Random(seed);
  return ['one', 'two', 'three'].map((name) => ({
    origin: `https://${name}.test`,
    usualMs: random.pick([40, 40, 300, 900]),
  }));
}

export const drawTiers = (seed: number, index: number): readonly number[] => new Random(seed + index).pick(TIERS);
