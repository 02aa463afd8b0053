import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InProcessCalls, type KnownCaller } from './in-process-calls.ts';

test('the id of a call stands for its caller while it runs, and for nobody afterwards', async () => {
  const calls = new InProcessCalls();
  const known = { foundAt: 0 } as KnownCaller;
  let request = {} as FastifyRequest;
  const found: unknown[] = [];
  const app = (isFailing: boolean) => ({
    inject: async (options: object) => {
      request = options as FastifyRequest;
      found.push(calls.findCaller(request));
      if (isFailing) throw new Error('The call failed.');
    },
  });
  const call = (isFailing: boolean) => calls.call(app(isFailing) as unknown as FastifyInstance, known, { url: '/' });
  await call(false);
  assert.equal(calls.findCaller(request), undefined);
  await assert.rejects(call(true));
  assert.equal(calls.findCaller(request), undefined);
  assert.deepEqual(found, [known, known]);
});
