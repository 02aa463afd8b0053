/**
 * Strikes an installation while people use it. Faults of one list come one after another, those of different lists at the
 * same time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../simulation/random.ts';
import type { Installation } from './installation.ts';
import type { Providers } from './providers.ts';

export interface Scene {
  readonly installation: Installation;
  readonly providers: Providers;
  readonly random: Random;
  /** How long a process is stopped, a provider is away, and the disk is full. */
  readonly stopMs: number;
  readonly awayMs: number;
  readonly fullMs: number;
  /** How many writes were acknowledged. */
  readonly countWrites: () => number;
  /** Aborted when the faults must end. */
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

export interface FaultKind {
  readonly name: string;
  /** Why it cannot be tried here, if it cannot. */
  readonly missing?: (installation: Installation) => string | undefined;
  strike(scene: Scene): Promise<void>;
}

/** Between two faults of a list at least this much is done, or a busy machine would have faults and no work. */
const WRITES_BETWEEN = 8;
/** Other faults may keep people from writing for as long as they like. */
const WAITS_FOR_WORK_MS = 20_000;
const CHECK_EVERY_MS = 100;

/** Faults of one list, drawn by a seed and with pauses, until the signal. Each name is added to `done`. */
export async function strikeAlways(
  kinds: readonly FaultKind[],
  scene: Scene,
  pauseMs: readonly [least: number, most: number],
  done: string[],
): Promise<void> {
  const { installation, random, signal, print } = scene;
  const possible = kinds.filter(({ missing }) => missing?.(installation) === undefined);
  let left: FaultKind[] = [];
  while (possible.length > 0) {
    const writes = scene.countWrites();
    await pause(random.between(...pauseMs), signal);
    await untilWorked(scene, writes);
    if (signal.aborted) return;
    // Each once before any comes again, so that a short run has as many as it can.
    if (left.length === 0) left = [...possible];
    const kind = random.pick(left);
    left.splice(left.indexOf(kind), 1);
    done.push(kind.name);
    print(`${new Date().toISOString().slice(11, 19)} ${kind.name}`);
    await kind.strike(scene);
  }
}

async function untilWorked({ installation, countWrites, signal }: Scene, before: number): Promise<void> {
  const end = Date.now() + WAITS_FOR_WORK_MS;
  const hasWorked = () =>
    installation.running.length === installation.members.length && countWrites() >= before + WRITES_BETWEEN;
  while (!signal.aborted && !hasWorked() && Date.now() < end) await pause(CHECK_EVERY_MS, signal);
}

/** Ends early with the signal. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined);
