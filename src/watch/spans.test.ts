import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Span, Tracer } from '../lib/tracer.ts';
import type { Gateway, PushResult } from '../push/gateway.ts';
import { tracedGateway } from './spans.ts';

/** What is written about a push with this result. */
async function traceOf(result: PushResult | Error): Promise<object> {
  const written: Record<string, unknown> = {};
  const span: Span = {
    traceId: 'trace',
    set: (attributes) => void Object.assign(written, attributes),
    end: (error) => void Object.assign(written, { error }),
  };
  const tracer: Tracer = { start: () => span, active: () => span, run: (_, work) => work() };
  const send = async () => {
    if (result instanceof Error) throw result;
    return result;
  };
  const gateway = { send, capacity: () => 1, close: async () => undefined } as unknown as Gateway;
  const sending = tracedGateway('fcm', gateway, tracer).send({ kind: 'test' } as never, AbortSignal.timeout(1_000));
  await sending.catch((error: unknown) => assert.equal(error, result));
  return written;
}

test('a gateway that is traced does what it did before', () => {
  const gateway: Gateway = {
    send: async () => ({ kind: 'accepted' }),
    limits: { mostPerDay: 1, repeatsUpToPerDay: 1, stopsAfterIdleMs: 1 },
    isForNudgesOnly: true,
    holds: { minMs: 1, maxMs: 2, isElsewhere: () => true },
    findDayBudget: () => ({ key: 'a', most: 1 }),
    refOf: () => 'a reference',
    sendWithinMs: 30_000,
    capacity: () => 7,
    placesPerServer: 4,
    isRefused: () => true,
    close: async () => undefined,
  };
  const tracer: Tracer = { start: () => assert.fail(), active: () => undefined, run: (_, work) => work() };
  const traced = tracedGateway('ntfy', gateway, tracer);
  const facts = ({ limits, isForNudgesOnly, holds, sendWithinMs, placesPerServer }: Gateway) => ({
    limits,
    isForNudgesOnly,
    holds,
    sendWithinMs,
    placesPerServer,
  });
  assert.deepEqual(facts(traced), facts(gateway));
  const answers = (one: Gateway) => [
    one.refOf?.({} as never),
    one.capacity(),
    one.isRefused?.(),
    one.findDayBudget?.({} as never),
  ];
  assert.deepEqual(answers(traced), answers(gateway));
});

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
  assert.deepEqual(await traceOf(new TypeError('about ada@example.org')), { error: 'TypeError' });
});
