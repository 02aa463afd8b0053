import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AdminFacts, findAdminReason, isPrivateService } from './administrators.ts';

const ADA: AdminFacts = {
  id: 'ada',
  email: 'ada@home.test',
  is_admin: false,
  admin_by_provider: false,
  first_account: false,
  suspended_at: null,
};
const OPEN = { admins: ['boss@home.test'], isFirstAccountAdmin: false };
const HOME = { ...OPEN, isFirstAccountAdmin: true };

test('each reason makes an administrator, and without one an account is none', () => {
  const first = { ...ADA, first_account: true };
  assert.equal(findAdminReason(first, OPEN), null);
  assert.equal(findAdminReason(ADA, HOME), null);
  assert.equal(findAdminReason({ ...ADA, email: 'boss@home.test' }, OPEN), 'setting');
  assert.equal(findAdminReason({ ...ADA, admin_by_provider: true }, OPEN), 'provider');
  assert.equal(findAdminReason({ ...ADA, is_admin: true }, OPEN), 'command_line');
  assert.equal(findAdminReason(first, HOME), 'first_account');
});

test('an account without an address matches no address in ADMINS, and a part of one is not enough', () => {
  assert.equal(findAdminReason({ ...ADA, email: null }, OPEN), null);
  assert.equal(findAdminReason({ ...ADA, email: 'not-boss@home.test' }, OPEN), null);
});

test('a suspended account is no administrator for any reason', () => {
  const suspended = { ...ADA, email: 'boss@home.test', is_admin: true, admin_by_provider: true, first_account: true };
  assert.equal(findAdminReason({ ...suspended, suspended_at: new Date() }, HOME), null);
});

test('the service is private only if its BASE_URL is, or if it listens on a private address without a proxy', () => {
  const at = (baseUrl: string | undefined, listenHost = '0.0.0.0', isBehindProxy = true) =>
    isPrivateService({ baseUrl, listenHost, isBehindProxy });
  for (const url of [
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://[::1]:8080',
    'http://192.168.1.5:8080',
    'https://10.0.0.7',
    'http://[fd00::1]',
    'http://crescendo',
    'https://nas.local',
    'https://tasks.home.arpa',
  ])
    assert.equal(at(url), true, url);
  for (const url of [
    'https://crescendo.example',
    'http://8.8.8.8',
    'http://[2606:4700::1]',
    'https://localhost.example.com',
    'https://10.0.0.7.nip.io',
  ])
    assert.equal(at(url, 'localhost', false), false, url);
  for (const host of ['localhost', '127.0.0.1', '::1', '192.168.1.5']) {
    assert.equal(at(undefined, host, false), true, host);
    assert.equal(at(undefined, host, true), false, host);
  }
  for (const host of ['0.0.0.0', '::', '8.8.8.8', 'crescendo.example']) assert.equal(at(undefined, host, false), false);
});
