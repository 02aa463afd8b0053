import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, type DoctorContext, fine, reasonOf, runCheck } from './check.ts';
import { withoutSecrets } from './redaction.ts';

const context = {} as DoctorContext;
const { signal } = new AbortController();
const check = (run: Check['run'], limitMs = 60_000): Check => ({ name: 'x', settings: [], limitMs, run });

test('a check that never ends is a fault at its limit, and is aborted', async () => {
  const aborted = Promise.withResolvers<void>();
  const endless = check((_, stop) => {
    stop.addEventListener('abort', () => aborted.resolve());
    return new Promise(() => undefined);
  }, 1);
  const finding = await runCheck(endless, context, signal);
  assert.equal(finding?.verdict, 'fault');
  await aborted.promise;
});

test('a check that throws is a fault with the reason, and a check that does not apply has no finding', async () => {
  const thrown = await runCheck(
    check(() => Promise.reject(new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ECODE' }) }))),
    context,
    signal,
  );
  assert.deepEqual([thrown?.verdict, thrown?.says], ['fault', 'failed: ECODE: inner']);
  assert.equal(
    await runCheck(
      check(async () => undefined),
      context,
      signal,
    ),
    undefined,
  );
});

test('the reason is the innermost cause in one line, with its code once', () => {
  assert.equal(reasonOf(new AggregateError([new Error('first'), new Error('second')])), 'first');
  assert.equal(
    reasonOf(Object.assign(new Error('EROFS: read-only\n file system'), { code: 'EROFS' })),
    'EROFS: read-only file system',
  );
  assert.equal(reasonOf('just text'), 'just text');
});

test('no secret setting, and no password within one, is shown, even if an error quotes it', () => {
  const environment = {
    SECRET_KEY: 'k'.repeat(32),
    SMTP_URL: 'smtp://user:pa%2Fss%20word@mail.example.org',
    HOST: 'mail.example.org',
    METRICS_TOKEN: 'token-for-metrics',
  };
  const says = `no: ${environment.SECRET_KEY}, ${environment.SMTP_URL}, pa%2Fss%20word, pa/ss word, token-for-metrics`;
  const finding = withoutSecrets({ ...fine(says), remedy: 'not pa/ss word' }, environment);
  assert.deepEqual(finding, { verdict: 'ok', says: 'no: …, …, …, …, …', remedy: 'not …' });
  assert.equal(withoutSecrets(fine('mail.example.org is fine'), environment).says, 'mail.example.org is fine');
});
