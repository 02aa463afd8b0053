/**
 * Turns FCM's answer into a push result. Pure.
 *
 * FCM's own error code is in the details of the error. The status is the general one of Google's services: a
 * 404 without FCM's own detail is about the project, not about the device.
 */
import { parseRetryAfter } from '../../lib/retry-after.ts';
import type { Answer } from '../../outbound/http-sender.ts';
import type { PushResult } from '../gateway.ts';

/** For a quota error without Retry-After. FCM's guide requires at least a minute. */
const QUOTA_RETRY_MS = 60_000;

export function classify(answer: Answer, now: Date): PushResult {
  if (answer.status >= 200 && answer.status < 300) return { kind: 'accepted' };
  const error = parseError(answer.body);
  const afterMs = parseRetryAfter(answer.headers['retry-after'], now);
  return byErrorCode(error, afterMs) ?? byStatus(answer.status, error, afterMs);
}

/** The access token may have been revoked early. A new one may be accepted. */
export const isUnauthenticated = ({ status, body }: Answer): boolean =>
  status === 401 && parseError(body).errorCode === undefined;

function byErrorCode(error: GoogleError, afterMs: number | undefined): PushResult | undefined {
  const reason = error.errorCode ?? '';
  switch (reason) {
    case 'UNREGISTERED':
      return { kind: 'gone', reason };
    case 'INVALID_ARGUMENT':
      return isAboutToken(error) ? { kind: 'gone', reason: 'INVALID_REGISTRATION' } : { kind: 'rejected', reason };
    // The token belongs to another project. If our project setting is wrong, every device gets this code until the
    // setting is corrected, and no device may become invalid because of it.
    case 'SENDER_ID_MISMATCH':
    // About the project's credentials for Apple or browsers, which no Android device uses. One token of the
    // wrong kind must not stop the others.
    case 'THIRD_PARTY_AUTH_ERROR':
      return { kind: 'rejected', reason };
    case 'QUOTA_EXCEEDED':
      return { kind: 'retry', reason, afterMs: afterMs ?? QUOTA_RETRY_MS };
    case 'UNAVAILABLE':
    case 'INTERNAL':
    case 'UNSPECIFIED_ERROR':
      return retry(reason, afterMs);
    default:
      return undefined;
  }
}

function byStatus(status: number, error: GoogleError, afterMs: number | undefined): PushResult {
  const reason = error.reason ?? error.status ?? `http_${status}`;
  if (status === 429) return { kind: 'retry', reason, afterMs: afterMs ?? QUOTA_RETRY_MS };
  if (status >= 500 || status === 408) return retry(reason, afterMs);
  if (status === 401 || status === 403 || status === 404) return { kind: 'misconfigured', reason };
  return { kind: 'rejected', reason };
}

const retry = (reason: string, afterMs: number | undefined): PushResult =>
  afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };

/** An error elsewhere in the message has the same code, and must not make every device invalid. */
function isAboutToken({ message, violatedFields }: GoogleError): boolean {
  if (violatedFields.length > 0) return violatedFields.every((field) => field === 'message.token');
  return /registration token/i.test(message);
}

interface GoogleError {
  readonly message: string;
  readonly status: string | undefined;
  readonly errorCode: string | undefined;
  /** More specific than the status, for example SERVICE_DISABLED. */
  readonly reason: string | undefined;
  readonly violatedFields: readonly string[];
}

function parseError(body: string): GoogleError {
  const error = property(parseJson(body), 'error');
  const details = arrayOf(property(error, 'details'));
  const inDetail = (type: string, name: string) =>
    details.filter((detail) => textOf(detail, '@type')?.endsWith(type)).map((detail) => property(detail, name))[0];
  return {
    message: textOf(error, 'message') ?? '',
    status: textOf(error, 'status'),
    errorCode: asText(inDetail('google.firebase.fcm.v1.FcmError', 'errorCode')),
    reason: asText(inDetail('google.rpc.ErrorInfo', 'reason')),
    violatedFields: arrayOf(inDetail('google.rpc.BadRequest', 'fieldViolations')).map(
      (violation) => textOf(violation, 'field') ?? '',
    ),
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const textOf = (value: unknown, name: string): string | undefined => asText(property(value, name));
const arrayOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
