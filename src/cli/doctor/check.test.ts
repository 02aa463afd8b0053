import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, examine, fine, type Patient, reasonOf } from './check.ts';
import { withoutSecrets } from './redaction.ts';

const patient = {} as Patient;
const { signal } = new AbortController();
const check = (look: Check['look'], limitMs = 60_000): Check => ({ name: 'x', settings: [], limitMs, look });

test('a check that never ends is a fault at its limit, and is told to stop', async () => {
  const told = Promise.withResolvers<void>();
  const endless = check((_, stop) => {
    stop.addEventListener('abort', () => told.resolve());
    return new Promise(() => undefined);
  }, 1);
  const finding = await examine(endless, patient, signal);
  assert.equal(finding?.verdict, 'fault');
  await told.promise;
});

test('a check that throws is a fault with the reason, and one that does not apply says nothing', async () => {
  const thrown = await examine(
    check(() => Promise.reject(new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECODE' }) }))),
    patient,
    signal,
  );
  assert.deepEqual([thrown?.verdict, thrown?.says], ['fault', 'failed: ECODE: inner']);
  assert.equal(
    await examine(
      check(async () => undefined),
      patient,
      signal,
    ),
    undefined,
  );
});

test('the reason is one line, the innermost, and says its code once', () => {
  assert.equal(reasonOf(new AggregateError([new Error('first'), new Error('second')])), 'first');
  assert.equal(
    reasonOf(Object.assign(new Error('EROFS: read-only\n file system'), { code: 'EROFS' })),
    'EROFS: read-only file system',
  );
  assert.equal(reasonOf('just text'), 'just text');
});

test('no secret setting, and no password within one, is shown, whoever repeats it', () => {
  const environment = {
    ...{
      SECRET_KEY: 'k'.repeat(32),
      SMTP_URL: 'smtp://user:pa%2Fss%20word@mail.example.org',
      HOST: 'mail.example.org',
    },
    METRICS_TOKEN: 'token-for-metrics',
  };
  const says = `no: ${environment.SECRET_KEY}, ${environment.SMTP_URL}, pa%2Fss%20word, pa/ss word, token-for-metrics`;
  const finding = withoutSecrets({ ...fine(says), remedy: 'not pa/ss word' }, environment);
  assert.deepEqual(finding, { verdict: 'ok', says: 'no: …, …, …, …, …', remedy: 'not …' });
  assert.equal(withoutSecrets(fine('mail.example.org is well'), environment).says, 'mail.example.org is well');
});
