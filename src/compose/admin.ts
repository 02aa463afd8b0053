/** Composes what administrators use. The command line uses the service too. */
import { adminRoutes } from '../admin/admin.routes.ts';
import { AdminService } from '../admin/admin.service.ts';
import { ClaimService } from '../admin/claim.service.ts';
import type { HealthSources } from '../admin/installation-health.ts';
import { addOwnMail } from '../channels/own-mail.store.ts';
import { mailDeliveryOf } from '../config.ts';
import type { Processes } from '../db/processes.ts';
import type { Db } from '../db/schema.ts';
import type { Routes } from '../http/app.ts';
import type { Health } from '../http/health.ts';
import { Audit } from '../lib/audit.ts';
import type { OutagesService } from '../outages/outages.service.ts';
import type { Gateways } from '../push/gateway.ts';
import { OutboxMonitor } from '../watch/outbox-monitor.ts';
import type { composeAccounts } from './accounts.ts';
import { adminRulesOf } from './admin-rules.ts';
import type { Parts, Shared } from './parts.ts';

export function composeAdmin(
  { config, wallClock, logger }: Parts,
  db: Db,
  { settings, sessions, signUp, notices, resets }: ReturnType<typeof composeAccounts>,
): AdminService {
  return new AdminService({
    db,
    clock: wallClock,
    rules: adminRulesOf(config),
    accounts: settings,
    sessions,
    signUp,
    notices,
    resets,
    audit: new Audit(logger),
    addOwnMail: async (userIds) => config.SMTP_URL !== undefined && addOwnMail(db, userIds, wallClock.now()),
  });
}

export function composeClaim({ config, wallClock, logger }: Parts, { db, vault, throttle }: Shared): ClaimService {
  const rules = adminRulesOf(config);
  return new ClaimService({ db, clock: wallClock, vault, rules, throttle, audit: new Audit(logger) });
}

/** The providers of channels that exist only if the operator has configured them. */
const CONFIGURED_CHANNELS = ['email', 'telegram', 'pushover', 'sms'];

export function composeAdminRoutes(
  { config, version, wallClock, logger }: Parts,
  db: Db,
  { admin, claim }: { readonly admin: AdminService; readonly claim: ClaimService },
  gateways: Gateways,
  health: Health,
  processes: Processes,
  understudies: HealthSources['understudies'],
  outages: Pick<OutagesService, 'findLast'>,
): Routes {
  const { engine } = config.DATABASE_URL;
  const configured = Object.keys(gateways);
  return adminRoutes(admin, claim, {
    db,
    engine,
    clock: wallClock,
    version,
    role: config.ROLE,
    mail: mailDeliveryOf(config),
    configured,
    health,
    outbox: new OutboxMonitor(db, wallClock, logger, [...configured, ...CONFIGURED_CHANNELS]),
    processes,
    understudies,
    findLastOutage: () => outages.findLast(),
  });
}
