/** How the installation is doing, for a person who does not read metrics: late nudges, what waits, versions, backups. */
import { findFact } from '../db/installation.ts';
import type { Processes } from '../db/processes.ts';
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { findDatabaseSize, listReleases } from './health.store.ts';

interface Waiting {
  readonly provider: string;
  readonly due: number;
  readonly later: number;
  readonly waitSeconds: number;
}

/** Messages that are held elsewhere, in case the service falls silent. */
interface HeldElsewhere {
  readonly where: string;
  readonly held: number;
  readonly one: number;
  readonly none_left: number;
  readonly horizon_seconds: number | null;
  readonly last_moved_at: Date | null;
  readonly servers: { name: string | null; people: number; failing: number; problem: string | null }[];
}

interface LastOutage {
  readonly started_at: Date;
  readonly ended_at: Date;
  readonly people: number;
  readonly nudges: number;
}

export interface HealthSources {
  readonly db: Db;
  readonly engine: 'sqlite' | 'postgres';
  /** Real time. */
  readonly clock: Clock;
  readonly version: string;
  readonly role: string;
  readonly mail: 'smtp' | 'printed' | 'off';
  /** The names of the providers that nudges can be sent to. */
  readonly configured: readonly string[];
  readonly health: { lagSeconds(): Promise<number>; lastSweepAt(): Date | null };
  readonly outbox: { list(): Promise<Waiting[]> };
  readonly processes: Pick<Processes, 'list' | 'older'>;
  readonly understudies: () => Promise<HeldElsewhere>;
  readonly findLastOutage: () => Promise<LastOutage | undefined>;
}

const RELEASES_SHOWN = 5;

/** Throws `database_unavailable` if the database does not answer. */
export async function readInstallationHealth(sources: HealthSources) {
  const { db, engine, clock, version, role, mail, health, outbox } = sources;
  const lag_seconds = await health.lagSeconds();
  const processes = await sources.processes.list();
  const backup = await findFact(db, 'last_backup');
  const outage = await sources.findLastOutage();
  return {
    version,
    node: process.versions.node,
    role,
    started_at: new Date(clock.now().getTime() - process.uptime() * 1_000),
    releases: await listReleases(db, RELEASES_SHOWN),
    engine: {
      lag_seconds,
      last_sweep_at: health.lastSweepAt(),
      processes: processes.filter(({ kind }) => kind !== 'api').length,
    },
    processes: processes.map(({ release, kind, started_at }) => ({ release, role: kind, started_at })),
    older_processes: sources.processes.older,
    database: { engine, size_bytes: await findDatabaseSize(db) },
    mail,
    providers: (await outbox.list()).map(({ provider, due, later, waitSeconds }) => ({
      provider,
      configured: sources.configured.includes(provider),
      due,
      later,
      wait_seconds: Math.round(waitSeconds),
    })),
    last_backup_at: backup?.changed_at ?? null,
    understudies: await sources.understudies(),
    last_outage: outage
      ? { from: outage.started_at, to: outage.ended_at, people: outage.people, nudges: outage.nudges }
      : null,
  };
}
