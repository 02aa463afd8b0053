import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fcmError } from '../../../test/support/fcm-server.ts';
import type { PushResult } from '../gateway.ts';
import { classify, isUnauthenticated } from './classify.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const NOT_A_TOKEN = 'The registration token is not a valid FCM registration token';

type Row = [name: string, status: number, parts: Parameters<typeof fcmError>[1], result: string, afterMs?: number];

const ARGUMENT = { errorCode: 'INVALID_ARGUMENT' };
const OTHER_FIELDS = ['message.token', 'message.android.ttl'];

const TABLE: readonly Row[] = [
  ['a malformed token', 400, { ...ARGUMENT, message: NOT_A_TOKEN }, 'gone INVALID_REGISTRATION'],
  ['a violation in the token', 400, { ...ARGUMENT, violatedFields: ['message.token'] }, 'gone INVALID_REGISTRATION'],
  ['a violation in data', 400, { ...ARGUMENT, violatedFields: ['message.data[0].value'] }, 'rejected INVALID_ARGUMENT'],
  [
    'violations in the token and another field',
    400,
    { ...ARGUMENT, message: NOT_A_TOKEN, violatedFields: OTHER_FIELDS },
    'rejected INVALID_ARGUMENT',
  ],
  [
    'a message that is too big',
    400,
    { ...ARGUMENT, message: 'Android message is too big' },
    'rejected INVALID_ARGUMENT',
  ],
  ['an unreadable request', 400, { message: NOT_A_TOKEN, violatedFields: ['message'] }, 'rejected INVALID_ARGUMENT'],
  ['a removed app', 404, { errorCode: 'UNREGISTERED' }, 'gone UNREGISTERED'],
  ['a project that does not exist', 404, {}, 'misconfigured NOT_FOUND'],
  ['a token of another project', 403, { errorCode: 'SENDER_ID_MISMATCH' }, 'rejected SENDER_ID_MISMATCH'],
  ['an account without permission', 403, {}, 'misconfigured PERMISSION_DENIED'],
  ['a refused access token', 401, {}, 'misconfigured UNAUTHENTICATED'],
  ['a token for a browser', 401, { errorCode: 'THIRD_PARTY_AUTH_ERROR' }, 'rejected THIRD_PARTY_AUTH_ERROR'],
  ['a quota error without Retry-After', 429, { errorCode: 'QUOTA_EXCEEDED' }, 'retry QUOTA_EXCEEDED', 60_000],
  ['a quota error', 429, { errorCode: 'QUOTA_EXCEEDED', retryAfter: '5' }, 'retry QUOTA_EXCEEDED', 5_000],
  ['a quota error without a code', 429, {}, 'retry RESOURCE_EXHAUSTED', 60_000],
  ['an internal error', 500, { errorCode: 'INTERNAL' }, 'retry INTERNAL'],
  ['an internal error without a code', 500, {}, 'retry INTERNAL'],
  ['overload with seconds', 503, { errorCode: 'UNAVAILABLE', retryAfter: '30' }, 'retry UNAVAILABLE', 30_000],
  ['overload with a date', 503, { retryAfter: 'Mon, 02 Mar 2026 09:02:00 GMT' }, 'retry UNAVAILABLE', 120_000],
  ['overload without Retry-After', 503, {}, 'retry UNAVAILABLE'],
  ['an unspecified error', 400, { general: 'UNKNOWN', errorCode: 'UNSPECIFIED_ERROR' }, 'retry UNSPECIFIED_ERROR'],
  ['an unknown code', 403, { errorCode: 'NEW_CODE' }, 'misconfigured PERMISSION_DENIED'],
];

const answerOf = ({ status, headers = {}, body }: ReturnType<typeof fcmError>) => ({
  status,
  headers,
  body: JSON.stringify(body),
});

for (const [name, status, parts, result, afterMs] of TABLE) {
  test(`${name} (${status}, ${parts?.errorCode ?? 'no code'}) is ${result}`, () => {
    const [kind, reason] = result.split(' ');
    const expected = { kind, reason, ...(afterMs !== undefined && { afterMs }) };
    assert.deepEqual(classify(answerOf(fcmError(status, parts)), NOW), expected);
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

test('what is no FCM error is read by its status alone', () => {
  const of = (status: number, body: unknown) => {
    const answer = { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
    return classify(answer, NOW);
  };
  assert.deepEqual(
    [of(199, ''), of(300, '')].map(({ kind }) => kind),
    ['rejected', 'rejected'],
  );
  assert.deepEqual([of(200, 'x'), of(299, '{}')], [{ kind: 'accepted' }, { kind: 'accepted' }]);
  for (const body of ['x', 'null', '7', { error: 7 }, { error: { status: 7, details: {} } }])
    assert.deepEqual(of(404, body), { kind: 'misconfigured', reason: 'http_404' });
  const error = (...details: unknown[]) => ({ error: { status: 'NOT_FOUND', details } });
  const other = { '@type': 'type.googleapis.com/google.rpc.Help', errorCode: 'UNREGISTERED', reason: 'OTHER' };
  assert.deepEqual(of(404, error(other, {}, null)), { kind: 'misconfigured', reason: 'NOT_FOUND' });
  const violation = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{}] };
  const argument = { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'INVALID_ARGUMENT' };
  assert.equal(of(400, error(argument, violation)).kind, 'rejected', 'a violation that names no field');
});

test('only a refused access token is worth a new one', () => {
  const of = (status: number, parts: Parameters<typeof fcmError>[1]) => {
    const { body } = fcmError(status, parts);
    return isUnauthenticated({ status, headers: {}, body: JSON.stringify(body) });
  };
  assert.deepEqual([of(401, {}), of(401, { errorCode: 'THIRD_PARTY_AUTH_ERROR' }), of(403, {})], [true, false, false]);
});
