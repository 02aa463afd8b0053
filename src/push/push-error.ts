import { OutboundError } from '../outbound/outbound-error.ts';
import type { PushResult } from './gateway.ts';

/** Thrown inside a gateway when the result of a push is known without an answer from the provider. */
export class PushError extends Error {
  override readonly name = 'PushError';
  readonly result: PushResult;

  constructor(result: Exclude<PushResult, { kind: 'accepted' }>, cause?: unknown) {
    super(`${result.kind}: ${result.reason}`, { cause });
    this.result = result;
  }
}

/** For `catch`: the result that a `PushError` carries, or of a push without an answer. Rethrows any other error. */
export function toPushResult(error: unknown): PushResult {
  if (error instanceof PushError) return error.result;
  if (error instanceof OutboundError) return { kind: error.isRefused ? 'rejected' : 'retry', reason: error.reason };
  throw error;
}
