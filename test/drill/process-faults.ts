/** What strikes the processes of the service. */
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultKind, Scene } from './faults.ts';
import type { Installation, Sent } from './installation.ts';
import type { Member } from './member.ts';

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
/** The key of a request is claimed by then, and nothing else is done. */
const AFTER_CLAIM = 'insert into "?tasks';
const CLOCK_SHIFTS_MS = { sqlite: [-2_000, 0, 2_000], postgres: [-600_000, -10_000, 0, 10_000, 600_000] } as const;
/** Where the service has no clock but the machine's, what it sends may be wrong by this. */
export const CLOCK_ERROR_MS = { sqlite: 2_000, postgres: 0 } as const;
const WAIT_FOR_TRAP_MS = 5_000;

/** Each is over when its process has been struck; another takes its place. */
export const PROCESS_FAULTS: readonly FaultKind[] = [
  { name: 'kill', strike: async (scene) => anyOf(scene)?.kill() },
  { name: 'stop', strike: async (scene) => anyOf(scene)?.stop(scene.stopMs, scene.signal) },
  {
    name: 'kill after an acknowledged write',
    strike: ({ installation }) => trap(installation, 'onAcknowledged', ({ member }) => member.kill()),
  },
  {
    name: 'kill in the middle of a request',
    strike: ({ installation, random }) =>
      trap(installation, 'onSent', ({ member }) => void setTimeout(() => member.kill(), random.between(0, 15))),
  },
  {
    name: 'kill every engine while pushes are open at the provider',
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
    // The process that takes its place dies before the step.
    strike: async (scene) =>
      anyOf(scene)?.kill({ diesBefore: scene.random.pick(STEPS), nth: scene.random.between(1, 12) }),
  },
  {
    name: 'die with a key in progress',
    strike: async ({ installation: { apis }, random }) => {
      if (apis.length > 0) random.pick(apis).kill({ diesBefore: AFTER_CLAIM, nth: 1 });
    },
  },
  {
    name: 'a clock is set',
    strike: async (scene) =>
      anyOf(scene)?.kill({ clockShiftMs: scene.random.pick(CLOCK_SHIFTS_MS[scene.installation.engine]) }),
  },
];

const anyOf = ({ installation: { running }, random }: Scene): Member | undefined =>
  running.length === 0 ? undefined : random.pick(running);

/** Strikes the first member that a write comes by, within some seconds. */
async function trap(
  installation: Installation,
  hook: 'onSent' | 'onAcknowledged',
  strike: (sent: Sent) => void,
): Promise<void> {
  const sprung = Promise.withResolvers<void>();
  installation[hook] = (sent) => {
    if (!sent.isWrite) return;
    installation[hook] = () => undefined;
    strike(sent);
    sprung.resolve();
  };
  await Promise.race([sprung.promise, delay(WAIT_FOR_TRAP_MS, undefined, { ref: false })]);
  installation[hook] = () => undefined;
}
