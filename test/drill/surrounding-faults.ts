/** What strikes the things that the service depends on: its database, its disk and its providers. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../simulation/random.ts';
import type { Fault } from '../support/faults.ts';
import { type FaultKind, pause, type Scene } from './faults.ts';
import type { Installation } from './installation.ts';

const OUTAGE_MS = [500, 5_000] as const;
/** More than anybody sends while a provider refuses. */
const ALL = 100_000;

const onPostgres = ({ postgres }: Installation) => (postgres ? undefined : 'there is no PostgreSQL');

export const DATABASE_FAULTS: readonly FaultKind[] = [
  {
    name: 'PostgreSQL restarts, fast',
    missing: onPostgres,
    strike: ({ installation, random }) => restart(installation, random, 'shutDown'),
  },
  {
    name: 'PostgreSQL restarts, immediate',
    missing: onPostgres,
    strike: ({ installation, random }) => restart(installation, random, 'kill'),
  },
  {
    name: 'the disk is full',
    missing: ({ disk }) => (disk.isSmall ? undefined : 'only root on Linux can mount a small disk'),
    strike: fillDisk,
  },
];

/** Two lists, so that two providers may be away at once. */
export const PROVIDER_FAULTS: readonly (readonly FaultKind[])[] = [
  [
    {
      name: 'Apple hangs',
      strike: async ({ providers: { apns }, awayMs, signal }) => {
        apns.isSilent = true;
        await pause(awayMs, signal);
        apns.isSilent = false;
        apns.drop();
      },
    },
    {
      name: 'Apple refuses',
      strike: async ({ providers: { apns }, awayMs, signal }) => {
        apns.refuseNext(ALL, { status: 500, reason: 'InternalServerError' });
        await pause(awayMs, signal);
        apns.refuseNoMore();
      },
    },
    { name: 'Google hangs', strike: (scene) => failing(scene.providers.fcm.server.faults, 'silence', scene) },
    {
      name: 'Google answers 500',
      strike: (scene) => failing(scene.providers.fcm.server.faults, { status: 500 }, scene),
    },
  ],
  [
    { name: 'webhooks hang', strike: (scene) => failing(scene.providers.webhooks.faults, 'silence', scene) },
    {
      name: 'webhooks answer 500',
      strike: (scene) => failing(scene.providers.webhooks.faults, { status: 500 }, scene),
    },
    {
      name: 'mails are refused',
      strike: async ({ providers: { mail }, awayMs, signal }) => {
        mail.refuseWith(451, ALL);
        await pause(awayMs, signal);
        mail.refuseNoMore();
      },
    },
  ],
];

function restart(installation: Installation, random: Random, end: 'shutDown' | 'kill'): Promise<void> {
  const { postgres } = installation;
  return installation.endure('PostgreSQL restarts', async () => {
    await postgres?.[end]();
    await delay(random.between(...OUTAGE_MS));
    await postgres?.resume();
  });
}

async function failing(faults: { always: Fault | undefined }, fault: Fault, { awayMs, signal }: Scene): Promise<void> {
  faults.always = fault;
  await pause(awayMs, signal);
  faults.always = undefined;
}

function fillDisk({ installation, fullMs, signal }: Scene): Promise<void> {
  const { disk, postgres } = installation;
  return installation.endure('the disk is full', async () => {
    await disk.fill();
    await pause(fullMs, signal);
    disk.free();
    // A server that could not write its log has ended; an operator starts it again when there is room.
    if (postgres && !postgres.isRunning) await postgres.resume();
  });
}
