/**
 * Routes that exist in tests only, with every kind of input that the service accepts. The input goes through the
 * database and back, so that a value which one engine cannot store is noticed.
 */
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Db } from '../../src/db/schema.ts';
import type { AccessTable } from '../../src/http/access.ts';
import type { Routes } from '../../src/http/app.ts';
import { envelopeOf, ok } from '../../src/http/envelope.ts';
import { component, named, nullable, Type } from '../../src/lib/schema.ts';

const SampleCreate = component(
  'SampleCreate',
  Type.Object({
    title: Type.String({ minLength: 1, maxLength: 200 }),
    notes: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
    mode: Type.Optional(Type.String({ pattern: '^(escalate|notify_once)$', default: 'escalate' })),
    has_time: Type.Optional(Type.Boolean({ default: false })),
    lead_time_days: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 30 }))),
    due_at: Type.Optional(nullable(Type.String({ format: 'date-time' }))),
    owner_id: Type.Optional(nullable(Type.String({ format: 'uuid' }))),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 20 }))),
    recurrence: Type.Optional(nullable(Type.Object({}, { additionalProperties: true }))),
  }),
);

const SampleOut = component(
  'SampleOut',
  Type.Object({
    title: Type.String(),
    notes: nullable(Type.String()),
    mode: Type.String(),
    has_time: Type.Boolean(),
    lead_time_days: nullable(Type.Integer()),
    due_at: nullable(Type.String({ format: 'date-time' })),
    owner_id: nullable(Type.String({ format: 'uuid' })),
    recurrence: nullable(Type.Object({}, { additionalProperties: true })),
  }),
);

/** Anyone may ask for a sample, and for whatever else a test adds. */
export const sampleAccess: AccessTable = {
  'POST /v1/samples': 'anyone',
  'GET /v1/samples/:sample_id': 'anyone',
  'POST /v1/samples/:sample_id/touch': 'anyone',
  'GET /test/*': 'anyone',
};

const describe = (operationId: string, summary: string) => ({ operationId, summary, tags: ['service'] });

export const sampleRoutes =
  (db: () => Db): Routes =>
  (app) => {
    app.addSchema(SampleCreate);
    app.addSchema(SampleOut);

    const throughDatabase = async <T>(value: T): Promise<T> => {
      const { rows } = await sql<{ value: string }>`select cast(${JSON.stringify(value)} as text) as value`.execute(
        db(),
      );
      return JSON.parse(rows[0]?.value ?? 'null');
    };

    app.post(
      '/v1/samples',
      {
        schema: {
          ...describe('create_sample', 'Send a sample through the database'),
          body: named(SampleCreate),
          response: { 200: envelopeOf(named(SampleOut)) },
        },
      },
      async ({ body }) => ok(await throughDatabase(toSample(body))),
    );

    app.get(
      '/v1/samples/:sample_id',
      {
        schema: {
          ...describe('read_sample', 'Repeat what the path and the query said'),
          params: Type.Object({ sample_id: Type.String({ format: 'uuid' }) }),
          querystring: Type.Object({
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
            status: Type.Optional(Type.String()),
            assigned: Type.Optional(Type.Boolean()),
            since: Type.Optional(Type.String({ format: 'date-time' })),
          }),
          response: { 200: envelopeOf(Type.Object({}, { additionalProperties: true })) },
        },
      },
      async ({ params, query }) => ok(await throughDatabase({ ...params, ...query })),
    );

    app.post(
      '/v1/samples/:sample_id/touch',
      {
        schema: {
          ...describe('touch_sample', 'Take an optional body'),
          params: Type.Object({ sample_id: Type.String({ format: 'uuid' }) }),
          body: Type.Object({ note: Type.Optional(Type.String()) }),
          response: { 200: envelopeOf(Type.Object({}, { additionalProperties: true })) },
        },
      },
      async ({ body }) => ok(await throughDatabase(body)),
    );
  };

function toSample(body: Static<typeof SampleCreate>): Static<typeof SampleOut> {
  const { notes = null, lead_time_days = null, due_at = null, owner_id = null, recurrence = null } = body;
  const { title, mode = '', has_time = false } = body;
  return { title, notes, mode, has_time, lead_time_days, due_at, owner_id, recurrence };
}
