/** Why a tool could not do what it was asked, in a form that its model can act on. */
import type { ErrorCode, InputProblem } from '../lib/errors.ts';

/** A code of the catalogue, or what the API answers with 422. */
export type FailureCode = ErrorCode | 'invalid_input';

export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly code: FailureCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: FailureCode, sentence: string, retryAfterSeconds?: number) {
    super(sentence);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const SENT_AS_HEADER: Readonly<Record<string, string>> = { 'Idempotency-Key': 'idempotency_key' };

/** In terms of the tool's arguments: the first word of a location says only in which part of a request it was. */
export function invalidInput(problems: readonly InputProblem[]): ToolFailure {
  const lines = problems.map(({ loc, msg }) => {
    const path = loc.slice(1).join('.');
    return path === '' ? msg : `${SENT_AS_HEADER[path] ?? path}: ${msg}`;
  });
  return new ToolFailure('invalid_input', lines.join('; '));
}
