/**
 * The OpenAPI description, generated from the schemas of the routes, and the page that shows it. No route is
 * named here, so new routes appear automatically.
 */
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { type ErrorCode, errorCatalogue } from '../lib/errors.ts';
import { escapeHtml } from '../lib/mail-html.ts';
import { named, Type } from '../lib/schema.ts';
import { words } from '../lib/words.ts';
import { type AnswerHeader, answerHeaders, headersOf } from './answer-headers.ts';
import { DOCS_PAGE } from './docs-page.ts';
import { ErrorOut, failure, HTTPValidationError, ValidationError } from './envelope.ts';
import { sendStaticPage } from './web-app/static-page.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Error codes of the route, in addition to those of every route. */
    refuses?: readonly ErrorCode[];
    /** Headers that a successful answer of this route may have, in addition to those that follow from its input. */
    sends?: readonly AnswerHeader[];
    /** The route honours an `Idempotency-Key`. */
    takesKey?: boolean;
    /** The answer contains a secret that is shown once, so it is stored nowhere. */
    showsSecret?: boolean;
  }
}

export const LONGEST_IDEMPOTENCY_KEY = 255;

const IdempotencyHeader = Type.Object({
  'Idempotency-Key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_IDEMPOTENCY_KEY,
      description:
        'A text of your own. A repetition of the request with the same key gets the same answer for 24 hours, and ' +
        'nothing happens twice. An answer that holds a secret, or is larger than 64 KiB, is not kept: the ' +
        'repetition is refused with `idempotency_key_spent`.',
    }),
  ),
});

type Document = Partial<OpenAPIV3_1.Document>;
type Operation = OpenAPIV3_1.OperationObject;

/** The version of the contract, which releases keep. */
export const API_VERSION = '0.1.0';

interface Description {
  readonly baseUrl: string | undefined;
}

export async function describeApi(app: FastifyInstance, { baseUrl }: Description): Promise<void> {
  for (const schema of [ErrorOut, ValidationError, HTTPValidationError]) app.addSchema(schema);

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Crescendo',
        version: API_VERSION,
        summary: 'Reminders that keep coming, a little stronger each time, until the task is dealt with.',
        description: INTRODUCTION,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: baseUrl ?? '/', description: 'This service' }],
      tags: TAGS.map(([name, description]) => ({ name, description })),
      components: {
        securitySchemes: {
          session: { type: 'http', scheme: 'bearer', description: 'A session token, `st_…`, obtained by signing in.' },
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'A Personal Access Token, `pk_…`, that has the named scope.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
    transform: ({ schema, url, route }) => ({ schema: withErrors(schema, route), url }),
    transformObject: (document) =>
      completeDocument(('openapiObject' in document ? document.openapiObject : {}) as Document),
  });

  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  app.get('/docs/errors', { schema: { hide: true } }, async (_request, reply) =>
    sendStaticPage(reply, words.errorsPage.title, errorsPage()),
  );
  await app.register(swaggerUi, DOCS_PAGE);
}

const TAGS: readonly [name: string, description: string][] = [
  ['sign-in', 'Signing in and signing up'],
  ['sessions', 'The sessions of your account'],
  ['second factor', 'An authenticator app as a second step of signing in'],
  ['tokens', 'Access tokens for agents'],
  ['connections', 'Assistants that connect by sign-in'],
  ['devices', 'The phones and browsers that receive your nudges'],
  ['channels', 'Other ways to receive your nudges: mail, chats, webhooks'],
  ['tasks', 'Tasks, their nudges and their timelines'],
  ['ladders', 'How hard tasks insist: ladders of the service, and of your own'],
  ['statistics', 'Outcomes of tasks, and totals'],
  ['spaces', 'Groups whose members share tasks'],
  ['account', 'Settings, pause, export, import and deletion of your account'],
  ['calendar', 'The calendar feed of your open tasks'],
  ['billing', 'The webhook of the billing provider'],
  ['admin', 'People, invitations and the health of the installation, for administrators'],
  ['service', 'The health of the service'],
];

const INTRODUCTION = [
  'Every JSON answer is `{ok, data, error}`. On failure `error` is a stable code, a colon and a sentence;',
  '[all error codes](/docs/errors). Invalid input is answered with status 422 and `{detail: [{type, loc, msg}]}`.',
  'Instants are in ISO 8601 format, and in UTC in answers.',
  'An instant without an offset is read in the time zone of the user.',
  'Every answer has an `X-Request-Id`, by which the log of the service names the request.',
].join('\n');

function errorsPage(): string {
  const { heading, lead, heads, back } = words.errorsPage;
  const rows = Object.entries(errorCatalogue).map(
    ([code, { status, sentence }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escapeHtml(sentence)}</td></tr>`,
  );
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join('');
  return `<h1>${heading}</h1>
<p class="lead">${lead} <a href="/docs">${back}</a></p>
<table><thead><tr>${head}</tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`;
}

/**
 * Adds the error answers of a route, which follow from its access, its input and its `refuses`. They are in the
 * description only: a compiled serialiser for each of them would cost a third of the memory and of the start time.
 */
function withErrors(schema: FastifySchema, { config }: RouteOptions): FastifySchema {
  if (!schema?.response || schema.hide) return schema;
  const codes: ErrorCode[] = ['internal', 'overloaded', ...(config?.refuses ?? [])];
  if (config?.access !== 'anyone') codes.push('unauthenticated', 'session_required', 'too_many_requests');
  if (config?.access === 'admin') codes.push('admin_required');
  if (schema.params) codes.push('not_found');
  if (schema.body) codes.push('payload_too_large', 'unsupported_media_type');
  if (config?.takesKey) codes.push('idempotency_key_reused');
  const takesInput = schema.body || schema.querystring || schema.params || config?.takesKey;
  const response = {
    ...Object.fromEntries(codes.map((code) => [errorCatalogue[code].status, named(ErrorOut)])),
    ...(takesInput ? { 422: named(HTTPValidationError) } : {}),
    ...schema.response,
    ...(config?.sends && { 200: withHeaders(schema.response, config.sends) }),
  };
  return { ...schema, ...(config?.takesKey && { headers: IdempotencyHeader }), response };
}

/** Lists the headers by name only; the description refers to their definitions. */
function withHeaders(response: unknown, names: readonly AnswerHeader[]): object {
  const { 200: success } = response as { readonly 200: object };
  return { ...success, headers: Object.fromEntries(names.map((name) => [name, {}])) };
}

const STATUS_DESCRIPTIONS: Readonly<Record<string, string>> = {
  200: 'Success',
  400: 'The request cannot be accepted as it is',
  401: 'Not signed in, or a wrong code or token',
  403: 'Signed in, but not allowed',
  404: 'Does not exist, or you may not see it',
  409: 'Conflicts with the current state',
  410: 'Already used, revoked or expired',
  413: 'The body is too large',
  415: 'The media type of the body is not supported',
  422: 'The input is not valid',
  429: 'Too many requests or attempts; Retry-After says when to try again',
  500: 'An internal error of the service',
  503: 'Temporarily unavailable; Retry-After says when to try again',
};

/** Adds what the generator cannot derive: whether a body is required, and a description of each status. */
function completeDocument(document: Document): Document & { readonly 'x-error-codes': object } {
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path ?? {}) as Operation[]);
  for (const operation of operations) {
    const { requestBody, responses = {} } = operation;
    if (requestBody && 'content' in requestBody) requestBody.required = hasRequiredFields(document, requestBody);
    for (const [status, response] of Object.entries(responses)) describeAnswer(status, response as Answer, operation);
  }
  // For programs; people read the page, which Swagger UI would otherwise show above the first operation.
  const components = { ...document.components, headers: answerHeaders };
  return { ...document, components, 'x-error-codes': errorCatalogue };
}

type Answer = OpenAPIV3_1.ResponseObject;

function describeAnswer(status: string, answer: Answer, operation: Operation): void {
  const names = [...headersOf(status, operation), ...Object.keys(answer.headers ?? {})];
  if (names.length > 0)
    answer.headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  answer.description = STATUS_DESCRIPTIONS[status] ?? answer.description;
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
