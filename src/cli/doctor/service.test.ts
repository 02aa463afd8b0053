import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { loadConfig } from '../../config.ts';
import { makeVapidKeys } from '../../keys/vapid-keys.ts';
import { createLogger } from '../../lib/logger.ts';
import type { Check } from './check.ts';
import { folderChecks } from './folder.ts';
import { mailChecks } from './mail.ts';
import { serviceChecks } from './service.ts';
import { webPushChecks } from './web-push.ts';

const parts = { version: '1.0.0', clock: new FakeClock(), logger: createLogger('silent') };
const { signal } = new AbortController();

/** What the check of this name says about these settings. */
async function look(name: string, settings: Readonly<Record<string, string>>): Promise<string | undefined> {
  const all: readonly Check[] = [...serviceChecks, ...folderChecks, ...mailChecks, ...webPushChecks];
  const check = all.find((one) => one.name === name);
  assert.ok(check);
  const found = await check.run({ ...parts, config: loadConfig(settings) }, signal);
  return found && `${found.verdict}: ${found.says}`;
}

test('a level of the log that drops the audit lines is told', async () => {
  for (const level of ['info', 'debug', 'trace']) assert.equal(await look('log', { LOG_LEVEL: level }), undefined);
  for (const level of ['warn', 'error', 'silent'])
    assert.match((await look('log', { LOG_LEVEL: level })) ?? '', /^warning: .* drops the audit lines/);
});

test('a trusted number of proxies is told where anybody can pass them by, and a proxy that is not trusted too', async () => {
  const open = { HOST: '0.0.0.0' };
  assert.match(
    (await look('proxy', { ...open, TRUST_PROXY: '1' })) ?? '',
    /^warning: TRUST_PROXY=1 also trusts callers/,
  );
  assert.match((await look('proxy', { ...open, TRUST_PROXY: '10.0.0.1' })) ?? '', /^ok: the proxies/);
  assert.match((await look('proxy', { TRUST_PROXY: '1' })) ?? '', /^ok: the proxies/);
  assert.match((await look('proxy', { BASE_URL: 'https://a.example' })) ?? '', /^warning: TRUST_PROXY is false, but/);
  assert.equal(await look('proxy', {}), 'ok: no proxy is trusted');
});

test('reminders that run faster than real time are told, and so is a service that anybody can sign up to', async () => {
  assert.match((await look('clock speed', { CLOCK_SPEED: '60' })) ?? '', /^warning: reminders run 60 times as fast/);
  assert.equal(await look('clock speed', {}), undefined);
  const open = { BASE_URL: 'https://a.example' };
  assert.match((await look('sign-up', open)) ?? '', /^warning: anyone who can reach https:\/\/a\.example/);
  assert.equal(await look('sign-up', { ...open, SIGN_UP: 'open' }), undefined);
});

test('Web Push without keys is told on PostgreSQL, and on SQLite the first start makes them', async () => {
  const shared = { DATABASE_URL: 'postgres://localhost/x', SECRET_KEY: 'x'.repeat(32) };
  assert.match((await look('Web Push', shared)) ?? '', /^warning: no keys are set: browsers get no pushes/);
  assert.match(
    (await look('Web Push', { DATA_DIR: '/nowhere/at-all' })) ?? '',
    /^ok: the first start creates the keys/,
  );
});

test('a disk with less than a gigabyte is a warning, and with less than a hundred megabytes a fault', async (t) => {
  const withFree = async (megabytes: number) => {
    const asking = t.mock.method(fs, 'statfsSync', () => ({ bavail: megabytes * 256, bsize: 4_096 }));
    syncBuiltinESMExports();
    const found = await look('disk space', {});
    asking.mock.restore();
    syncBuiltinESMExports();
    return found?.split(' are free')[0];
  };
  assert.deepEqual(
    [await withFree(99), await withFree(100), await withFree(1_023), await withFree(2_048)],
    ['fault: 99 MB', 'warning: 100 MB', 'warning: 1023 MB', 'ok: 2 GB'],
  );
});

test('a sender at localhost is told where mail is sent', async () => {
  const SMTP_URL = 'smtp://mail.example';
  for (const MAIL_FROM of ['ada@localhost', 'Ada <ada@localhost>']) {
    assert.match((await look('mail sender', { SMTP_URL, MAIL_FROM })) ?? '', /^warning: MAIL_FROM is an address at/);
    assert.equal(await look('mail sender', { MAIL_FROM }), undefined);
  }
  assert.equal(await look('mail sender', { SMTP_URL, MAIL_FROM: 'ada@a.example' }), undefined);
});

test('a contact that Apple does not take is told', async () => {
  const { publicKey, privateKey } = makeVapidKeys();
  const keys = { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey };
  for (const settings of [{}, { MAIL_FROM: 'Ada <ada@localhost>' }, { BASE_URL: 'https://localhost:8443' }])
    assert.match((await look('Web Push', { ...keys, ...settings })) ?? '', /^warning: .* Apple accepts no push/);
  for (const settings of [{ MAIL_FROM: 'ada@a.example' }, { BASE_URL: 'https://a.example' }])
    assert.match((await look('Web Push', { ...keys, ...settings })) ?? '', /^ok: the keys are there/);
});
