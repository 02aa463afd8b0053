import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Span, Tracer } from '../lib/tracer.ts';
import type { Gateway, PushResult } from '../push/gateway.ts';
import { tracedGateway } from './spans.ts';

/** What is written about a push with this result. */
async function traceOf(result: PushResult): Promise<object> {
  const written: Record<string, unknown> = {};
  const span: Span = {
    traceId: 'trace',
    set: (attributes) => void Object.assign(written, attributes),
    end: (error) => void Object.assign(written, { error }),
  };
  const tracer: Tracer = { start: () => span, active: () => span, run: (_, work) => work() };
  const gateway = { send: async () => result, capacity: () => 1, close: async () => undefined } as unknown as Gateway;
  await tracedGateway('fcm', gateway, tracer).send({ kind: 'test' } as never, AbortSignal.timeout(1_000));
  return written;
}

test('a trace has the code of a provider, and never a sentence, in which it may quote a person', async () => {
  assert.deepEqual(await traceOf({ kind: 'rejected', reason: 'BadTopic' }), {
    'crescendo.push.result': 'rejected',
    'crescendo.push.reason': 'BadTopic',
    error: 'rejected',
  });
  assert.deepEqual(await traceOf({ kind: 'rejected', reason: 'No mailbox ada@example.org' }), {
    'crescendo.push.result': 'rejected',
    error: 'rejected',
  });
  assert.deepEqual(await traceOf({ kind: 'gone', reason: 'Unregistered' }), {
    'crescendo.push.result': 'gone',
    'crescendo.push.reason': 'Unregistered',
    error: undefined,
  });
});
