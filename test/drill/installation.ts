/**
 * The processes of the service, as an operator runs them: three engines and two APIs on PostgreSQL, or one process on
 * SQLite. A process that ends is started again. One that ends by itself, without a fault, is a violation.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SHIFTED_CLOCK } from '../support/engine-fleet.ts';
import type { EngineName } from '../support/engines.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { Disk } from './disk.ts';

const RESTART_AFTER_MS = 300;
const LAST_WORDS = 600;
/** A start that began before the end of a hardship may fail after it. */
const EXCUSED_MS = 20_000;
const DISK_MEBIBYTES = { sqlite: 64, postgres: 320 } as const;
/** The log must not fill the small disk by itself, and tables are cleaned as often as rows go. */
const POSTGRES_SETTINGS = ['max_wal_size=96MB', 'autovacuum_naptime=15s'];
const MORTAL_STEP = ['--import', join(import.meta.dirname, 'mortal-step.ts')];

type Role = 'all' | 'api' | 'engine';

/** How the next process of a member differs from a sound one. */
export interface Ailment {
  readonly clockShiftMs?: number;
  readonly diesBefore?: string;
  readonly nth?: number;
}

interface MemberParts {
  readonly role: Role;
  readonly settings: Readonly<Record<string, string>>;
  readonly nodeFlags: readonly string[];
  /** Called with what is wrong, and with the last words of the process. */
  readonly onViolation: (sentence: string) => void;
  /** Called when it died before its step. */
  readonly onDeath: (name: string) => void;
  /** Whether a start may fail now. */
  readonly isExcused: () => boolean;
}

export class Member {
  readonly name: string;
  readonly role: Role;
  readonly #parts: MemberParts;
  readonly #living: Promise<void>;
  #service: ServiceProcess | undefined;
  #isStruck = false;
  #isEnding = false;
  #ready = Promise.withResolvers<void>();
  #ailment: Ailment;
  starts = 0;

  constructor(name: string, parts: MemberParts, ailment: Ailment = {}) {
    this.name = name;
    this.role = parts.role;
    this.#parts = parts;
    this.#ailment = ailment;
    this.#living = this.#live();
  }

  /** Undefined while it is not running. */
  get baseUrl(): string | undefined {
    return this.#service?.baseUrl;
  }

  get pid(): number | undefined {
    return this.#service?.pid;
  }

  ready(): Promise<void> {
    return this.#ready.promise;
  }

  kill(ailment: Ailment = {}): void {
    this.#isStruck = true;
    this.#ailment = { ...this.#ailment, ...ailment };
    this.signal('SIGKILL');
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#service) process.kill(this.#service.pid, signal);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    this.signal('SIGCONT');
    this.signal('SIGTERM');
    await this.#living;
  }

  async #live(): Promise<void> {
    while (!this.#isEnding) {
      const { diesBefore } = this.#ailment;
      const service = this.#launch();
      const isReady = (await service.readyOrExited()) === 'ready';
      if (isReady) this.#rise(service);
      const { code, signal } = await service.exit;
      this.#service = undefined;
      const isExpected = this.#isStruck || this.#isEnding;
      if (!isExpected && diesBefore !== undefined && signal === 'SIGKILL')
        this.#parts.onDeath(`${this.name} dies before ${diesBefore}`);
      else if (!isExpected && (isReady || !this.#parts.isExcused()))
        this.#complain(service, `${code ?? signal}`, isReady);
      this.#isStruck = false;
      await service[Symbol.asyncDispose]();
      if (!this.#isEnding) await delay(RESTART_AFTER_MS);
    }
  }

  #launch(): ServiceProcess {
    const { diesBefore, nth = 1, clockShiftMs = 0 } = this.#ailment;
    // Only this process dies of it; the one after is sound.
    this.#ailment = { clockShiftMs };
    const { settings, role, nodeFlags } = this.#parts;
    const mortal = diesBefore === undefined ? {} : { DIE_BEFORE: diesBefore, DIE_NTH: String(nth) };
    return new ServiceProcess(
      { ...settings, ROLE: role, CLOCK_SHIFT_MS: String(clockShiftMs), ...mortal },
      { nodeFlags: [...nodeFlags, ...SHIFTED_CLOCK, ...(diesBefore === undefined ? [] : MORTAL_STEP)] },
    );
  }

  #rise(service: ServiceProcess): void {
    this.#service = service;
    this.starts += 1;
    this.#ready.resolve();
    // Told to end while it started.
    if (this.#isEnding) this.signal('SIGTERM');
  }

  #complain({ stdout, stderr }: ServiceProcess, exit: string, wasReady: boolean): void {
    const words = `${stdout}${stderr}`.slice(-LAST_WORDS);
    this.#parts.onViolation(
      `${this.name} ${wasReady ? 'ended by itself' : 'did not start'} (${exit}). It said: ${words}`,
    );
  }
}

interface Plan {
  readonly engine: EngineName;
  readonly roles: readonly Role[];
  readonly settings: Readonly<Record<string, string>>;
  readonly nodeFlags?: readonly string[];
  /** Of each process in turn. */
  readonly clockShiftsMs?: readonly number[];
  readonly onViolation: (sentence: string) => void;
  readonly onDeath?: (name: string) => void;
}

export class Installation implements AsyncDisposable {
  readonly engine: EngineName;
  readonly members: Member[] = [];
  readonly disk: Disk;
  readonly postgres: PostgresServer | undefined;
  readonly #parts: AsyncDisposableStack;
  /** How many faults of the surroundings are at work, and until when the last one excuses a start that fails. */
  #hardships = 0;
  #excusedUntil = 0;
  /** Called when a request has been sent to a member, and when a member has acknowledged a write. */
  onSent: (member: Member) => void = () => undefined;
  onAcknowledged: (member: Member) => void = () => undefined;

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

  /** While something that the service needs is away, processes may fail to start. */
  async endure(hardship: () => Promise<void>): Promise<void> {
    this.#hardships += 1;
    await hardship();
    this.#hardships -= 1;
    this.excuse();
  }

  /** A start that fails now is no violation. */
  excuse(): void {
    this.#excusedUntil = Date.now() + EXCUSED_MS;
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

  async #startMembers({ roles, settings, nodeFlags = [], clockShiftsMs = [], ...told }: Plan): Promise<void> {
    const { onViolation, onDeath = () => undefined } = told;
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
      const clockShiftMs = clockShiftsMs[index] ?? 0;
      const parts = { role, settings: common, nodeFlags, onViolation, onDeath, isExcused };
      const member = new Member(name, parts, { clockShiftMs });
      this.members.push(member);
      // One after another: the first one creates the tables, and a start takes all the CPU time it can get.
      await member.ready();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}
