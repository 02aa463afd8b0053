/**
 * The error catalogue: every refusal the service can utter, as code → HTTP status → sentence.
 *
 * A code is part of the public interface: clients branch on it, so it is never renamed.
 * Services throw `AppError` or `InvalidInput`; `http/` alone turns them into a response.
 */
interface CatalogueEntry {
  readonly status: number;
  readonly sentence: string;
}

export const errorCatalogue = {
  malformed_request: { status: 400, sentence: 'The request is not valid HTTP.' },
  not_found: { status: 404, sentence: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, sentence: 'This address does not take that method.' },
  request_timeout: { status: 408, sentence: 'The request did not arrive in time.' },
  payload_too_large: { status: 413, sentence: 'The body is larger than this address takes.' },
  unsupported_media_type: { status: 415, sentence: 'The body must be JSON (Content-Type: application/json).' },
  headers_too_large: { status: 431, sentence: 'The request headers are too large.' },
  internal: { status: 500, sentence: 'Something went wrong on our side. It has been logged.' },
  overloaded: { status: 503, sentence: 'The service is too busy at the moment. Try again shortly.' },
  timed_out: { status: 503, sentence: 'The answer took too long and was given up. Try again shortly.' },
  database_unavailable: { status: 503, sentence: 'The database cannot be reached at the moment. Try again shortly.' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

interface AppErrorOptions {
  /** Replaces the catalogue's sentence where a more precise one helps the reader. Shown to callers. */
  readonly sentence?: string;
  /** What really happened. Logged, never shown. */
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.sentence ?? errorCatalogue[code].sentence, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** One complaint about the input: what kind, where, and in words. Never repeats the value itself. */
export interface InputProblem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Input that violates its declared shape or meaning: answered with 422. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly problems: readonly InputProblem[];

  constructor(...problems: InputProblem[]) {
    super('The input is not valid.');
    this.problems = problems;
  }
}
