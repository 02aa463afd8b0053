/** The one place where the parts are wired together, by hand. */
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { UserSettingsOut } from './accounts/settings.schemas.ts';
import type { AccountFollower, SettingsService } from './accounts/settings.service.ts';
import { ThrottleService } from './accounts/throttle.service.ts';
import { guideRoutes } from './agents/guide.routes.ts';
import { mcpRoutes } from './agents/mcp.routes.ts';
import { composeAccounts } from './compose-accounts.ts';
import { composeArchive } from './compose-archive.ts';
import { composeBilling } from './compose-billing.ts';
import { configuredKeyId, openVault } from './compose-keys.ts';
import { composePush } from './compose-push.ts';
import { openWatch, type Watch } from './compose-watch.ts';
import { baseUrlOf } from './config.ts';
import { BellListener, ringBell } from './db/bell.ts';
import { openDatabase } from './db/open.ts';
import type { Database } from './db/schema.ts';
import { ActivitiesService } from './devices/activities.service.ts';
import { deliveryRoutes } from './devices/deliveries.routes.ts';
import { DeliveriesService } from './devices/deliveries.service.ts';
import { deviceRoutes } from './devices/devices.routes.ts';
import { DevicesService } from './devices/devices.service.ts';
import { TestPushService } from './devices/test-push.service.ts';
import { Doorbell } from './engine/doorbell.ts';
import { Engine, LOOK_EVERY_MS } from './engine/engine.ts';
import { findNextFireAt } from './engine/sweep.store.ts';
import { accessTable } from './http/access.ts';
import { type App, buildApp, type Routes } from './http/app.ts';
import { appSessionRoutes } from './http/app-session.routes.ts';
import { frontDoorRoutes } from './http/front-door.routes.ts';
import { healthRoutes } from './http/health.routes.ts';
import { Health } from './http/health.ts';
import { webAppRoutes } from './http/web-app.routes.ts';
import { WebApp } from './http/web-app.ts';
import type { Caller } from './lib/caller.ts';
import { printingMailer, smtpMailer } from './lib/mailer.ts';
import { named } from './lib/schema.ts';
import type { Parts, Shared } from './parts.ts';
import type { Gateways } from './push/gateway.ts';
import { isAllowedEndpoint } from './push/web-push/endpoint.ts';
import { InvitesService } from './spaces/invites.service.ts';
import { spaceRoutes } from './spaces/spaces.routes.ts';
import { type SpaceFollower, SpacesService } from './spaces/spaces.service.ts';
import { forgetSomeTasks } from './tasks/forget-tasks.ts';
import { spaceTaskRoutes } from './tasks/space-tasks.routes.ts';
import { SpaceTasksService } from './tasks/space-tasks.service.ts';
import { statisticsRoutes } from './tasks/statistics.routes.ts';
import { StatisticsService } from './tasks/statistics.service.ts';
import { syncRoutes } from './tasks/sync.routes.ts';
import { SyncService } from './tasks/sync.service.ts';
import { taskRoutes } from './tasks/tasks.routes.ts';
import { TaskOut } from './tasks/tasks.schemas.ts';
import { TasksService, type WakeUp } from './tasks/tasks.service.ts';
import { timelineRoutes } from './tasks/timeline.routes.ts';
import { TimelineService } from './tasks/timeline.service.ts';
import { forgetTimelines } from './tasks/timeline.store.ts';

/** Where the web app lives. */
export const WEB_FOLDER = join(import.meta.dirname, '../web');

export interface Service {
  readonly app: App;
  readonly db: Kysely<Database>;
  /** Undefined where other processes run it. */
  readonly engine: Engine | undefined;
  /** Stops taking requests, lets those under way finish, then closes what they used. */
  close(): Promise<void>;
}

export async function compose(parts: Parts): Promise<Service> {
  const { config, version, logger, extra = {} } = parts;
  const watch = await openWatch(parts);
  const mailer = watch.mailer(
    config.SMTP_URL ? await smtpMailer(config.SMTP_URL, config.MAIL_FROM) : printingMailer(parts.print),
  );
  const opening = { version, clock: parts.wallClock, logger, keyId: configuredKeyId(config), ...watch.database };
  const db = await openDatabase(config.DATABASE_URL, opening);
  try {
    const vault = await openVault(config, db, parts.wallClock);
    const shared = { db, vault, mailer, throttle: new ThrottleService(db, parts.wallClock) };
    const push = composePush(config, parts.wallClock, logger, watch, extra.gateways);
    const engine = composeEngine(parts, db, push.gateways, watch);
    const { tasks, spaces, billing, accounts } = composeNouns(parts, shared, engine.wakeUp);
    const devices = composeDevices(parts, db, push, tasks.service, engine.wakeUp);
    const agents = composeAgents(parts, accounts.settings);
    const webApp = parts.webApp ?? new WebApp(WEB_FOLDER, logger);
    const doors = [frontDoorRoutes, webAppRoutes(webApp), appSessionRoutes(accounts.describeSignIn), ...agents];
    const api = [
      ...[...doors, ...accounts.routes, ...devices],
      ...[...tasks.routes(accounts.settings), ...spaces.routes, ...billing.routes],
      ...composeArchive(parts, db, accounts.settings, engine.wakeUp),
    ];
    const health = new Health({
      clock: parts.clock,
      pingDatabase: async () => void (await sql`select 1`.execute(db)),
      findNextFireAt: () => findNextFireAt(db),
      lastSweepAt: () => engine.engine?.watch.lastSweepAt ?? null,
    });
    const forOperators = [healthRoutes(version, health), ...watch.lookAt(db, push.gateways, health)];
    const app = await buildApp(
      {
        ...{ version, logger, baseUrl: config.BASE_URL, trustProxy: config.TRUST_PROXY },
        authentication: {
          table: { ...accessTable, ...extra.access },
          authenticate: accounts.authenticate,
          clock: parts.wallClock,
          requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
          httpsOnly: config.BASE_URL?.startsWith('https:') ?? false,
        },
        answers: accounts.answers,
        watch: watch.requests,
        ...(extra.limits && { limits: extra.limits }),
      },
      // An engine's process answers for itself alone.
      [...(config.ROLE === 'engine' ? [] : api), ...forOperators, ...(extra.routes ?? [])],
    );
    await app.ready();
    accounts.revocations.start();
    engine.start();
    watch.start();
    const close = async () => {
      await closeHttp(app);
      await watch.stop();
      await engine.stop();
      await Promise.all(Object.values(push.gateways).map((gateway) => gateway.close()));
      await accounts.revocations.stop();
      mailer.close();
      await db.destroy();
      await watch.close();
    };
    return { app, db, engine: engine.engine, close };
  } catch (error) {
    await db.destroy();
    await watch.close();
    throw error;
  }
}

/** What an account, its tasks and its spaces are made of: the same for requests and for the command line. */
export function composeNouns(parts: Parts, shared: Shared, wakeUp: WakeUp) {
  const tasks = composeTasks(parts, shared.db, wakeUp);
  const spaces = composeSpaces(parts, shared, tasks.spaceTasks);
  const billing = composeBilling(parts, shared);
  const accounts = composeAccounts(parts, shared, [tasks.follower, spaces.follower, billing.follower]);
  return { tasks, spaces, billing, accounts };
}

function composeDevices(
  { config, clock, wallClock }: Parts,
  db: Kysely<Database>,
  { gateways, vapid }: ReturnType<typeof composePush>,
  tasks: TasksService,
  wakeUp: WakeUp,
): Routes[] {
  const isAllowed = (endpoint: string) => isAllowedEndpoint(endpoint, config.WEB_PUSH_HOSTS);
  return [
    deviceRoutes(new DevicesService(db, wallClock, isAllowed, () => wakeUp())),
    deliveryRoutes({
      deliveries: new DeliveriesService(db, clock),
      testPush: new TestPushService(db, wallClock, gateways),
      activities: new ActivitiesService(db, wallClock, tasks, () => wakeUp()),
      taskSchema: named(TaskOut),
      vapidPublicKey: vapid?.publicKey ?? null,
    }),
  ];
}

/** The engine in this process, or a bell to wake those of others. */
function composeEngine(
  { config, clock, wallClock, logger }: Parts,
  db: Kysely<Database>,
  gateways: Gateways,
  { aroundSweep }: Watch,
) {
  const { ROLE, DATABASE_URL, CLOCK_SPEED } = config;
  if (ROLE === 'api') {
    const bell = new Doorbell(clock, LOOK_EVERY_MS * CLOCK_SPEED, () => ringBell(db), logger);
    return {
      engine: undefined,
      wakeUp: bell.wakeUp.bind(bell),
      start: () => undefined,
      stop: async () => bell.close(),
    };
  }
  const engine = new Engine({ db, clock, wallClock, gateways, logger, aroundSweep });
  const listener =
    DATABASE_URL.engine === 'postgres' ? new BellListener(DATABASE_URL.url, () => engine.wakeUp(), logger) : undefined;
  return {
    engine,
    wakeUp: engine.wakeUp.bind(engine),
    start: () => {
      engine.start();
      listener?.start();
    },
    stop: async () => {
      await listener?.stop();
      await engine.stop();
    },
  };
}

function composeTasks({ clock }: Parts, db: Kysely<Database>, wakeUp: WakeUp) {
  const tasks = new TasksService(db, clock, wakeUp);
  const sync = new SyncService(db);
  const follower: AccountFollower = {
    settingsChanged: (trx, userId) => tasks.replanOwner(trx, userId),
    // Also for what waits to be sent: a hold may be over.
    settingsSaved: () => wakeUp(),
    accountEmptying: (trx, userId) => forgetSomeTasks(trx, userId),
    accountDeleting: async (trx, userId) => {
      await sync.forgetAccount(trx, userId);
      await forgetTimelines(trx, userId);
    },
  };
  const spaceTasks = new SpaceTasksService(db, clock);
  const routes = (settings: SettingsService) => [
    taskRoutes(tasks),
    timelineRoutes(new TimelineService(db, clock, tasks)),
    spaceTaskRoutes(spaceTasks),
    statisticsRoutes(new StatisticsService(db, clock)),
    syncRoutes(sync, { schema: named(UserSettingsOut), read: (caller) => settings.get(caller) }),
  ];
  return { follower, routes, spaceTasks, service: tasks };
}

function composeSpaces({ config, clock, wallClock }: Parts, { db, mailer, throttle }: Shared, follower: SpaceFollower) {
  const spaces = new SpacesService(db, clock, follower);
  const baseUrl = baseUrlOf(config, config.PORT);
  const admit = (userId: string) => throttle.countInvite(userId);
  const invites = new InvitesService(db, wallClock, spaces, { mailer, baseUrl, admit });
  const accountFollower: AccountFollower = { accountDeleting: (trx, userId) => spaces.forgetAccount(trx, userId) };
  return { follower: accountFollower, routes: [spaceRoutes(spaces, invites)] };
}

function composeAgents({ config, version, clock }: Parts, settings: SettingsService): Routes[] {
  const { BASE_URL: baseUrl, HOST: listensOn } = config;
  const timezoneOf = async (caller: Caller) => (await settings.get(caller)).timezone;
  return [guideRoutes(baseUrl), mcpRoutes({ version, clock, baseUrl, listensOn, timezoneOf })];
}

/** Requests under way get this long; then their connections are cut, since a restart must not hang on one of them. */
const GRACE_MS = 10_000;

async function closeHttp(app: App): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  await app.close().finally(() => clearTimeout(cut));
}
