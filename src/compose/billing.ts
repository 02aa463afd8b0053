import type { AccountListener } from '../accounts/settings.service.ts';
import { billingRoutes } from '../billing/billing.routes.ts';
import { BillingService } from '../billing/billing.service.ts';
import { WebhookGate } from '../billing/webhook-gate.ts';
import type { Parts, Shared } from './parts.ts';

export function composeBilling({ config, wallClock, logger }: Parts, { db, vault }: Shared) {
  const { BILLING_WEBHOOK_SECRET, BILLING_SIGNING_SECRET, BILLING_SANDBOX } = config;
  const billing = new BillingService(db, wallClock, logger, vault, BILLING_SANDBOX);
  const gate = new WebhookGate({ authorization: BILLING_WEBHOOK_SECRET, signing: BILLING_SIGNING_SECRET }, wallClock);
  const listener: AccountListener = { accountDeleting: (trx, userId) => billing.forgetAccount(trx, userId) };
  return { listener, routes: [billingRoutes(billing, gate)] };
}
