import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fcmError } from '../../../test/support/fcm-server.ts';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const NOT_A_TOKEN = 'The registration token is not a valid FCM registration token';

type Parts = Parameters<typeof fcmError>[2];
type Row = [name: string, status: number, general: string, parts: Parts, expected: PushResult];

const TABLE: readonly Row[] = [
  [
    'a malformed token',
    400,
    'INVALID_ARGUMENT',
    { errorCode: 'INVALID_ARGUMENT', message: NOT_A_TOKEN },
    { kind: 'gone', reason: 'INVALID_REGISTRATION' },
  ],
  [
    'a violation in the token field',
    400,
    'INVALID_ARGUMENT',
    { errorCode: 'INVALID_ARGUMENT', violatedFields: ['message.token'] },
    { kind: 'gone', reason: 'INVALID_REGISTRATION' },
  ],
  [
    'a violation in another field',
    400,
    'INVALID_ARGUMENT',
    { errorCode: 'INVALID_ARGUMENT', violatedFields: ['message.data[0].value'] },
    { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
  ],
  [
    'violations in the token and another field',
    400,
    'INVALID_ARGUMENT',
    { errorCode: 'INVALID_ARGUMENT', message: NOT_A_TOKEN, violatedFields: ['message.token', 'message.android.ttl'] },
    { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
  ],
  [
    'a message that is too big',
    400,
    'INVALID_ARGUMENT',
    { errorCode: 'INVALID_ARGUMENT', message: 'Android message is too big' },
    { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
  ],
  [
    'an unreadable request',
    400,
    'INVALID_ARGUMENT',
    { message: NOT_A_TOKEN, violatedFields: ['message'] },
    { kind: 'rejected', reason: 'INVALID_ARGUMENT' },
  ],
  ['a removed app', 404, 'NOT_FOUND', { errorCode: 'UNREGISTERED' }, { kind: 'gone', reason: 'UNREGISTERED' }],
  ['a project that does not exist', 404, 'NOT_FOUND', {}, { kind: 'misconfigured', reason: 'NOT_FOUND' }],
  [
    'a token of another project',
    403,
    'PERMISSION_DENIED',
    { errorCode: 'SENDER_ID_MISMATCH' },
    { kind: 'rejected', reason: 'SENDER_ID_MISMATCH' },
  ],
  [
    'an account without permission',
    403,
    'PERMISSION_DENIED',
    {},
    { kind: 'misconfigured', reason: 'PERMISSION_DENIED' },
  ],
  ['a refused access token', 401, 'UNAUTHENTICATED', {}, { kind: 'misconfigured', reason: 'UNAUTHENTICATED' }],
  [
    'a token for Apple or a browser',
    401,
    'UNAUTHENTICATED',
    { errorCode: 'THIRD_PARTY_AUTH_ERROR' },
    { kind: 'rejected', reason: 'THIRD_PARTY_AUTH_ERROR' },
  ],
  [
    'a quota error without Retry-After',
    429,
    'RESOURCE_EXHAUSTED',
    { errorCode: 'QUOTA_EXCEEDED' },
    { kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 60_000 },
  ],
  [
    'a quota error with Retry-After',
    429,
    'RESOURCE_EXHAUSTED',
    { errorCode: 'QUOTA_EXCEEDED', retryAfter: '5' },
    { kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 5_000 },
  ],
  [
    'a quota error without a code',
    429,
    'RESOURCE_EXHAUSTED',
    {},
    { kind: 'retry', reason: 'RESOURCE_EXHAUSTED', afterMs: 60_000 },
  ],
  ['an internal error', 500, 'INTERNAL', { errorCode: 'INTERNAL' }, { kind: 'retry', reason: 'INTERNAL' }],
  ['an internal error without a code', 500, 'INTERNAL', {}, { kind: 'retry', reason: 'INTERNAL' }],
  [
    'overload with seconds',
    503,
    'UNAVAILABLE',
    { errorCode: 'UNAVAILABLE', retryAfter: '30' },
    { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 30_000 },
  ],
  [
    'overload with a date',
    503,
    'UNAVAILABLE',
    { errorCode: 'UNAVAILABLE', retryAfter: 'Mon, 02 Mar 2026 09:02:00 GMT' },
    { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 120_000 },
  ],
  ['overload without Retry-After', 503, 'UNAVAILABLE', {}, { kind: 'retry', reason: 'UNAVAILABLE' }],
  [
    'an unspecified error',
    400,
    'UNKNOWN',
    { errorCode: 'UNSPECIFIED_ERROR' },
    { kind: 'retry', reason: 'UNSPECIFIED_ERROR' },
  ],
  [
    'an unknown code',
    403,
    'PERMISSION_DENIED',
    { errorCode: 'NEW_CODE' },
    { kind: 'misconfigured', reason: 'PERMISSION_DENIED' },
  ],
];

const answerOf = ({ status, headers = {}, body }: ReturnType<typeof fcmError>) => ({
  status,
  headers,
  body: JSON.stringify(body),
});

for (const [name, status, general, parts, expected] of TABLE) {
  test(`${name} (${status}, ${parts?.errorCode ?? 'no code'}) is ${expected.kind}`, () => {
    assert.deepEqual(classify(answerOf(fcmError(status, general, parts)), NOW), expected);
  });
}

test('a refusal of our account carries the most specific reason that Google gives', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }];
  const body = JSON.stringify({ error: { code: 403, status: 'PERMISSION_DENIED', details } });
  assert.deepEqual(classify({ status: 403, headers: {}, body }, NOW), {
    kind: 'misconfigured',
    reason: 'SERVICE_DISABLED',
  });
});

const PLAIN: readonly [status: number, expected: PushResult][] = [
  [200, { kind: 'accepted' }],
  [302, { kind: 'rejected', reason: 'http_302' }],
  [400, { kind: 'rejected', reason: 'http_400' }],
  [401, { kind: 'misconfigured', reason: 'http_401' }],
  [404, { kind: 'misconfigured', reason: 'http_404' }],
  [408, { kind: 'retry', reason: 'http_408' }],
  [413, { kind: 'rejected', reason: 'http_413' }],
  [429, { kind: 'retry', reason: 'http_429', afterMs: 60_000 }],
  [502, { kind: 'retry', reason: 'http_502' }],
];

for (const [status, expected] of PLAIN) {
  test(`a plain ${status}, as a proxy sends it, is ${expected.kind}`, () => {
    assert.deepEqual(classify({ status, headers: {}, body: '<html>' }, NOW), expected);
  });
}

test('no body without the error detail of FCM makes a device invalid', () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), fc.json(), (status, body) => {
      assert.notEqual(classify({ status, headers: {}, body }, NOW).kind, 'gone');
      assert.notEqual(classify({ status, headers: {}, body: `{"error":${body}}` }, NOW).kind, 'gone');
    }),
  );
});
