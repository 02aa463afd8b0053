import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { addIdempotencyHooks } from './idempotency-hooks.ts';
import type { StoredAnswersService } from './stored-answers.service.ts';

type Send = (request: object, reply: object, payload: unknown, done: () => void) => Promise<void> | undefined;

test('what went wrong is answered, though the database is away when the key is given back', async () => {
  const hooks = new Map<string, Send>();
  const app = { decorateRequest: () => undefined, addHook: (name: string, hook: Send) => hooks.set(name, hook) };
  let isAsked = false;
  const answers = {
    release: async () => {
      isAsked = true;
      throw new Error('the database is away');
    },
  };
  addIdempotencyHooks(app as unknown as FastifyInstance, answers as unknown as StoredAnswersService);
  const reply = { statusCode: 503, routeOptions: { config: {} } };
  const send = hooks.get('onSend') ?? assert.fail();
  assert.equal(await send({ keyed: {} }, reply, '{}', () => assert.fail('It was not waited for.')), undefined);
  assert.equal(isAsked, true);
});
