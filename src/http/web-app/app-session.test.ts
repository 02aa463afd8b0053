import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { isFromApp } from './app-session.ts';

test('only a request that the app itself made on its own origin counts as one of the app', () => {
  const isOwn = (headers: Record<string, string>) => isFromApp({ headers } as unknown as FastifyRequest);
  const app = { 'x-crescendo-app': '1' };
  // Over plain http, browsers do not say where a request comes from.
  assert.equal(isOwn(app), true);
  assert.equal(isOwn({ ...app, 'sec-fetch-site': 'same-origin' }), true);
  for (const site of ['same-site', 'cross-site', 'none', ''])
    assert.equal(isOwn({ ...app, 'sec-fetch-site': site }), false);
  for (const other of [{}, { 'x-crescendo-app': '0' }, { 'sec-fetch-site': 'same-origin' }])
    assert.equal(isOwn(other), false);
});
