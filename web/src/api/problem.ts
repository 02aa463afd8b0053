import { strings } from '../strings.ts';

/** Why a call did not do what it was asked to: what the service said, or that it could not be asked. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** A code of the service's error catalogue, or `offline`. */
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, status = 0, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Trying the same again later may help. */
  get isPassing(): boolean {
    return this.code === 'offline' || this.status >= 500 || this.status === 429 || this.code === 'request_in_progress';
  }
}

export const offline = () => new Problem('offline', strings.problems.offline);

/** What is said to a person: in our words where we have some, else in those of the service. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Problem)) return strings.problems.unknown;
  const known: Readonly<Record<string, string>> = strings.problems.byCode;
  return known[error.code] ?? error.message;
}

interface Refusal {
  readonly error?: string;
  readonly detail?: readonly { readonly msg: string; readonly loc: readonly (string | number)[] }[];
}

export function problemOf(response: Response, body: unknown): Problem {
  const { error, detail } = (typeof body === 'object' && body !== null ? body : {}) as Refusal;
  const after = Number(response.headers.get('retry-after')) || undefined;
  if (detail) return new Problem('invalid_input', detail.map(({ msg }) => msg).join('. '), response.status);
  const [, code, sentence] = /^(\w+): (.+)$/s.exec(error ?? '') ?? [];
  return new Problem(code ?? 'unknown', sentence ?? strings.problems.unknown, response.status, after);
}
