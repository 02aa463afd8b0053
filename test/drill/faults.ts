/**
 * What is done to an installation while people use it. Two of them may be at work at once: one that strikes processes, and
 * one that strikes what they depend on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../simulation/random.ts';
import type { Fault } from './book.ts';
import type { Installation, Member } from './installation.ts';
import type { Providers } from './providers.ts';

export interface Scene {
  readonly installation: Installation;
  readonly providers: Providers;
  readonly random: Random;
  /** How long a process is stopped, a provider is away and the disk is full. */
  readonly longMs: number;
  readonly print: (line: string) => void;
}

interface FaultKind {
  readonly name: string;
  readonly losesResults: boolean;
  /** Why it cannot be tried here, if it cannot. */
  readonly missing?: (installation: Installation) => string | undefined;
  strike(scene: Scene): Promise<void>;
}

/** Steps of requests and of engines after which something is half done. */
const STEPS = [
  'insert into "?tasks',
  'insert into "?deliveries',
  'insert into "?timeline',
  'insert into "?idempotency_keys',
  'update "?idempotency_keys',
  'update deliveries set next_attempt_at',
  "update deliveries set status = 'sent'",
  '^POST ',
  'commit',
];
const CLOCK_SHIFTS_MS = { sqlite: [-2_000, 0, 2_000], postgres: [-600_000, -10_000, 0, 10_000, 600_000] } as const;
/** Where the service has no clock but the machine's, what it sends may be wrong by this. */
export const CLOCK_ERROR_MS = { sqlite: 2_000, postgres: 0 } as const;
const WAIT_FOR_TRAP_MS = 5_000;
const OUTAGE_MS = [500, 5_000] as const;

const onPostgres = ({ postgres }: Installation) => (postgres ? undefined : 'there is no PostgreSQL');

/** Faults of processes. Each is over when its process has been struck; another takes its place. */
export const PROCESS_FAULTS: readonly FaultKind[] = [
  { name: 'kill', losesResults: true, strike: async (scene) => anyOf(scene)?.kill() },
  {
    name: 'stop',
    losesResults: true,
    strike: async (scene) => {
      const member = anyOf(scene);
      member?.signal('SIGSTOP');
      await delay(scene.longMs);
      member?.signal('SIGCONT');
    },
  },
  {
    name: 'kill after an acknowledged write',
    losesResults: true,
    strike: ({ installation }) => trap(installation, 'onAcknowledged', (member) => member.kill()),
  },
  {
    name: 'kill in the middle of a request',
    losesResults: true,
    strike: ({ installation, random }) =>
      trap(installation, 'onSent', (member) => void setTimeout(() => member.kill(), random.between(0, 15))),
  },
  {
    name: 'kill every engine while pushes are open at the provider',
    losesResults: true,
    strike: async ({ installation, providers: { apns } }) => {
      apns.hold();
      for (let waitedMs = 0; waitedMs < WAIT_FOR_TRAP_MS && apns.heldIds.length === 0; waitedMs += 20) await delay(20);
      for (const engine of installation.engines) engine.kill();
      await delay(100);
      apns.release();
    },
  },
  {
    name: 'kill at a step',
    losesResults: true,
    // The process that takes its place dies before the step.
    strike: async (scene) =>
      anyOf(scene)?.kill({ diesBefore: scene.random.pick(STEPS), nth: scene.random.between(1, 12) }),
  },
  {
    name: 'a clock is set',
    losesResults: true,
    strike: async (scene) =>
      anyOf(scene)?.kill({ clockShiftMs: scene.random.pick(CLOCK_SHIFTS_MS[scene.installation.engine]) }),
  },
];

/** Faults of what the processes depend on. */
export const SURROUNDING_FAULTS: readonly FaultKind[] = [
  {
    name: 'PostgreSQL restarts, fast',
    losesResults: true,
    missing: onPostgres,
    strike: ({ installation, random }) => restart(installation, random, 'shutDown'),
  },
  {
    name: 'PostgreSQL restarts, immediate',
    losesResults: true,
    missing: onPostgres,
    strike: ({ installation, random }) => restart(installation, random, 'kill'),
  },
  {
    name: 'Google hangs',
    losesResults: false,
    strike: ({ providers: { fcm }, longMs }) => failing(fcm.server.faults, 'silence', longMs),
  },
  {
    name: 'Google answers 500',
    losesResults: false,
    strike: ({ providers: { fcm }, longMs }) => failing(fcm.server.faults, { status: 500 }, longMs),
  },
  {
    name: 'webhooks hang',
    losesResults: false,
    strike: ({ providers: { webhooks }, longMs }) => failing(webhooks.faults, 'silence', longMs),
  },
  {
    name: 'webhooks answer 500',
    losesResults: false,
    strike: ({ providers: { webhooks }, longMs }) => failing(webhooks.faults, { status: 500 }, longMs),
  },
  {
    name: 'Apple hangs',
    losesResults: false,
    strike: async ({ providers: { apns }, longMs }) => {
      apns.isSilent = true;
      await delay(longMs);
      apns.isSilent = false;
      apns.drop();
    },
  },
  {
    name: 'Apple refuses',
    losesResults: false,
    strike: async ({ providers: { apns }, longMs }) => {
      apns.refuseNext(40, { status: 500, reason: 'InternalServerError' });
      await delay(longMs);
      apns.refuseNoMore();
    },
  },
  {
    name: 'the disk is full',
    losesResults: true,
    missing: ({ disk }) => (disk.isSmall ? undefined : 'only root on Linux can mount a small disk'),
    strike: ({ installation, longMs }) => fillDisk(installation, longMs),
  },
];

const anyOf = ({ installation: { running }, random }: Scene): Member | undefined =>
  running.length === 0 ? undefined : random.pick(running);

/** Strikes the first member that comes by, within some seconds. */
async function trap(
  installation: Installation,
  hook: 'onSent' | 'onAcknowledged',
  strike: (member: Member) => void,
): Promise<void> {
  const sprung = Promise.withResolvers<void>();
  installation[hook] = (member) => {
    installation[hook] = () => undefined;
    strike(member);
    sprung.resolve();
  };
  await Promise.race([sprung.promise, delay(WAIT_FOR_TRAP_MS, undefined, { ref: false })]);
  installation[hook] = () => undefined;
}

async function restart({ postgres }: Installation, random: Random, end: 'shutDown' | 'kill'): Promise<void> {
  await postgres?.[end]();
  await delay(random.between(...OUTAGE_MS));
  await postgres?.resume();
}

async function failing(
  faults: { always: Providers['webhooks']['faults']['always'] },
  fault: NonNullable<typeof faults.always>,
  ms: number,
): Promise<void> {
  faults.always = fault;
  await delay(ms);
  faults.always = undefined;
}

async function fillDisk({ disk, postgres }: Installation, ms: number): Promise<void> {
  await disk.fill();
  await delay(ms);
  disk.free();
  // A server that could not write its log has ended; an operator starts it again when there is room.
  if (postgres && !postgres.isRunning) await postgres.resume();
}

/** Faults of one list, drawn by a seed and with pauses, until the signal. Returns what was done. */
export async function strikeAlways(
  kinds: readonly FaultKind[],
  scene: Scene,
  pauseMs: readonly [least: number, most: number],
  done: Fault[],
  signal: AbortSignal,
): Promise<void> {
  const { installation, random } = scene;
  const possible = kinds.filter(({ missing }) => missing?.(installation) === undefined);
  let left: FaultKind[] = [];
  while (!signal.aborted) {
    await delay(random.between(...pauseMs), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    // Each once before any comes again, so that a short run has as many as it can.
    if (left.length === 0) left = [...possible];
    const kind = random.pick(left);
    left.splice(left.indexOf(kind), 1);
    await carryOut(kind, scene, done);
  }
}

async function carryOut(kind: FaultKind, scene: Scene, done: Fault[]): Promise<void> {
  const { name, losesResults } = kind;
  const fault = { name, losesResults, from: Date.now(), until: Number.POSITIVE_INFINITY };
  done.push(fault);
  scene.print(`${new Date(fault.from).toISOString().slice(11, 19)} ${name}`);
  if (SURROUNDING_FAULTS.includes(kind)) await scene.installation.endure(() => kind.strike(scene));
  else await kind.strike(scene);
  fault.until = Date.now();
}

/** The faults that this machine or this engine cannot have, with the reason. */
export const missingFaults = (installation: Installation): string[] =>
  [...PROCESS_FAULTS, ...SURROUNDING_FAULTS].flatMap(({ name, missing }) => {
    const reason = missing?.(installation);
    return reason === undefined ? [] : [`${name}: ${reason}`];
  });
