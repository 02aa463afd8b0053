/**
 * The machine-readable description, made from the routes' own schemas, and the page that lets a
 * reader try them. Both follow by themselves as routes are added; nothing here names one.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { type ErrorCode, errorCatalogue } from '../lib/errors.ts';
import { named } from '../lib/schema.ts';
import { failure } from './envelope.ts';
import { ErrorOut, HTTPValidationError, ValidationError } from './error-schemas.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Codes of the error catalogue with which the route may refuse, beyond those every route has. */
    refuses?: readonly ErrorCode[];
  }
}

type Document = Partial<OpenAPIV3_1.Document>;
type Operation = OpenAPIV3_1.OperationObject;

interface Description {
  readonly version: string;
  readonly baseUrl: string | undefined;
}

export async function describeApi(app: FastifyInstance, { version, baseUrl }: Description): Promise<void> {
  for (const schema of [ErrorOut, ValidationError, HTTPValidationError]) app.addSchema(schema);

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Crescendo',
        version,
        summary: 'Reminders that keep coming, a little stronger each time, until the task is dealt with.',
        description: introduction(),
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: baseUrl ?? '/', description: 'This service' }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          session: { type: 'http', scheme: 'bearer', description: 'A session token, `st_…`, from signing in.' },
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'A Personal Access Token, `pk_…`, with the named scope.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
    transform: ({ schema, url, route }) => ({ schema: withRefusals(schema, route), url }),
    transformObject: (document) => finish(('openapiObject' in document ? document.openapiObject : {}) as Document),
  });

  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Crescendo: API documentation' },
    uiConfig: { layout: 'BaseLayout', tryItOutEnabled: true, displayRequestDuration: true, docExpansion: 'list' },
  });
}

const TAGS: readonly [name: string, description: string][] = [
  ['sign-in', 'Proving who you are'],
  ['sessions', 'Where you are signed in'],
  ['second factor', 'An authenticator app beside the emailed code'],
  ['tokens', 'Access for agents'],
  ['devices', 'Where nudges go'],
  ['tasks', 'What is to be done, and until when'],
  ['statistics', 'What became of it'],
  ['spaces', 'Sharing tasks with others'],
  ['account', 'Your settings, your pause, your leaving, and what you take along'],
  ['calendar', 'Your tasks in a calendar'],
  ['billing', 'What was paid for, told by the billing provider'],
  ['service', 'The state of the service itself'],
];

function introduction(): string {
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, sentence }]) => `| \`${code}\` | ${status} | ${sentence} |`,
  );
  return [
    'Every JSON answer is `{ok, data, error}`. On failure `error` is a stable code, a colon and a sentence.',
    'Input that violates its declared shape is answered with 422 and `{detail: [{type, loc, msg}]}`.',
    'Instants are ISO 8601; answers give them in UTC. An instant sent without an offset is read in the time zone of the user.',
    '',
    '| code | status | meaning |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

/**
 * Every described route may refuse in these ways, by who may ask, by what it takes, and by what it
 * says of itself. They are added to the description alone: a serialiser compiled for each of them
 * would take a third of the memory and of the time to start.
 */
function withRefusals(schema: FastifySchema, { config }: RouteOptions): FastifySchema {
  if (!schema?.response || schema.hide) return schema;
  const codes: ErrorCode[] = ['internal', 'overloaded', ...(config?.refuses ?? [])];
  if (config?.access !== 'anyone') codes.push('unauthenticated', 'session_required', 'too_many_requests');
  if (schema.params) codes.push('not_found');
  if (schema.body) codes.push('payload_too_large', 'unsupported_media_type');
  const takesInput = schema.body || schema.querystring || schema.params;
  const response = {
    ...Object.fromEntries(codes.map((code) => [errorCatalogue[code].status, named(ErrorOut)])),
    ...(takesInput ? { 422: named(HTTPValidationError) } : {}),
    ...schema.response,
  };
  return { ...schema, response };
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  200: 'Done',
  401: 'Not signed in, or the proof was wrong',
  403: 'Signed in, but not allowed',
  404: 'There is no such thing, or none that you may see',
  409: 'It contradicts the present state',
  410: 'It is over: used, taken back or expired',
  413: 'The body is too large',
  415: 'The body is not JSON',
  422: 'The input is not valid',
  429: 'Too many; Retry-After says when to try again',
  500: 'A fault of ours',
  503: 'Unavailable at the moment; Retry-After says when to try again',
};

/** What the generator cannot know: that a body without required fields may be left out, and words for each status. */
function finish(document: Document): Document {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path ?? {}) as Operation[]);
  for (const { requestBody, responses = {} } of operations) {
    if (requestBody && 'content' in requestBody) requestBody.required = hasRequiredFields(document, requestBody);
    for (const [status, response] of Object.entries(responses)) describeAnswer(status, response as Answer);
  }
  return document;
}

type Answer = OpenAPIV3_1.ResponseObject;

function describeAnswer(status: string, answer: Answer): void {
  answer.description = STATUS_WORDS[status] ?? answer.description;
  const [code, error] = Object.entries(errorCatalogue).find(([, entry]) => String(entry.status) === status) ?? [];
  const json = answer.content?.['application/json'];
  if (json && code && error) json.example = failure(code, error.sentence);
}

function hasRequiredFields(document: Document, { content }: OpenAPIV3_1.RequestBodyObject): boolean {
  const schema = content['application/json']?.schema;
  const resolved = schema && '$ref' in schema ? findComponent(document, schema.$ref) : schema;
  return resolved !== undefined && 'required' in resolved && resolved.required !== undefined;
}

function findComponent(document: Document, reference: string) {
  return document.components?.schemas?.[reference.split('/').at(-1) ?? ''];
}
