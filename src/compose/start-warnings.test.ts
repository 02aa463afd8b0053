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
});
