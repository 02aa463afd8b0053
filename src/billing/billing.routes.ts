/**
 * The webhook of the billing provider. Its payload is stored unchanged, so the body stays text until
 * then, and only the required fields of an event are validated.
 */
import type { FastifyRequest } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { decodeUtf8, parseJson, setBodyParser } from '../http/body.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { findUnsafeInput } from '../http/unsafe-input.ts';
import { InvalidInput } from '../lib/errors.ts';
import { named } from '../lib/schema.ts';
import { BillingReceipt, BillingWebhook } from './billing.schemas.ts';
import type { BillingService } from './billing.service.ts';
import type { WebhookGate } from './webhook-gate.ts';

const route = describeRoutes('billing');

declare module 'fastify' {
  interface FastifyRequest {
    /** The body of a webhook as it was received. */
    payload: string;
  }
}

const SIGNATURE = 'x-revenuecat-webhook-signature';

export const billingRoutes =
  (billing: BillingService, gate: WebhookGate): Routes =>
  (app) => {
    app.addSchema(BillingWebhook);
    app.decorateRequest('payload', '');
    // A Fastify context of its own, with its own authentication and body parsing.
    app.register(async (scope: App) => {
      scope.addHook('onRequest', async ({ headers }) => gate.checkAuthorization(headers.authorization));
      setBodyParser(scope, (body, { headers }) => {
        gate.checkSignature(headers[SIGNATURE]?.toString(), body);
        return decodeUtf8(body);
      });
      scope.addHook('preValidation', async (request) => keepRequiredFields(request));
      addWebhook(scope, billing);
    });
  };

function addWebhook(app: App, billing: BillingService): void {
  app.post(
    '/v1/webhooks/billing',
    route('receive_billing_event', 'Receive a billing event; the Authorization header holds the billing secret', {
      body: named(BillingWebhook),
      data: BillingReceipt,
      refuses: ['billing_not_configured', 'wrong_billing_secret', 'wrong_billing_signature'],
    }),
    async ({ payload }) => ok(await billing.receive(payload)),
  );
}

/** Leaves only the required fields for validation: an unexpected value elsewhere must not refuse an event. */
function keepRequiredFields(request: FastifyRequest): void {
  if (typeof request.body !== 'string') return;
  request.payload = request.body;
  const parsed = request.body === '' ? {} : parseJson(request.body);
  const event = isFields(parsed) ? parsed.event : undefined;
  const required = isFields(event) ? { id: event.id, type: event.type } : event;
  request.body = isFields(parsed) ? { event: required } : (parsed ?? {});
  const problem = findUnsafeInput('body', request.body);
  if (problem) throw new InvalidInput(problem);
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
