import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { TOOLS } from '../../src/agents/tools.ts';
import { errorCatalogue } from '../../src/lib/errors.ts';
import { onlyOn } from '../support/engines.ts';
import { signIn } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';
import { unboundedIn, type ValueSchema } from '../support/unbounded-values.ts';

interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: unknown;
  parameters?: { in: string; name: string; schema: ValueSchema }[];
  requestBody?: { content: Record<string, { schema: ValueSchema }> };
  responses: Record<
    string,
    { description: string; headers?: Record<string, object>; content?: Record<string, { schema: object }> }
  >;
}

interface Description {
  openapi: string;
  info: { version: string; description: string };
  'x-error-codes': object;
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, ValueSchema>;
    securitySchemes: Record<string, { scheme: string }>;
    headers: Record<string, object>;
  };
}

async function describeService(): Promise<Description> {
  await using app = await startTestApp('sqlite');
  const response = await app.fastify.inject({ url: '/openapi.json' });
  assert.equal(response.statusCode, 200);
  assert.match(String(response.headers['content-type']), /^application\/json/);
  return response.json();
}

const operationsOf = ({ paths }: Description) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, ...operation })),
  );

onlyOn('sqlite', () => {
  test('an independent validator accepts the description as OpenAPI 3.1', async () => {
    const description = await describeService();
    assert.equal(description.openapi, '3.1.0');
    assert.equal(description.info.version, '0.1.0');
    const { valid, errors } = await new Validator().validate(
      structuredClone(description) as object as Record<string, unknown>,
    );
    assert.ok(valid, JSON.stringify(errors, null, 2));
  });

  test('the description passes the linter', async () => {
    const source = JSON.stringify(await describeService());
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // The description does not know the address of the service, so the server URL is relative.
        'no-server-example.com': 'off',
        'operation-4xx-response': 'off',
      },
    });
    const problems = await lintFromString({ source, config });
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
      [],
    );
  });

  test('every operation has a name, a summary, a tag, its security and a description of every answer', async () => {
    const operations = operationsOf(await describeService());
    assert.ok(operations.length > 0);
    for (const { name, operationId, summary, tags, responses } of operations) {
      assert.match(operationId ?? '', /^[a-z][a-z0-9_]+$/, name);
      assert.match(summary ?? '', /^[A-Z].{8,80}[^.]$/, name);
      assert.equal(tags?.length, 1, name);
      for (const status of ['200', '500', '503']) assert.ok(responses[status], `${name} lacks ${status}`);
      for (const [status, { description }] of Object.entries(responses)) {
        assert.notEqual(description, 'Default Response', `${name} ${status}`);
      }
    }
    const ids = operations.map(({ operationId }) => operationId);
    assert.equal(new Set(ids).size, ids.length);
  });

  test('every value that a request may contain has a bound', async () => {
    const description = await describeService();
    const { schemas } = description.components;
    const operations = operationsOf(description);
    const unbounded = operations.flatMap(({ name, parameters = [], requestBody }) => [
      ...parameters.flatMap((one) => unboundedIn(one.schema, schemas, `${name} ${one.in} ${one.name}`)),
      ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
        unboundedIn(schema, schemas, `${name} body`),
      ),
    ]);
    assert.deepEqual(unbounded, []);
    const kinds = new Set(operations.flatMap(({ parameters = [] }) => parameters.map((one) => one.in)));
    assert.deepEqual([...kinds].sort(), ['header', 'path', 'query']);
  });

  test('an operation declares 413, 415 and 422 only if it has a body, or a value that can be invalid', async () => {
    for (const { name, parameters = [], requestBody, responses } of operationsOf(await describeService())) {
      const hasBody = requestBody !== undefined;
      assert.deepEqual([responses[413] !== undefined, responses[415] !== undefined], [hasBody, hasBody], name);
      const takesValues = parameters.some((one) => one.in !== 'header' || one.name === 'Idempotency-Key');
      assert.equal(responses[422] !== undefined, hasBody || takesValues, name);
    }
  });

  test('the headers of answers are declared: cursors, replays, recurrence, challenges and when to retry', async () => {
    const description = await describeService();
    await using app = await startTestApp('sqlite', { settings: { RATE_LIMIT_PER_MINUTE: '12' } });
    const ada = await signIn(app);
    const seen = new Set<string>();
    const authorization = `Bearer ${ada.sessionToken}`;
    const ask = async (name: string, options: { url?: string; payload?: object; headers?: Record<string, string> }) => {
      const [method = '', path = ''] = name.split(' ');
      const { url = path, payload, headers } = options;
      const answer = await app.fastify.inject({
        method: method as 'GET',
        url,
        headers: { authorization, ...headers },
        ...(payload && { payload }),
      });
      const declared = description.paths[path]?.[method.toLowerCase()]?.responses[answer.statusCode]?.headers ?? {};
      for (const header of Object.keys(description.components.headers)) {
        if (answer.headers[header.toLowerCase()] === undefined) continue;
        assert.ok(declared[header], `${name} ${answer.statusCode} sends ${header}`);
        seen.add(`${answer.statusCode} ${header}`);
      }
      return answer;
    };
    await ask('POST /v1/auth/email/request', { payload: { email: 'ada@example.org' }, headers: { authorization: '' } });
    const keyed = {
      payload: { title: 'Water', recurrence: { freq: 'sometimes' } },
      headers: { 'idempotency-key': 'k' },
    };
    for (let index = 0; index < 2; index += 1) await ask('POST /v1/tasks', keyed);
    const { id } = (await ask('POST /v1/tasks', { payload: { title: 'Bread' } })).json().data;
    await ask('GET /v1/tasks', { url: '/v1/tasks?limit=1' });
    await ask('GET /v1/tasks/{task_id}', { url: `/v1/tasks/${id}` });
    await ask('GET /v1/me', { headers: { authorization: 'Bearer st_wrong' } });
    const { token } = (await ask('POST /v1/tokens', { payload: { scopes: ['tasks:read'] } })).json().data;
    await ask('POST /v1/tasks', { payload: { title: 'Milk' }, headers: { authorization: `Bearer ${token}` } });
    for (let index = 0; index < 12; index += 1) await ask('GET /v1/me', {});
    assert.deepEqual([...seen].sort(), [
      '200 Idempotent-Replayed',
      '200 X-Next-Cursor',
      '200 X-Recurrence',
      '200 X-Sign-In-Request',
      '401 WWW-Authenticate',
      '403 WWW-Authenticate',
      '429 Retry-After',
    ]);
  });

  test('every argument of an MCP tool has a bound', () => {
    // As they are checked: the published list leaves out the format of ids, since the end of an id is accepted too.
    const tools = TOOLS['/mcp/all'];
    assert.ok(tools.length >= 6);
    for (const { name, input } of tools) assert.deepEqual(unboundedIn(input as ValueSchema, {}, name), []);
  });

  test('the search for unbounded values finds each kind of them', () => {
    const named = { Text: { type: 'string' } };
    const unbounded: ValueSchema[] = [
      {},
      { type: 'string' },
      { type: ['string', 'null'] },
      { type: 'string', format: 'email' },
      { type: 'string', pattern: '^[a-z]+$' },
      { type: 'string', pattern: '[a-z]' },
      { type: 'integer', minimum: 0 },
      { type: 'number', maximum: 0 },
      { type: 'array', items: { type: 'boolean' } },
      { type: 'array', maxItems: 3 },
      { type: 'array', maxItems: 3, items: { type: 'string' } },
      { type: 'object', additionalProperties: true },
      { type: 'object', properties: { a: { type: 'string' } } },
      { anyOf: [{ type: 'null' }, { type: 'string' }] },
      { $ref: '#/components/schemas/Text' },
    ];
    for (const schema of unbounded) assert.notDeepEqual(unboundedIn(schema, named, ''), [], JSON.stringify(schema));
  });

  test('the error schemas have the names of the specification, and every error code is explained', async () => {
    const { components, ...description } = await describeService();
    for (const name of ['ErrorOut', 'HTTPValidationError', 'ValidationError'])
      assert.ok(components.schemas[name], name);
    const schemes = Object.values(components.securitySchemes).map(({ scheme }) => scheme);
    assert.deepEqual(schemes, ['bearer', 'bearer']);
    assert.deepEqual(description['x-error-codes'], errorCatalogue);
    await using app = await startTestApp('sqlite');
    const page = await app.fastify.inject({ url: '/docs/errors' });
    assert.equal(page.statusCode, 200);
    for (const code of Object.keys(errorCatalogue)) assert.ok(page.body.includes(`<code>${code}</code>`), code);
    assert.match(description.info.description, /\(\/docs\/errors\)/);
    assert.ok(description.info.description.length < 600, 'the operations no longer start on the first screen');
  });

  test('the documentation page loads everything from the service itself', async () => {
    await using app = await startTestApp('sqlite');
    const page = await app.fastify.inject({ url: '/docs' });
    assert.equal(page.statusCode, 200);
    const sources = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source ?? '');
    assert.ok(sources.length >= 4);
    for (const source of sources) {
      const url = new URL(source, 'http://localhost/docs/');
      assert.equal(url.host, 'localhost', source);
      assert.equal((await app.fastify.inject({ url: url.pathname })).statusCode, 200, source);
    }
  });
});
