import type { PushResult } from './gateway.ts';

/** Thrown between the parts of a gateway, where the answer is known before the provider gave one. */
export class Undelivered extends Error {
  override readonly name = 'Undelivered';
  readonly result: PushResult;

  constructor(result: Exclude<PushResult, { kind: 'accepted' }>, cause?: unknown) {
    super(`${result.kind}: ${result.reason}`, { cause });
    this.result = result;
  }
}

/** To be handed to `catch`: what was thrown on purpose is the result, anything else stays an error. */
export function resultOf(error: unknown): PushResult {
  if (error instanceof Undelivered) return error.result;
  throw error;
}
