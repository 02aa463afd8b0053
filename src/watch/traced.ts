/** Puts what the service does to others, and what its engine does, into spans. */
import type { Mailer } from '../lib/mailer.ts';
import { errorTypeOf, inSpan, type Span, type Tracer } from '../lib/tracer.ts';
import type { Gateway, Provider, Push, PushResult } from '../push/gateway.ts';

export function tracedMailer(mailer: Mailer, tracer: Tracer): Mailer {
  const send: Mailer['send'] = (mail) => inSpan(tracer, 'mail', { kind: 'client' }, () => mailer.send(mail));
  return { send, close: () => mailer.close() };
}

export function tracedGateway(provider: Provider, gateway: Gateway, tracer: Tracer): Gateway {
  return {
    ...(gateway.isRefused && { isRefused: () => gateway.isRefused?.() ?? false }),
    room: () => gateway.room(),
    close: () => gateway.close(),
    send: async (push, signal) => {
      const span = tracer.start(`push ${provider}`, { kind: 'client', attributes: aboutPush(provider, push) });
      try {
        const result = await tracer.run(span, () => gateway.send(push, signal));
        tell(span, result);
        return result;
      } catch (error) {
        span.end(errorTypeOf(error));
        throw error;
      }
    },
  };
}

const aboutPush = (provider: Provider, push: Push) => ({
  ...{ 'crescendo.push.provider': provider, 'crescendo.push.kind': push.kind },
  ...(push.kind !== 'test' && { 'crescendo.task_id': push.task.id, 'crescendo.stage': push.stage }),
});

/** A provider's word is a word; what is longer may be a sentence about somebody. */
const WORD = /^[\w.-]{1,64}$/;

function tell(span: Span, result: PushResult): void {
  const reason = result.kind === 'accepted' ? '' : result.reason;
  span.set({ 'crescendo.push.result': result.kind, ...(WORD.test(reason) && { 'crescendo.push.reason': reason }) });
  // A device that is gone is no fault of anybody's.
  span.end(result.kind === 'accepted' || result.kind === 'gone' ? undefined : result.kind);
}

interface Swept {
  readonly taken: number;
  readonly nudges: number;
  readonly lateMs: number;
}

/** A batch of due tasks is a trace of its own: the transaction that moves them on, and the pushes that follow from it. */
export const tracedSweep =
  (tracer: Tracer) =>
  <T extends Swept>(sweep: () => Promise<T>): Promise<T> =>
    inSpan(tracer, 'sweep', {}, async (span) => {
      const swept = await sweep();
      const { taken, nudges, lateMs } = swept;
      span.set({
        ...{ 'crescendo.sweep.tasks': taken, 'crescendo.sweep.nudges': nudges },
        'crescendo.sweep.lag_seconds': lateMs / 1_000,
      });
      return swept;
    });
