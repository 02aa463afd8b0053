import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../config.ts';
import { findSettingWarnings } from './start-warnings.ts';

const warnedOf = (settings: Readonly<Record<string, string>>) =>
  findSettingWarnings(loadConfig({ SMTP_URL: 'smtp://localhost', ...settings })).map(({ setting }) => setting);

test('who opens a service to the public is asked to choose who may sign up', () => {
  const open = { BASE_URL: 'https://crescendo.example' };
  assert.deepEqual(warnedOf(open), ['SIGN_UP']);
  for (const chosen of [{ SIGN_UP: 'open' }, { SIGN_UP: 'invite' }, { SIGN_UP_DOMAINS: 'crescendo.example' }])
    assert.deepEqual(warnedOf({ ...open, ...chosen }), []);
  assert.deepEqual(warnedOf({ BASE_URL: 'http://192.168.0.2', HOST: '0.0.0.0' }), []);
});

test('an address that other machines cannot reach is told, unless a proxy stands before it', () => {
  const own = { BASE_URL: 'http://crescendo.lan:8080', HOST: '127.0.0.1' };
  assert.deepEqual(warnedOf(own), ['HOST']);
  assert.deepEqual(warnedOf({ ...own, HOST: '0.0.0.0' }), []);
  assert.deepEqual(warnedOf({ ...own, TRUST_PROXY: '1' }), []);
  assert.deepEqual(warnedOf({ ...own, BASE_URL: 'http://localhost:8080' }), []);
  const remedyOf = (settings: Readonly<Record<string, string>>) =>
    findSettingWarnings(loadConfig({ SMTP_URL: 'smtp://localhost', ...own, ...settings }))[0]?.remedy ?? '';
  assert.match(remedyOf({}), /^Set HOST=0\.0\.0\.0, so that/);
  assert.match(remedyOf({ BASE_URL: 'http://crescendo.lan', PORT: '80' }), /^Set HOST=0\.0\.0\.0, so that/);
  assert.match(remedyOf({ BASE_URL: 'http://crescendo.lan' }), /BASE_URL=http:\/\/crescendo\.lan:8080; or put a proxy/);
});

test('mail that goes nowhere and text messages that reach no country are told', () => {
  const service = { BASE_URL: 'https://crescendo.example', SIGN_UP: 'invite' };
  const settingsOf = (settings: Readonly<Record<string, string>>) =>
    findSettingWarnings(loadConfig({ ...service, ...settings })).map(({ setting }) => setting);
  assert.deepEqual(settingsOf({}), ['SMTP_URL']);
  assert.deepEqual(settingsOf({ PRINT_MAIL: 'true' }), []);
  const sms = { PRINT_MAIL: 'true', SMS_ACCOUNT_SID: 'AC1', SMS_AUTH_TOKEN: 'x'.repeat(32) };
  assert.deepEqual(settingsOf({ ...sms, SMS_FROM: 'Crescendo' }), ['SMS_COUNTRIES']);
  assert.deepEqual(settingsOf({ ...sms, SMS_FROM: 'Crescendo', SMS_COUNTRIES: '+49' }), []);
});
