import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { loadConfig } from '../config.ts';
import { apnsOptionsOf, vapidSubjectOf } from './push.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const apple = { APNS_TEAM_ID: 'TEAM123456', APNS_TOPIC: 'org.example.app' };

test('each environment of APNs has its own key, and one of them is enough', () => {
  const production = { APNS_KEY: pem, APNS_KEY_ID: 'AAAAAAAAAA' };
  const sandbox = { APNS_SANDBOX_KEY: pem, APNS_SANDBOX_KEY_ID: 'BBBBBBBBBB' };
  const idsOf = (settings: Readonly<Record<string, string>>) => {
    const keys = apnsOptionsOf(loadConfig({ ...apple, ...settings }))?.keys;
    return keys && [keys.production?.id, keys.sandbox?.id];
  };
  assert.deepEqual(idsOf({ ...production, ...sandbox }), ['AAAAAAAAAA', 'BBBBBBBBBB']);
  assert.deepEqual(idsOf(production), ['AAAAAAAAAA', undefined]);
  assert.deepEqual(idsOf(sandbox), [undefined, 'BBBBBBBBBB']);
  assert.equal(idsOf({}), undefined);
});

test('push services are told how to reach the operator: as set, at the address of the service, or by mail', () => {
  const subjectOf = (settings: Readonly<Record<string, string>>) => vapidSubjectOf(loadConfig(settings));
  const secure = { BASE_URL: 'https://crescendo.example' };
  assert.equal(subjectOf({ ...secure, VAPID_SUBJECT: 'mailto:me@example.org' }), 'mailto:me@example.org');
  assert.equal(subjectOf(secure), 'https://crescendo.example');
  const local = { BASE_URL: 'http://nas.lan' };
  assert.equal(subjectOf({ ...local, MAIL_FROM: 'Ada <ada@example.org>' }), 'mailto:ada@example.org');
  assert.equal(subjectOf({ ...local, MAIL_FROM: 'ada@example.org' }), 'mailto:ada@example.org');
});
