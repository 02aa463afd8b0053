import { strings } from '../strings.ts';

const TEMPORARY: ReadonlySet<string> = new Set(['offline', 'browser_failed', 'request_in_progress']);

/** Why a request failed: the error of the service, or that the service was unreachable. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  /** A code of the service's error catalogue, `offline`, or `browser_failed`. */
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;
  /** What is wrong with the input, by the name of the field. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(code: string, message: string, status = 0, retryAfterSeconds?: number, fields = {}) {
    super(message);
    this.fields = fields;
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The same request may succeed later. */
  get isTemporary(): boolean {
    return this.status >= 500 || this.status === 429 || TEMPORARY.has(this.code);
  }
}

export const offlineProblem = () => new Problem('offline', strings.problems.offline);

/** The text to show: the app's own where there is one for the code, otherwise the sentence of the service. */
export function problemText(error: unknown): string {
  if (!(error instanceof Problem)) return strings.problems.unknown;
  const texts: Readonly<Record<string, string>> = strings.problems.byCode;
  return texts[error.code] ?? error.message;
}

interface ErrorBody {
  readonly error?: string;
  readonly detail?: readonly { readonly msg: string; readonly loc: readonly (string | number)[] }[];
}

export function toProblem(response: Response, body: unknown): Problem {
  const { error, detail } = (typeof body === 'object' && body !== null ? body : {}) as ErrorBody;
  const after = Number(response.headers.get('retry-after')) || undefined;
  if (detail) {
    const fields = Object.fromEntries(detail.map(({ loc, msg }) => [loc.at(-1), msg]));
    return new Problem('invalid_input', detail.map(({ msg }) => msg).join('. '), response.status, undefined, fields);
  }
  const [, code, sentence] = /^(\w+): (.+)$/s.exec(error ?? '') ?? [];
  return new Problem(code ?? 'unknown', sentence ?? strings.problems.unknown, response.status, after);
}
