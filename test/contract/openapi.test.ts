import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { errorCatalogue } from '../../src/lib/errors.ts';
import { onlyOn } from '../support/engines.ts';
import { startTestApp } from '../support/test-app.ts';

interface Operation {
  operationId?: string;
  summary?: string;
  tags?: string[];
  security?: unknown;
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

interface Description {
  openapi: string;
  info: { version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, { $id?: string }>; securitySchemes: Record<string, { scheme: string }> };
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

  test('the error schemas have the names of the specification, and every error code is explained', async () => {
    const { components, info } = await describeService();
    for (const name of ['ErrorOut', 'HTTPValidationError', 'ValidationError'])
      assert.ok(components.schemas[name], name);
    const schemes = Object.values(components.securitySchemes).map(({ scheme }) => scheme);
    assert.deepEqual(schemes, ['bearer', 'bearer']);
    for (const code of Object.keys(errorCatalogue)) assert.ok(info.description.includes(`\`${code}\``), code);
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
