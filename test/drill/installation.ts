/**
 * The processes of the service, as an operator runs them: three engines and two APIs on PostgreSQL, or one process on
 * SQLite.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineName } from '../support/engines.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import type { Interruption } from './book.ts';
import { Disk } from './disk.ts';
import { type MachineClock, Member, type Role } from './member.ts';

/** A start that began before the end of a hardship may fail after it. */
const EXCUSED_MS = 20_000;
const DISK_MEBIBYTES = { sqlite: 64, postgres: 320 } as const;
/** The log must not fill the small disk by itself, and tables are cleaned as often as rows go. */
const POSTGRES_SETTINGS = ['max_wal_size=96MB', 'autovacuum_naptime=15s'];

const RIGHT_CLOCK: MachineClock = { shiftMs: 0, speed: 1 };

interface Plan {
  readonly engine: EngineName;
  readonly roles: readonly Role[];
  readonly settings: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
  /** Of each process in turn. */
  readonly clocks?: readonly MachineClock[];
  readonly onViolation: (sentence: string) => void;
  readonly onDeath?: (name: string) => void;
}

/** A request to a member. */
export interface Sent {
  readonly member: Member;
  readonly isWrite: boolean;
}

export class Installation implements AsyncDisposable {
  readonly engine: EngineName;
  readonly members: Member[] = [];
  readonly disk: Disk;
  readonly postgres: PostgresServer | undefined;
  /** What kept processes from storing results. */
  readonly interruptions: Interruption[] = [];
  readonly #parts: AsyncDisposableStack;
  /** How often the database or its disk is away now, and until when the last time excuses a start that fails. */
  #hardships = 0;
  #excusedUntil = 0;
  /** Called when a request has been sent to a member, and when a member has answered it for good. */
  onSent: (sent: Sent) => void = () => undefined;
  onAcknowledged: (sent: Sent) => void = () => undefined;

  private constructor(
    engine: EngineName,
    parts: AsyncDisposableStack,
    disk: Disk,
    postgres: PostgresServer | undefined,
  ) {
    this.engine = engine;
    this.#parts = parts;
    this.disk = disk;
    this.postgres = postgres;
  }

  static async start(plan: Plan): Promise<Installation> {
    const { engine } = plan;
    const parts = new AsyncDisposableStack();
    const disk = parts.use(new Disk(DISK_MEBIBYTES[engine]));
    const postgres =
      engine === 'postgres'
        ? parts.adopt(await PostgresServer.start({ parent: disk.folder, settings: POSTGRES_SETTINGS }), (server) =>
            server.stop(),
          )
        : undefined;
    const installation = new Installation(engine, parts, disk, postgres);
    parts.defer(async () => void (await Promise.all(installation.members.map((member) => member.end()))));
    try {
      await installation.#startMembers(plan);
      return installation;
    } catch (error) {
      await parts.disposeAsync();
      throw error;
    }
  }

  /** While the database or its disk is away, no process stores results, and a start may fail. */
  async endure(name: string, hardship: () => Promise<void>): Promise<void> {
    const interruption = { name, pid: undefined, from: Date.now(), until: Number.POSITIVE_INFINITY };
    this.interruptions.push(interruption);
    this.#hardships += 1;
    await hardship();
    this.#hardships -= 1;
    interruption.until = Date.now();
    this.#excusedUntil = interruption.until + EXCUSED_MS;
  }

  get databaseUrl(): string {
    return this.postgres?.urlOf('postgres') ?? `sqlite:${join(this.disk.folder, 'data', 'crescendo.db')}`;
  }

  /** Those that answer requests, and run. */
  get apis(): Member[] {
    return this.members.filter(({ role, baseUrl }) => role !== 'engine' && baseUrl !== undefined);
  }

  get engines(): Member[] {
    return this.members.filter(({ role, pid }) => role !== 'api' && pid !== undefined);
  }

  get running(): Member[] {
    return this.members.filter(({ pid }) => pid !== undefined);
  }

  /** Also those that start. */
  get pids(): number[] {
    return this.members.flatMap(({ launchedPid }) => launchedPid ?? []);
  }

  async #startMembers({ roles, settings, nodeFlags = [], clocks = [], ...told }: Plan): Promise<void> {
    const { onViolation, onDeath = () => undefined } = told;
    const onInterruption = (interruption: Interruption) => void this.interruptions.push(interruption);
    const startedAt = Date.now();
    const folder = join(this.disk.folder, 'data');
    mkdirSync(folder);
    const common = {
      DATABASE_URL: this.databaseUrl,
      DATA_DIR: folder,
      SECRET_KEY: 'a key for the drill, long enough to be taken',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      ...settings,
    };
    for (const [index, role] of roles.entries()) {
      const name = roles.length === 1 ? 'the service' : `${role} ${index + 1}`;
      const isExcused = () => this.#hardships > 0 || Date.now() < this.#excusedUntil;
      const clock = { ...(clocks[index] ?? RIGHT_CLOCK), startedAt };
      const parts = { role, settings: common, nodeFlags, clock, onViolation, onDeath, onInterruption, isExcused };
      const member = new Member(name, parts);
      this.members.push(member);
      // One after another: the first one creates the tables, and a start takes all the CPU time it can get.
      await member.ready();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}
