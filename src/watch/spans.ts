/** Runs mails, pushes and sweeps inside tracing spans. */
import type { Mailer } from '../lib/mailer.ts';
import { errorTypeOf, inSpan, type Span, type Tracer } from '../lib/tracer.ts';
import { type AnyPush, type Gateway, type Provider, type PushResult, withSend } from '../push/gateway.ts';

export function tracedMailer(mailer: Mailer, tracer: Tracer): Mailer {
  const traced = (send: Mailer['send']): Mailer['send'] => {
    return (mail) => inSpan(tracer, 'mail', { kind: 'client' }, () => send(mail));
  };
  return {
    send: traced((mail) => mailer.send(mail)),
    sendOnce: traced((mail) => mailer.sendOnce(mail)),
    close: () => mailer.close(),
  };
}

export function tracedGateway(provider: Provider, gateway: Gateway, tracer: Tracer): Gateway {
  return withSend(gateway, async (push, signal) => {
    const span = tracer.start(`push ${provider}`, { kind: 'client', attributes: pushAttributes(provider, push) });
    try {
      const result = await tracer.run(span, () => gateway.send(push, signal));
      endPushSpan(span, result);
      return result;
    } catch (error) {
      span.end(errorTypeOf(error));
      throw error;
    }
  });
}

const pushAttributes = (provider: Provider, push: AnyPush) => ({
  'crescendo.push.provider': provider,
  'crescendo.push.kind': push.kind,
  ...('task' in push && { 'crescendo.task_id': push.task.id }),
  ...('stage' in push && push.stage !== undefined && { 'crescendo.stage': push.stage }),
});

/** The shape of a provider's error code. A longer reason may be a sentence with personal data. */
const ERROR_CODE = /^[\w.-]{1,64}$/;

function endPushSpan(span: Span, result: PushResult): void {
  const reason = result.kind === 'accepted' ? '' : result.reason;
  const hasCode = ERROR_CODE.test(reason);
  span.set({ 'crescendo.push.result': result.kind, ...(hasCode && { 'crescendo.push.reason': reason }) });
  // A gone device is not an error.
  span.end(result.kind === 'accepted' || result.kind === 'gone' ? undefined : result.kind);
}

interface Swept {
  readonly taken: number;
  readonly nudges: number;
  readonly lateMs: number;
}

/** Each batch of due tasks is its own trace: the transaction that moves the tasks on, and the pushes that follow. */
export const tracedSweep =
  (tracer: Tracer) =>
  <T extends Swept>(sweep: () => Promise<T>): Promise<T> =>
    inSpan(tracer, 'sweep', {}, async (span) => {
      const swept = await sweep();
      const { taken, nudges, lateMs } = swept;
      span.set({
        'crescendo.sweep.tasks': taken,
        'crescendo.sweep.nudges': nudges,
        'crescendo.sweep.lag_seconds': lateMs / 1_000,
      });
      return swept;
    });
