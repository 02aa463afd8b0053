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

/** For `catch`: returns the result that a `PushError` carries and rethrows any other error. */
export function toPushResult(error: unknown): PushResult {
  if (error instanceof PushError) return error.result;
  throw error;
}
