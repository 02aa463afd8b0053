/**
 * The service as a process that can be killed at any await: its database, its services and its engine, composed as in
 * production, without HTTP. Stored rows survive a kill; work in progress does not.
 *
 * A killed process runs no further statement and no further timer, and its open transaction is rolled back. Promises
 * that it was waiting for never settle. The database outlives the processes. In memory it has one connection: a
 * read outside of a transaction waits for the running commit, as if the read had come a moment later. SQLite allows one
 * service at a time (a lock file ensures it, and only that process knows the moment up to which sync may read), so
 * there is never a second one next to it.
 */
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely';
import { ExportService } from '../../src/archive/export.service.ts';
import { CaldavReadingService } from '../../src/caldav/caldav-reading.service.ts';
import { CaldavWritingService } from '../../src/caldav/caldav-writing.service.ts';
import { CalendarService } from '../../src/calendar/calendar.service.ts';
import { EventsService } from '../../src/channels/events.service.ts';
import { addOwnMail } from '../../src/channels/own-mail.store.ts';
import { composeDomain } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { OAuthError } from '../../src/connections/oauth-error.ts';
import { DirectDatabase, DirectExecutor } from '../../src/db/direct-executor.ts';
import type { Database } from '../../src/db/schema.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { sqliteDialect } from '../../src/db/sqlite/sqlite.ts';
import { AcknowledgementsService } from '../../src/deliveries/acknowledgements.service.ts';
import { ActivitiesService } from '../../src/devices/activities.service.ts';
import { DevicesService } from '../../src/devices/devices.service.ts';
import { Engine } from '../../src/engine/engine.ts';
import { StoredAnswersService } from '../../src/idempotency/stored-answers.service.ts';
import { Vault } from '../../src/keys/vault.ts';
import { Audit } from '../../src/lib/audit.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { AppError, InvalidInput } from '../../src/lib/errors.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { disabledMailer, type Mail, type Mailer } from '../../src/lib/mailer.ts';
import { forgetTurns } from '../../src/lib/next-turn.ts';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import { MAIL_LIMITS } from '../../src/push/email/client.ts';
import type { Gateway, Gateways, MessageLimits } from '../../src/push/gateway.ts';
import { TaskLadderService } from '../../src/tasks/ladder/ladder.service.ts';
import { readChangedIds, readHorizon } from '../../src/tasks/sync/sync.store.ts';
import { TaskChanges } from '../../src/tasks/task-changes.ts';
import { TaskImportService } from '../../src/tasks/task-import.service.ts';
import { TaskSearchService } from '../../src/tasks/task-search.service.ts';
import { findOwner, lockTask } from '../../src/tasks/tasks.store.ts';
import { CHANNEL_PROVIDER } from './channels.ts';
import { composeDoors } from './doors.ts';
import type { GatewayName } from './gateways.ts';
import { codeOf, type Holder, LOOK_EVERY_MS } from './holder.ts';
import { keyedRequests } from './keyed-requests.ts';
import type { Owner, Runtime } from './runtime.ts';
import { gatewayOf, type Surroundings } from './server-gateway.ts';
import type { SharedDatabase } from './shared-database.ts';

const SECRET_KEY = 'a key for tests, long enough to be taken';
const config = loadConfig({ DATABASE_URL: 'sqlite:unused.db', SECRET_KEY });
const vault = new Vault([SECRET_KEY]);
/** Reports about the arrival of messages use no other part of the channels. */
const NOT_REPORTED = {} as Pick<
  ConstructorParameters<typeof EventsService>[0],
  'senders' | 'confirmations' | 'acts' | 'tokens'
>;
/** Choosing a ladder forecasts nothing. */
const NO_FORECAST = { forecast: async () => [] };
/** A new promise for each call: a shared one would keep everything that ever waited for it in memory. */
const never = () => new Promise<never>(() => {});

export interface ProcessOptions {
  readonly database: SharedDatabase;
  readonly gateways: Readonly<Record<GatewayName, Gateway>>;
  /** Where the provider of channels has several, its gateway is the real one. */
  readonly servers: ReadonlyMap<string, Gateway>;
  /** Whether the operator offers channels. Each provider costs time in every run. */
  readonly hasChannels: boolean;
  /** Whether the service mails accounts that nothing else reaches. */
  readonly hasMail: boolean;
  /** Holds messages, if the provider of channels can. */
  readonly holder: Holder | undefined;
  /** How many rows a request or a slice changes at once. */
  readonly rowsAtOnce: number;
  /** Whether the engine may run a slice now. */
  readonly mayFollowUp: () => boolean;
  /** Takes mails to accounts, in some worlds. */
  readonly mailer: Pick<Mailer, 'send'> | undefined;
  readonly onError: (message: string) => void;
}

export class ServiceProcess implements Owner {
  readonly startedMs: number;
  readonly services: ReturnType<typeof compose>;
  readonly #database: SharedDatabase;
  #operationsLeft = Number.POSITIVE_INFINITY;
  #onDeath = Promise.withResolvers<void>();
  isDead = false;
  /** It ended in peace: whatever it had sent was answered, and the result stored. */
  isStopped = false;
  diedMs = Number.POSITIVE_INFINITY;
  readonly #runtime: Runtime;

  constructor(runtime: Runtime, options: ProcessOptions) {
    this.#runtime = runtime;
    this.startedMs = runtime.elapsedMs;
    forgetTurns();
    runtime.owner = this;
    this.#database = options.database;
    this.#database.user = this;
    this.services = compose(this, runtime, options);
    this.services.engine.start();
    runtime.owner = null;
  }

  /** Kills the process at the given operation from now: a statement, a commit, or a push. */
  dieAfter(operations: number): void {
    this.#operationsLeft = operations;
  }

  /** The database refuses the next commit, so that its transactions run again. */
  failNextCommit(): void {
    this.#database.failsNextCommit = true;
  }

  /** When what it learned at that moment was stored, give or take the moment that a commit takes. */
  storedBy(ms: number): number {
    return this.#database.faults.storedBy(ms);
  }

  /** It will die soon, or is dead. */
  get isDoomed(): boolean {
    return this.isDead || this.#operationsLeft < Number.POSITIVE_INFINITY;
  }

  /** Called before each operation. False once the process is dead. */
  mayGoOn(): boolean {
    if (this.isDead) return false;
    this.#operationsLeft -= 1;
    if (this.#operationsLeft <= 0) this.die();
    return !this.isDead;
  }

  onDeath(act: () => void): void {
    void this.#onDeath.promise.then(act);
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.diedMs = this.#runtime.elapsedMs;
    this.#database.rollBack();
    this.#onDeath.resolve();
  }

  /** Ends as in a deploy, unless it dies first. */
  async stop(): Promise<void> {
    const stopping = this.services.engine.stop();
    await Promise.race([stopping, this.#onDeath.promise]);
    if (this.isDead) return;
    this.isStopped = true;
    this.die();
  }

  /** Asks a service; it may refuse, and the process may die first. */
  async answer<T>(request: (services: Services) => Promise<T>): Promise<Answer<T>> {
    if (this.isDead) return 'no answer';
    const answer = request(this.services).then(
      (value) => ({ value }),
      (error) => this.#fail(error),
    );
    const first = await Promise.race([answer, this.#onDeath.promise]);
    return this.isDead || !first ? 'no answer' : first;
  }

  /** A caller whose request failed with the database knows as little about it as if the process had died. */
  async #fail(error: unknown): Promise<Answer<never>> {
    if (!this.#database.faults.caused(error)) return toRefusal(error);
    // The rows that a caller compares would contain what others have not committed yet.
    while (this.#database.isTransaction && !this.isDead) await this.#aTurn();
    return 'no answer';
  }

  /** Beside a reader, an open transaction takes time. */
  #aTurn(): Promise<void> {
    const { reader } = this.#database;
    return new Promise((resolve) => {
      if (reader) this.#runtime.after(1, resolve, null);
      else this.#runtime.immediately(resolve, null);
    });
  }
}

export type Services = ServiceProcess['services'];
export type Answer<T> = { readonly value: T } | { readonly refusal: string } | 'no answer';

function toRefusal(error: unknown): { readonly refusal: string } {
  if (error instanceof AppError) return { refusal: error.code };
  if (error instanceof InvalidInput) return { refusal: 'invalid' };
  if (error instanceof OAuthError) return { refusal: error.error };
  throw error;
}

/** The service awaits this (`given-moments.ts`) before it starts its engine. Here nothing can be awaited before that. */
function restoreMoments(database: SharedDatabase): void {
  const latest = database.prepare("select value from installation where name = 'sync_given_until'").get();
  if (latest) database.prepare('select crescendo_raise(?)').get(Date.parse(String(latest.value)));
}

function compose(process: ServiceProcess, runtime: Runtime, options: ProcessOptions) {
  const clock = machineClock(runtime, () => runtime.now(), runtime.clocks.speed);
  const wallClock = machineClock(runtime, () => runtime.wallNow());
  const { database } = options;
  const { openFiles, statements } = database;
  const dialect = sqliteDialect('/', () => wallClock.now(), { openFiles, statements });
  const sqlite = dialect.createDriver();
  void sqlite.init();
  const driver = mortalDriver(sqlite, process, runtime);
  const read = <R>(query: CompiledQuery) => sqlite.read<R>(query);
  const executor = new MortalExecutor(dialect, driver, { process, runtime, database, read });
  const db = new DirectDatabase<Database>(dialect, driver, executor);
  restoreMoments(database);
  const logger = createLogger('error', {
    write: (line) => process.isDead || database.faults.explains(line) || options.onError(line),
  });
  const followUps = { rows: options.rowsAtOnce, mayRun: options.mayFollowUp };
  const parts = {
    config,
    version: '0.1.0',
    clock,
    wallClock,
    logger,
    print: () => undefined,
    extra: { rowsAtOnce: options.rowsAtOnce, followUps },
  };
  const throttle = new ThrottleService(db, wallClock);
  const mailer = options.mailer ? mortalMailer(options.mailer, process, runtime) : disabledMailer();
  const shared = { db, schema: new SchemaWatch(logger), vault, mailer, throttle };
  const domain = composeDomain(parts, shared, (at) => engine.wakeUp(at));
  // An engine with a clock of its own is another process, with services of its own.
  const own = runtime.engineClock && machineClock(runtime, () => runtime.engineNow());
  const ofEngine = { clock: own ?? clock, wallClock: own ?? wallClock };
  const engineDomain = own ? composeDomain({ ...parts, ...ofEngine }, shared, (at) => engine.wakeUp(at)) : domain;
  const engine = new Engine({
    db,
    ...ofEngine,
    gateways: mortalGateways(options, process, { runtime, throttle, clock: ofEngine.wallClock, logger }),
    slices: engineDomain.slices,
    addOwnChannels: options.hasMail ? addOwnMail : async () => false,
    deliveriesPerMinute: config.DELIVERIES_PER_MINUTE,
    logger,
    followUps,
    codeOf,
    countOfDay: (key) => throttle.countOfDay(key, 0),
    lookEveryMs: LOOK_EVERY_MS * runtime.clocks.speed,
    clockSpeed: runtime.clocks.speed,
    // The polls that are left out would look like a suspended machine.
    machineClock: { ...wallClock, now: () => new Date(0) },
  });
  if (options.holder) db.announcer = announceLater(runtime, (ids) => engine.noteChanges(ids));
  const wakeUp = () => engine.wakeUp();
  const changes = new TaskChanges(db, clock, (at) => engine.wakeUp(at), config.MAX_OPEN_TASKS_PER_ACCOUNT);
  const imports = new TaskImportService(db, clock, wakeUp, config.MAX_OPEN_TASKS_PER_ACCOUNT);
  const reading = new CaldavReadingService(db, clock, { findOwner, readHorizon, readChangedIds });
  const tellEmptied = () => undefined;
  const rules = { isAllowedEndpoint: () => true, maxDevices: config.MAX_DEVICES_PER_ACCOUNT };
  const calendar = new CalendarService(db, { clock, wallClock }, new Audit(logger), () => undefined);
  const devices = new DevicesService(db, wallClock, rules, wakeUp, () => undefined);
  return {
    db,
    engine,
    tasks: domain.tasks.service,
    statistics: domain.tasks.statistics,
    requests: domain.tasks.requests,
    standIns: domain.tasks.standIns,
    reachedTasks: domain.tasks.reachedTasks,
    standInLinks: domain.tasks.standInLinks,
    sync: domain.tasks.sync,
    spaceTasks: domain.tasks.spaceTasks,
    search: new TaskSearchService(db, clock),
    exports: new ExportService(
      db,
      clock,
      new Audit(logger),
      (caller) => domain.accounts.settings.get(caller),
      () => undefined,
    ),
    calendar,
    caldavReading: reading,
    caldavWriting: new CaldavWritingService({
      db,
      clock,
      tasks: domain.tasks.service,
      imports,
      reading,
      lockTask,
      tellEmptied,
    }),
    doors: composeDoors(parts, shared, domain, { imports, devices, calendar, wakeUp }),
    keyed: keyedRequests(new StoredAnswersService(db, wallClock, vault)),
    settings: domain.accounts.settings,
    ladders: domain.tasks.ladders,
    taskLadders: new TaskLadderService({ db, clock, changes, tasks: domain.tasks.service, timeline: NO_FORECAST }),
    spaces: domain.spaces.spaces,
    invites: domain.spaces.invites,
    devices,
    deliveries: new AcknowledgementsService(db, clock),
    activities: new ActivitiesService(db, wallClock, domain.tasks.service, wakeUp),
    events: new EventsService({ db, clock, logger, wakeUp, ...NOT_REPORTED }),
  };
}

/** Announcements are collected for a moment, as in the service. */
function announceLater(runtime: Runtime, tell: (ids: Iterable<string>) => void) {
  return {
    announce: (ids: Iterable<string>) => {
      const told = [...ids];
      runtime.after(100, () => tell(told));
    },
  };
}

/** Runs an operation, or never settles because the process is dead. */
type Guard = <T>(operation: () => Promise<T>) => Promise<T>;

function mortalDriver(driver: Driver, process: ServiceProcess, runtime: Runtime): Driver {
  /** Where turns take time, the statements of a transaction are in different ones, and others run in between. */
  const inTurn = () =>
    runtime.isSlow
      ? new Promise<void>((resolve) => runtime.after(runtime.random.below(3), resolve, process))
      : undefined;
  const guard: Guard = (operation) => (process.mayGoOn() ? operation() : never());
  const innerOf = (connection: DatabaseConnection) => (connection as MortalConnection).inner;
  return {
    init: () => driver.init(),
    acquireConnection: async () => new MortalConnection(await driver.acquireConnection(), guard, inTurn),
    beginTransaction: (connection, settings) => guard(() => driver.beginTransaction(innerOf(connection), settings)),
    commitTransaction: (connection) => guard(() => driver.commitTransaction(innerOf(connection))),
    rollbackTransaction: (connection) => guard(() => driver.rollbackTransaction(innerOf(connection))),
    releaseConnection: (connection) => driver.releaseConnection(innerOf(connection)),
    destroy: () => driver.destroy(),
  };
}

class MortalConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #guard: Guard;
  readonly #inTurn: () => Promise<void> | undefined;
  /** The statement before, if it waits for its turn. */
  #before: Promise<unknown> | undefined;

  constructor(inner: DatabaseConnection, guard: Guard, inTurn: () => Promise<void> | undefined) {
    this.inner = inner;
    this.#guard = guard;
    this.#inTurn = inTurn;
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const run = () => this.#guard(() => this.inner.executeQuery<R>(query));
    const before = this.#before ?? this.#inTurn();
    if (!before) return run();
    const done = before.then(this.#inTurn).then(run);
    const over = done.catch(() => undefined);
    this.#before = over;
    void over.then(() => {
      if (this.#before === over) this.#before = undefined;
    });
    return done;
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number) {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}

interface Reads {
  readonly process: ServiceProcess;
  readonly runtime: Runtime;
  readonly database: SharedDatabase;
  readonly read: <R>(query: CompiledQuery) => QueryResult<R>;
}

/**
 * Runs a read outside of a transaction without a connection, as the service does. Without a reader beside the writer, it
 * waits until the running commit is done.
 */
class MortalExecutor extends DirectExecutor {
  readonly #reads: Reads;

  constructor(dialect: Dialect, driver: Driver, reads: Reads) {
    super(dialect, driver);
    this.#reads = reads;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!/^\s*select/i.test(query.sql)) return super.executeQuery<R>(query);
    const { process, runtime, database, read } = this.#reads;
    while (database.isTransaction && !database.reader && !process.isDead)
      await new Promise<void>((resolve) => runtime.immediately(resolve, process));
    return process.mayGoOn() ? read<R>(query) : never();
  }
}

interface GatewayParts extends Surroundings {
  readonly throttle: ThrottleService;
}

/** A dead process sends nothing, and receives no answer. */
function mortalGateways(
  { gateways, servers, hasChannels, hasMail, holder }: ProcessOptions,
  process: ServiceProcess,
  { runtime, throttle, clock, logger }: GatewayParts,
): Gateways {
  const mortal = (gateway: Gateway, limits?: MessageLimits): Gateway => ({
    limits,
    capacity: () => gateway.capacity(),
    close: async () => undefined,
    send: async (push, signal) => {
      if (!process.mayGoOn()) return never();
      const result = await gateway.send(push, signal);
      // The answer arrives in its own turn, which belongs to the process.
      await new Promise<void>((resolve) => runtime.after(0, resolve, process));
      return process.mayGoOn() ? result : never();
    },
  });
  /** Like the gateway of channels: the server has counted a message even if its answer was lost. */
  const holding = (gateway: Gateway, { holds, findDayBudget }: Holder): Gateway => ({
    ...gateway,
    holds,
    findDayBudget,
    send: async (push, signal) => {
      const result = await gateway.send(push, signal);
      const budget = 'channelId' in push.target ? findDayBudget(push.target) : null;
      if (budget && !(result.kind === 'retry' && result.isUnsent)) await throttle.countOfDay(budget.key, 1);
      return result;
    },
  });
  const { email, [CHANNEL_PROVIDER]: channels, ...devices } = gateways;
  const mortalServers = new Map([...servers].map(([origin, server]) => [origin, mortal(server)]));
  const ofChannels = servers.size > 0 ? gatewayOf(mortalServers, { runtime, clock, logger }) : mortal(channels);
  return {
    ...Object.fromEntries(Object.entries(devices).map(([name, gateway]) => [name, mortal(gateway)])),
    ...(hasChannels && { [CHANNEL_PROVIDER]: holder ? holding(ofChannels, holder) : ofChannels }),
    ...(hasMail && { email: mortal(email, MAIL_LIMITS) }),
  };
}

/** A process that dies while the mail server answers may have sent the mail. */
function mortalMailer({ send }: Pick<Mailer, 'send'>, process: ServiceProcess, runtime: Runtime): Mailer {
  const mortal = async (mail: Mail): Promise<void> => {
    if (!process.mayGoOn()) return never();
    await send(mail);
    await new Promise<void>((resolve) => runtime.after(0, resolve, process));
    if (!process.mayGoOn()) await never();
  };
  return { send: mortal, sendOnce: mortal, close: () => undefined };
}

/** Like the system's clock: a sleep is a timer. Setting the clock does not move it, so it ends early or late. */
function machineClock(runtime: Runtime, nowMs: () => number, speed = 1): Clock {
  const now = () => new Date(nowMs());
  const sleepUntil = async (at: Date, signal?: AbortSignal): Promise<void> => {
    while (nowMs() < at.getTime()) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const stop = runtime.after((at.getTime() - nowMs()) / speed, resolve);
      signal?.addEventListener('abort', () => {
        stop();
        reject(signal.reason);
      });
      await promise;
    }
  };
  return { now, sleepUntil };
}
