/** The part of the wiring that is about what was paid for. */
import type { Kysely } from 'kysely';
import type { AccountFollower } from './accounts/settings.service.ts';
import { billingRoutes } from './billing/billing.routes.ts';
import { BillingService } from './billing/billing.service.ts';
import { WebhookGate } from './billing/webhook-gate.ts';
import type { Database } from './db/schema.ts';
import type { Parts } from './parts.ts';

export function composeBilling({ config, wallClock, logger }: Parts, db: Kysely<Database>) {
  const { BILLING_WEBHOOK_SECRET, BILLING_SIGNING_SECRET, BILLING_SANDBOX } = config;
  const billing = new BillingService(db, wallClock, logger, BILLING_SANDBOX);
  const gate = new WebhookGate({ authorization: BILLING_WEBHOOK_SECRET, signing: BILLING_SIGNING_SECRET }, wallClock);
  const follower: AccountFollower = { accountDeleting: (trx, userId) => billing.forgetAccount(trx, userId) };
  return { follower, routes: [billingRoutes(billing, gate)] };
}
