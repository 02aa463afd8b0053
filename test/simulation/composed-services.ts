/** The services and the engine of a process, composed as in production, without HTTP. */
import type { CompiledQuery } from 'kysely';
import { ExportService } from '../../src/archive/export.service.ts';
import { CaldavReadingService } from '../../src/caldav/caldav-reading.service.ts';
import { CaldavWritingService } from '../../src/caldav/caldav-writing.service.ts';
import { CalendarService } from '../../src/calendar/calendar.service.ts';
import { EventsService } from '../../src/channels/events.service.ts';
import { addOwnMail } from '../../src/channels/own-mail.store.ts';
import { composeDomain } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { DirectDatabase } from '../../src/db/direct-executor.ts';
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
import { createLogger } from '../../src/lib/logger.ts';
import { disabledMailer } from '../../src/lib/mailer.ts';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import { TaskLadderService } from '../../src/tasks/ladder/ladder.service.ts';
import { readChangedIds, readHorizon } from '../../src/tasks/sync/sync.store.ts';
import { TaskChanges } from '../../src/tasks/task-changes.ts';
import { TaskImportService } from '../../src/tasks/task-import.service.ts';
import { TaskSearchService } from '../../src/tasks/task-search.service.ts';
import { findOwner, lockTask } from '../../src/tasks/tasks.store.ts';
import { composeDoors } from './doors.ts';
import { codeOf, LOOK_EVERY_MS } from './holder.ts';
import { keyedRequests } from './keyed-requests.ts';
import { MortalExecutor, mortalDriver, mortalGateways, mortalMailer } from './mortal-parts.ts';
import type { ProcessOptions, ServiceProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
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

/** The service awaits this (`given-moments.ts`) before it starts its engine. Here nothing can be awaited before that. */
function restoreMoments(database: SharedDatabase): void {
  const latest = database.prepare("select value from installation where name = 'sync_given_until'").get();
  if (latest) database.prepare('select crescendo_raise(?)').get(Date.parse(String(latest.value)));
}

export function composeServices(process: ServiceProcess, runtime: Runtime, options: ProcessOptions) {
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
