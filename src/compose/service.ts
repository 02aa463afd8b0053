/** Composes the whole service: opens the database, connects the parts, and starts and stops them in order. */
import { join } from 'node:path';
import type { SettingsService } from '../accounts/settings.service.ts';
import { guideRoutes } from '../agents/guide.routes.ts';
import { mcpRoutes } from '../agents/mcp.routes.ts';
import type { Subscriptions } from '../agents/subscriptions.ts';
import { isHttps, mailDeliveryOf } from '../config.ts';
import { findOrMakeInstanceId } from '../db/installation.ts';
import { openDatabase } from '../db/open.ts';
import { pingDatabase } from '../db/ping.ts';
import { Processes } from '../db/processes.ts';
import type { Db } from '../db/schema.ts';
import { SchemaWatch } from '../db/schema-watch.ts';
import type { Engine } from '../engine/engine.ts';
import { findLateSince } from '../engine/lateness-monitor.ts';
import type { Slices } from '../follow-ups/follow-ups.ts';
import { accessTable } from '../http/access.ts';
import { type App, buildApp, type Routes } from '../http/app.ts';
import { healthRoutes } from '../http/health.routes.ts';
import { Health } from '../http/health.ts';
import { appSessionRoutes } from '../http/web-app/app-session.routes.ts';
import { landingPageRoutes } from '../http/web-app/landing-page.routes.ts';
import { tellServiceClock } from '../http/web-app/service-clock.ts';
import { webAppRoutes } from '../http/web-app/web-app.routes.ts';
import { WebApp } from '../http/web-app/web-app.ts';
import { configuredKeyId, openVault } from '../keys/open-vault.ts';
import type { Vault } from '../keys/vault.ts';
import type { Caller } from '../lib/caller.ts';
import { disabledMailer, type Mailer, printingMailer, smtpMailer } from '../lib/mailer.ts';
import { CostBudget } from '../limits/cost-budget.ts';
import { ThrottleService } from '../limits/throttle.service.ts';
import { outageRoutes } from '../outages/outages.routes.ts';
import { OutagesService } from '../outages/outages.service.ts';
import type { SignUpService } from '../sign-in/sign-up.service.ts';
import type { WakeUp } from '../tasks/task-changes.ts';
import { composeAccounts } from './accounts.ts';
import { composeAdmin, composeAdminRoutes, composeClaim } from './admin.ts';
import { composeArchive, composeMoveIn } from './archive.ts';
import { composeBilling } from './billing.ts';
import { composeCaldav } from './caldav.ts';
import { composeChannels, composeReach } from './channels.ts';
import { composeDevices } from './devices.ts';
import { composeEngine } from './engine.ts';
import { composeLive } from './live.ts';
import type { Parts, Shared } from './parts.ts';
import { composePush } from './push.ts';
import { composeRungTests } from './rung-tests.ts';
import { composeSignOut } from './sign-out.ts';
import { findSettingWarnings } from './start-warnings.ts';
import { composeSpaces, composeTasks } from './tasks.ts';
import { composeUnderstudies } from './understudies.ts';
import { openWatch } from './watch.ts';

export const WEB_FOLDER = join(import.meta.dirname, '../../web');

export interface Service {
  readonly app: App;
  readonly db: Db;
  /** Undefined if the engine runs in other processes. */
  readonly engine: Engine | undefined;
  /** Makes the person who enters it an administrator; undefined if the service has one. */
  readonly claimWord: string | undefined;
  /** Stops accepting requests, lets running ones finish, then closes everything. */
  close(): Promise<void>;
}

export async function compose(parts: Parts): Promise<Service> {
  const { config, version, logger, extra = {} } = parts;
  const watch = await openWatch(parts);
  const mailer = watch.mailer(await composeMailer(parts));
  const db = await openDatabase(config.DATABASE_URL, {
    version,
    clock: parts.wallClock,
    logger,
    keyId: configuredKeyId(config),
    migrations: extra.migrations,
    ...watch.database,
  });
  try {
    const schema = new SchemaWatch(logger, extra.migrations);
    const processes = new Processes({
      db,
      release: version,
      kind: config.ROLE,
      schema,
      clock: parts.wallClock,
      logger,
      everyMs: extra.beatEveryMs,
    });
    const vault = await openVault(config, db, parts.wallClock);
    const shared = { db, schema, vault, mailer, throttle: new ThrottleService(db, parts.wallClock) };
    const push = composePush(parts, shared, watch);
    const domain = composeDomain(parts, shared, (at) => engine.wakeUp(at));
    const { slices, tasks, spaces, billing, accounts, admin, claim } = domain;
    const live = composeLive(parts, db);
    const engine = composeEngine(
      parts,
      db,
      push.gateways,
      { codeOf: push.channels.codeOf, countOfDay: (key) => shared.throttle.countOfDay(key, 0) },
      slices,
      watch,
      schema,
      live.onChanges,
    );
    live.onChanged((ids) => engine.engine?.noteChanges(ids));
    const devices = composeDevices(parts, shared, push, tasks.service, engine.wakeUp, accounts.notices);
    const outages = new OutagesService(db, parts.clock);
    const reach = composeReach(parts, db, push.channels.providers, push.gateways);
    const channels = composeChannels(
      parts,
      shared,
      push.channels,
      push.gateways,
      tasks,
      reach,
      () => engine.wakeUp(),
      accounts,
      (userId) => outages.isAny(userId),
    );
    const understudies = composeUnderstudies(parts, db, push.gateways);
    const caldav = composeCaldav(parts, db, tasks.service, engine.wakeUp, accounts.notices);
    const archive = composeArchive(
      parts,
      db,
      accounts.settings,
      engine.wakeUp,
      {
        channels: (...archived) => channels.imports.restore(...archived),
        ladders: (...archived) => tasks.ladders.restore(...archived),
        labels: (...archived) => tasks.labels.restore(...archived),
        caldav: (...archived) => caldav.settings.restore(...archived),
      },
      accounts.notices,
      domain.moveIn,
    );
    const lasting = {
      accounts,
      devices: devices.service,
      channels: channels.service,
      calendar: archive.calendar,
      invites: spaces.invites,
    };
    const webApp = parts.webApp ?? new WebApp(WEB_FOLDER, logger);
    const health = new Health({
      clock: parts.clock,
      pingDatabase: () => pingDatabase(db),
      findLateSince: (now) => findLateSince(db, now),
      isOutdated: () => schema.isOutdated,
      olderProcesses: () => processes.older,
      lastSweepAt: () => engine.engine?.lateness.lastSweepAt ?? null,
    });
    const api = [
      tellServiceClock(parts.clock, config.CLOCK_SPEED),
      landingPageRoutes,
      webAppRoutes(webApp),
      appSessionRoutes(
        accounts.describeSignIn,
        (userId) => admin.isAdmin(userId),
        () => claim.canClaim(),
      ),
      ...live.routes,
      ...composeAgents(parts, accounts.settings, vault, live.subscriptions),
      ...accounts.routes,
      ...devices.routes,
      ...composeSignOut(parts, db, lasting, () => engine.wakeUp()).routes,
      ...channels.routes,
      ...understudies.routes,
      ...tasks.routes(accounts.settings, reach),
      composeRungTests(devices.testPush, channels.tests),
      ...spaces.routes,
      ...billing.routes,
      ...archive.routes,
      ...caldav.routes,
      composeAdminRoutes(parts, db, domain, push.gateways, health, processes, understudies.forAdmins, outages),
      outageRoutes(outages),
    ];
    const held = { counts: engine.engine?.held, read: () => understudies.reports.counts() };
    const instanceId = await findOrMakeInstanceId(db, parts.wallClock.now());
    const operatorRoutes = [
      healthRoutes(version, health, instanceId),
      ...watch.observe(db, push.gateways, health, held),
    ];
    const app = await buildApp(
      {
        logger,
        baseUrl: config.BASE_URL,
        hostNames: [config.HOST, ...(config.ALLOWED_HOSTS ?? [])],
        trustProxy: config.TRUST_PROXY,
        authentication: {
          table: { ...accessTable, ...extra.access },
          authenticate: accounts.authenticate,
          isAdmin: (userId) => admin.isAdmin(userId),
          clock: parts.wallClock,
          requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
          httpsOnly: isHttps(config.BASE_URL),
        },
        basicOverHttp: config.CALDAV_OVER_HTTP,
        costBudget: new CostBudget(config.COST_BUDGET_PER_MINUTE, parts.wallClock),
        addIdempotency: accounts.addIdempotency,
        observers: watch.requests,
        pool: db.pool,
        isOutdated: () => schema.isOutdated,
        ...(extra.limits && { limits: extra.limits }),
      },
      // A process that only runs the engine serves health and metrics.
      [...(config.ROLE === 'engine' ? [] : api), ...operatorRoutes, ...(extra.routes ?? [])],
    );
    await app.ready();
    if (config.ROLE !== 'engine') await warnAboutSettings(parts, accounts.signUp);
    const claimWord = config.ROLE === 'engine' ? undefined : await claim.findWord();
    await processes.start();
    accounts.revocations.start();
    accounts.pending.start();
    channels.updates.start();
    live.start();
    engine.start();
    watch.start();
    const close = async () => {
      await live.endStreams();
      await closeHttp(app);
      await watch.stop();
      await channels.updates.stop();
      await engine.stop();
      await live.stop();
      await Promise.all(Object.values(push.gateways).map((gateway) => gateway?.close()));
      push.channels.close();
      await accounts.revocations.stop();
      await accounts.pending.stop();
      await accounts.backgroundMail.settled();
      await processes.stop();
      mailer.close();
      await db.destroy();
      await watch.close();
    };
    return { app, db, engine: engine.engine, claimWord, close };
  } catch (error) {
    await db.destroy();
    await watch.close();
    throw error;
  }
}

async function warnAboutSettings({ config, logger }: Parts, signUp: SignUpService): Promise<void> {
  const isClosed = (await signUp.policy()) !== 'open';
  const warnings = findSettingWarnings(config).filter(({ setting }) => setting !== 'SIGN_UP' || !isClosed);
  for (const { says, remedy } of warnings) logger.warn(`${says}. ${remedy}`);
}

async function composeMailer({ config, print }: Parts): Promise<Mailer> {
  if (config.SMTP_URL) return smtpMailer(config.SMTP_URL, config.MAIL_FROM);
  return mailDeliveryOf(config) === 'printed' ? printingMailer(print) : disabledMailer();
}

/** Accounts and everything they own. The command line uses this too, so that both delete an account alike. */
export function composeDomain(parts: Parts, shared: Shared, wakeUp: WakeUp) {
  const tasks = composeTasks(parts, shared.db, wakeUp);
  const spaces = composeSpaces(parts, shared, tasks.spaceListener, (...notice) => accounts.notices.send(...notice));
  const billing = composeBilling(parts, shared);
  const moveIn = composeMoveIn(parts, shared.db, tasks.service, wakeUp);
  const accounts = composeAccounts(
    parts,
    shared,
    [moveIn.listener, tasks.listener, spaces.listener, billing.listener],
    spaces.findOpenInvite,
  );
  const slices: Slices = {
    replan: (...slice) => tasks.replan.replanSlice(...slice),
    leave_space: (...slice) => tasks.spaceTasks.leaveSlice(...slice),
    delete_account: (...slice) => accounts.settings.deleteSlice(...slice),
    move_in: (...slice) => moveIn.moveIns.importSlice(...slice),
    undo_move_in: (...slice) => moveIn.moveIns.undoSlice(...slice),
  };
  const admin = composeAdmin(parts, shared.db, accounts);
  return { slices, tasks, spaces, billing, accounts, admin, moveIn, claim: composeClaim(parts, shared) };
}

function composeAgents(
  { config, version, clock }: Parts,
  settings: SettingsService,
  hashes: Vault,
  subscriptions: Subscriptions,
): Routes[] {
  const { BASE_URL: baseUrl } = config;
  const settingsOf = (caller: Caller) => settings.get(caller);
  return [guideRoutes(baseUrl), mcpRoutes({ version, clock, baseUrl, settingsOf, hashes, subscriptions })];
}

/** Running requests get this long. Then their connections are closed, so that a slow one cannot delay a restart. */
const GRACE_MS = 10_000;

async function closeHttp(app: App): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  await app.close().finally(() => clearTimeout(timer));
}
