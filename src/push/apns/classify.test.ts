import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';

const KNOWN: [status: number, kind: PushResult['kind'], reasons: string][] = [
  [400, 'gone', 'BadDeviceToken DeviceTokenNotForTopic'],
  [410, 'gone', 'Unregistered ExpiredToken'],
  [
    400,
    'rejected',
    'BadCollapseId BadExpirationDate BadMessageId BadPriority BadTopic DuplicateHeaders InvalidPushType',
  ],
  [400, 'rejected', 'MissingDeviceToken MissingTopic PayloadEmpty'],
  [403, 'rejected', 'Forbidden'],
  [404, 'rejected', 'BadPath'],
  [405, 'rejected', 'MethodNotAllowed'],
  [413, 'rejected', 'PayloadTooLarge'],
  [400, 'misconfigured', 'TopicDisallowed'],
  [403, 'misconfigured', 'BadCertificate BadCertificateEnvironment InvalidProviderToken MissingProviderToken'],
  [403, 'misconfigured', 'UnrelatedKeyIdInToken BadEnvironmentKeyIdInToken BadEnvironmentKeyInToken'],
  [400, 'retry', 'IdleTimeout'],
  [429, 'retry', 'TooManyRequests TooManyProviderTokenUpdates'],
  [500, 'retry', 'InternalServerError'],
  [503, 'retry', 'ServiceUnavailable Shutdown'],
];
for (const [status, kind, reasons] of KNOWN) {
  for (const reason of reasons.split(' ')) {
    test(`${status} ${reason} means ${kind}`, () => {
      assert.deepEqual(classify({ status, reason, timestampMs: undefined }), { kind, reason });
    });
  }
}

test('a token that Apple calls expired is a refusal of every push', () => {
  const answer = { status: 403, reason: 'ExpiredProviderToken', timestampMs: undefined };
  assert.deepEqual(classify(answer), { kind: 'retry', reason: 'ExpiredProviderToken', isRefusal: true });
});

test('200 means accepted', () => {
  assert.deepEqual(classify({ status: 200, reason: '', timestampMs: undefined }), { kind: 'accepted' });
});

test('a dead token is gone since the instant that Apple reports', () => {
  const timestampMs = Date.parse('2026-03-01T12:00:00.250Z');
  assert.deepEqual(classify({ status: 410, reason: 'Unregistered', timestampMs }), {
    kind: 'gone',
    reason: 'Unregistered',
    since: new Date(timestampMs),
  });
});

const UNKNOWN: [status: number, kind: PushResult['kind']][] = [
  [400, 'rejected'],
  [403, 'rejected'],
  [410, 'rejected'],
  [429, 'retry'],
  [500, 'retry'],
  [502, 'retry'],
  [599, 'retry'],
  [302, 'retry'],
];
for (const [status, kind] of UNKNOWN) {
  test(`${status} with an unknown reason means ${kind}, never gone`, () => {
    for (const reason of ['SomethingNew', 'constructor', '__proto__'])
      assert.deepEqual(classify({ status, reason, timestampMs: 1 }), { kind, reason });
    assert.deepEqual(classify({ status, reason: '', timestampMs: undefined }), { kind, reason: `status_${status}` });
  });
}

test('a known reason counts more than the status', () => {
  for (const [, kind, reasons] of KNOWN)
    for (const reason of reasons.split(' ')) {
      const found = [400, 500].map((status) => classify({ status, reason, timestampMs: undefined }).kind);
      assert.deepEqual(found, [kind, kind], reason);
    }
});
