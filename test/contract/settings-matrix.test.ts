/** What BASE_URL, TRUST_PROXY, SMTP_URL and SIGN_UP mean together. Each row has the settings, and what must follow. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { type MailCatcher, startMailCatcher } from '../support/mail-catcher.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const PROXY = '10.0.0.1';
const CALLERS = ['203.0.113.7', '198.51.100.8'] as const;
const LAN = 'http://192.168.1.5:8080';
const PLAIN = 'http://crescendo.example';
const TLS = 'https://crescendo.example';
const HSTS = 'max-age=31536000';

type Mail = 'smtp' | 'printed' | 'off';
type Cookie = 'secure' | 'plain';

interface Row {
  readonly settings: readonly [baseUrl: string, trustProxy: string, smtp: boolean, signUp: string];
  readonly cookie: Cookie;
  readonly mail: Mail;
  /** The settings that the start warns about. */
  readonly warns: readonly string[];
  /** Whether two callers behind the proxy are throttled and logged by their own addresses. */
  readonly isProxyTrusted: boolean;
}

const row = (
  settings: Row['settings'],
  cookie: Cookie,
  mail: Mail,
  isProxyTrusted: boolean,
  ...warns: readonly string[]
): Row => ({ settings, cookie, mail, isProxyTrusted, warns });

/** The proxy says that it was called over TLS. Without an https BASE_URL that counts only if it is trusted. */
const rows: readonly Row[] = [
  row(['', 'false', false, ''], 'plain', 'printed', false),
  row(['', '1', true, 'open'], 'secure', 'smtp', true),
  row(['', '10.0.0.0/8', false, 'invite'], 'secure', 'printed', true),
  row(['', '10.9.9.9', true, ''], 'plain', 'smtp', false),
  row([LAN, 'false', true, 'open'], 'plain', 'smtp', false, 'HOST'),
  row([LAN, '1', false, ''], 'secure', 'printed', true),
  row([LAN, '10.0.0.0/8', true, ''], 'secure', 'smtp', true),
  row([LAN, '10.9.9.9', false, 'invite'], 'plain', 'printed', false),
  row([PLAIN, 'false', false, ''], 'plain', 'printed', false, 'SIGN_UP', 'HOST'),
  row([PLAIN, '1', true, 'invite'], 'secure', 'smtp', true),
  row([PLAIN, '10.0.0.0/8', false, 'open'], 'secure', 'printed', true),
  row([PLAIN, '10.9.9.9', true, ''], 'plain', 'smtp', false, 'SIGN_UP'),
  row([TLS, 'false', false, ''], 'secure', 'off', false, 'SIGN_UP', 'SMTP_URL'),
  row([TLS, '1', true, ''], 'secure', 'smtp', true, 'SIGN_UP'),
  row([TLS, '10.0.0.0/8', false, 'invite'], 'secure', 'off', true, 'SMTP_URL'),
  row([TLS, '10.9.9.9', true, 'open'], 'secure', 'smtp', false),
];

const from = (caller: string) => ({
  remoteAddress: PROXY,
  headers: { 'x-forwarded-for': caller, 'x-forwarded-proto': 'https', 'x-crescendo-app': '1' },
});

const requestCode = (app: TestApp, email: string, caller: string) =>
  app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email }, ...from(caller) });

const warningsOf = ({ log }: TestApp) => log.filter(({ level }) => level === 'warn').map(({ msg }) => String(msg));
const proxyLines = (app: TestApp) => app.log.filter(({ setting }) => setting === 'TRUST_PROXY');

/** The cookie of the app's session, by its flags; one with any other flags is returned as it is. */
async function observeCookie(app: TestApp): Promise<string> {
  const { sessionToken } = await createPerson(app);
  const { headers, remoteAddress } = from(CALLERS[0]);
  const authorized = { ...headers, authorization: `Bearer ${sessionToken}` };
  const answer = await app.ask({ method: 'POST', url: '/app/session', remoteAddress, headers: authorized });
  const cookie = String(answer.headers['set-cookie']).replace(/=st_[\w-]+/, '=TOKEN');
  return COOKIES[cookie] ?? cookie;
}

const COOKIES: Readonly<Record<string, Cookie>> = {
  '__Host-crescendo-session=TOKEN; Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000; Secure': 'secure',
  'crescendo-session=TOKEN; Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000': 'plain',
};

const SIGN_IN_COOKIES: Readonly<Record<Cookie, RegExp>> = {
  secure: /^__Secure-crescendo-sign-in=sr_[\w-]+; Path=\/v1\/auth; HttpOnly; SameSite=Strict; Max-Age=600; Secure$/,
  plain: /^crescendo-sign-in=sr_[\w-]+; Path=\/v1\/auth; HttpOnly; SameSite=Strict; Max-Age=600$/,
};

/** Where the codes of two requests went, by the answers and by the mails that left. */
async function observeMail(app: TestApp, mails: MailCatcher): Promise<string> {
  const [caught, printed] = [mails.mails.length, app.printed.length];
  const answers = [];
  for (const caller of CALLERS) answers.push(await requestCode(app, 'ada@example.org', caller));
  const seen = JSON.stringify({
    answers: answers.map(({ status, body }) => body.error?.split(':')[0] ?? status),
    smtp: mails.mails.length - caught,
    printed: app.printed.length - printed,
  });
  return MAILS[seen] ?? seen;
}

const MAILS: Readonly<Record<string, Mail>> = {
  '{"answers":[200,200],"smtp":2,"printed":0}': 'smtp',
  '{"answers":[200,200],"smtp":0,"printed":2}': 'printed',
  '{"answers":["mail_not_configured","mail_not_configured"],"smtp":0,"printed":0}': 'off',
};

/** Which address is logged, whether each caller has throttles of its own, and the proxy that a line names. */
async function observeCallers(app: TestApp) {
  const counters = [];
  for (const caller of CALLERS) {
    await requestCode(app, 'bob@example.org', caller);
    counters.push((await app.db.selectFrom('throttles').select('key').execute()).length);
  }
  const logged = app.log.filter(({ audit, email }) => audit === 'code_requested' && email === 'bob@example.org');
  const [first = 0, second = 0] = counters;
  return {
    logged: logged.map(({ address }) => address),
    hasOwnThrottles: second > first,
    noticed: proxyLines(app).map(({ peer }) => peer),
  };
}

const TOLD_APART = { logged: [...CALLERS], hasOwnThrottles: true, noticed: [] };
const ALL_ONE = { logged: [PROXY, PROXY], hasOwnThrottles: false, noticed: [PROXY] };

onlyOn('sqlite', () => {
  let mails: MailCatcher;
  before(async () => {
    mails = await startMailCatcher();
  });
  after(() => mails[Symbol.asyncDispose]());

  for (const { settings, cookie, mail, warns, isProxyTrusted } of rows) {
    const [BASE_URL, TRUST_PROXY, smtp, SIGN_UP] = settings;
    const given = [BASE_URL || 'no BASE_URL', `TRUST_PROXY=${TRUST_PROXY}`, smtp ? 'SMTP_URL' : 'no SMTP_URL', SIGN_UP];
    const follows = `cookie ${cookie}, mail ${mail}, warns of ${warns.join(' and ') || 'nothing'}`;
    test(`${given.filter(Boolean).join(', ')}: ${follows}`, async () => {
      const SMTP_URL = smtp ? mails.url : '';
      await using app = await startTestApp('sqlite', {
        settings: { BASE_URL, TRUST_PROXY, SMTP_URL, SIGN_UP, PRINT_MAIL: '' },
      });
      assert.deepEqual(
        warningsOf(app).map((line) => /Set (\w+)/.exec(line)?.[1]),
        warns,
      );
      // Nobody makes themselves an administrator by being first.
      assert.equal((await (await createPerson(app)).ask('GET', '/v1/admin')).status, 403);
      assert.equal(await observeCookie(app), cookie);
      const { headers } = await app.ask({ url: '/health' });
      assert.equal(headers['strict-transport-security'], BASE_URL === TLS ? HSTS : undefined);
      // First, because later requests have the counters of these.
      assert.deepEqual(await observeCallers(app), isProxyTrusted ? TOLD_APART : ALL_ONE);
      assert.equal(await observeMail(app, mails), mail);
      const asked = await requestCode(app, 'cem@example.org', CALLERS[0]);
      if (mail !== 'off') assert.match(String(asked.headers['set-cookie']), SIGN_IN_COOKIES[cookie]);
    });
  }

  test('PRINT_MAIL decides where no mail server is set: true prints over TLS too, false never prints', async () => {
    for (const [PRINT_MAIL, BASE_URL, printed] of [
      ['true', TLS, 1],
      ['false', PLAIN, 0],
      ['false', TLS, 0],
    ] as const) {
      await using app = await startTestApp('sqlite', { settings: { PRINT_MAIL, BASE_URL, SIGN_UP: 'open' } });
      const { status } = await requestCode(app, 'ada@example.org', CALLERS[0]);
      assert.deepEqual([status, app.printed.length], [printed ? 200 : 503, printed], `${PRINT_MAIL} ${BASE_URL}`);
      assert.equal(
        warningsOf(app).some((line) => line.startsWith('no mail is sent')),
        !printed,
      );
    }
  });

  test('a proxy that is not trusted is named once a day, and strangers cannot fill the log with its line', async () => {
    await using app = await startTestApp('sqlite');
    const ask = (remoteAddress: string, headers: Record<string, string>) =>
      app.ask({ url: '/health', remoteAddress, headers });
    const forwarded = { 'x-forwarded-for': CALLERS[0] };
    await ask(PROXY, {});
    assert.equal(proxyLines(app).length, 0);
    for (let request = 0; request < 3; request += 1) await ask(PROXY, forwarded);
    assert.equal(proxyLines(app).length, 1);
    await ask('10.0.0.2', { forwarded: 'for=203.0.113.7' });
    assert.match(String(proxyLines(app)[1]?.msg), /^10\.0\.0\.2 sent Forwarded, which is not read/);
    for (let peer = 0; peer < 50; peer += 1) await ask(`192.0.2.${peer}`, forwarded);
    assert.equal(proxyLines(app).length, 10);
    await app.clock.advance('24h');
    await ask(PROXY, forwarded);
    assert.deepEqual([proxyLines(app).length, proxyLines(app).at(-1)?.peer], [11, PROXY]);
  });
});
