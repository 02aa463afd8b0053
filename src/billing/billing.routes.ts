/**
 * Where the billing provider calls. What it says is kept word for word, so the body stays text here
 * until it is stored; of all its fields only those that an event cannot do without are judged.
 */
import type { FastifyRequest } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { parseJson, readBodiesBy, textOf } from '../http/body.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { findUnstorable } from '../http/unstorable.ts';
import { InvalidInput } from '../lib/errors.ts';
import { named } from '../lib/schema.ts';
import { BillingReceipt, BillingWebhook } from './billing.schemas.ts';
import type { BillingService } from './billing.service.ts';
import type { WebhookGate } from './webhook-gate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body of a webhook, as it came. */
    payload: string;
  }
}

const SIGNATURE = 'x-revenuecat-webhook-signature';

export const billingRoutes =
  (billing: BillingService, gate: WebhookGate): Routes =>
  (app) => {
    app.addSchema(BillingWebhook);
    app.decorateRequest('payload', '');
    // A context of its own, for its own way to know the caller and to read bodies.
    app.register(async (scope: App) => {
      scope.addHook('onRequest', async ({ headers }) => gate.checkAuthorization(headers.authorization));
      readBodiesBy(scope, (body, { headers }) => {
        gate.checkSignature(headers[SIGNATURE]?.toString(), body);
        return textOf(body);
      });
      scope.addHook('preValidation', async (request) => takeEvent(request));
      addWebhook(scope, billing);
    });
  };

function addWebhook(app: App, billing: BillingService): void {
  app.post(
    '/v1/webhooks/billing',
    {
      config: { refuses: ['billing_not_configured', 'wrong_billing_secret', 'wrong_billing_signature'] },
      schema: {
        operationId: 'receive_billing_event',
        tags: ['billing'],
        summary: 'Told by the billing provider, with an Authorization header of its own',
        body: named(BillingWebhook),
        response: { 200: envelopeOf(BillingReceipt) },
      },
    },
    async ({ payload }) => ok(await billing.receive(payload)),
  );
}

/** Leaves the schema nothing to judge but what is needed: a strange value elsewhere is no reason to refuse an event. */
function takeEvent(request: FastifyRequest): void {
  if (typeof request.body !== 'string') return;
  request.payload = request.body;
  const told = request.body === '' ? {} : parseJson(request.body);
  const event = isFields(told) ? told.event : undefined;
  const needed = isFields(event) ? { id: event.id, type: event.type } : event;
  request.body = isFields(told) ? { event: needed } : (told ?? {});
  const problem = findUnstorable('body', request.body);
  if (problem) throw new InvalidInput(problem);
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
