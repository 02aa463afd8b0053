import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { runCheck } from '../../src/cli/doctor/check.ts';
import { webAppCheck } from '../../src/cli/doctor/web-app.ts';
import { compose, WEB_FOLDER } from '../../src/compose/service.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import type { App } from '../../src/http/app.ts';
import { WebApp } from '../../src/http/web-app/web-app.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { describeTypes } from '../../web/describe-types.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp, VERSION } from '../support/test-app.ts';

const silent = createLogger('silent');
const FROM_APP = { 'x-crescendo-app': '1' };

/** A folder like that of the web app, with files of a pretended build. */
function pretendBuild(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-web-'));
  mkdirSync(join(folder, 'dist/assets'), { recursive: true });
  const files = {
    'index.html': '<!doctype html><title>app</title>',
    'sw.js': '0',
    'assets/app-abc.js': 'let a = 1',
    'assets/app-abc.js.br': 'brotli',
    'assets/app-abc.js.gz': 'gzip',
    '.sources': 'none',
    'notes.txt': 'of no known type',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'dist', name), text);
  writeFileSync(join(folder, 'secret.js'), 'let secret');
  return folder;
}

async function serve(folder: string) {
  const database = await createDatabase('sqlite');
  const clock = systemClock();
  const config = loadConfig({ DATABASE_URL: database.url, SECRET_KEY: 'a key for tests, long enough to be taken' });
  const service = await compose({
    config,
    version: '0.1.0',
    clock,
    wallClock: clock,
    logger: silent,
    print: () => undefined,
    webApp: new WebApp(folder, silent),
  });
  const close = async () => {
    await service.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { app: service.app, close };
}

describe('the files of the web app', () => {
  let app: App;
  let close: () => Promise<void>;
  before(async () => {
    ({ app, close } = await serve(pretendBuild()));
  });
  after(() => close());
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  test('every path of the app that is not a file shows its page, which is always revalidated', async () => {
    for (const url of ['/app', '/app/', '/app/tasks/123', '/app/invites/a-b_c', '/app?x=1', '/app/index.html']) {
      const { statusCode, body, headers } = await get(url);
      assert.equal(statusCode, 200, url);
      assert.match(body, /<title>app/);
      assert.equal(headers['cache-control'], 'no-cache');
      assert.match(String(headers['content-security-policy']), /script-src 'self';/);
      assert.doesNotMatch(String(headers['content-security-policy']), /unsafe/);
    }
  });

  test('a file with a hash in its name is cached for a year, in the smallest encoding that the browser accepts', async () => {
    const bodies = {
      br: 'brotli',
      gzip: 'gzip',
      'gzip, deflate, br': 'brotli',
      'br;q=0, gzip': 'gzip',
      '': 'let a = 1',
    };
    for (const [accepted, expected] of Object.entries(bodies)) {
      const { body, headers } = await get('/app/assets/app-abc.js', { 'accept-encoding': accepted });
      assert.equal(body, expected, accepted);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers.vary, 'accept-encoding');
      assert.match(String(headers['content-type']), /^text\/javascript/);
    }
  });

  test('an unchanged file is not sent again', async () => {
    const { headers } = await get('/app');
    const again = await get('/app', { 'if-none-match': String(headers.etag) });
    assert.equal(again.statusCode, 304);
    assert.equal(again.body, '');
  });

  test('the scope of the service worker is the app and nothing else', async () => {
    assert.equal((await get('/app/sw.js')).headers['service-worker-allowed'], '/app');
  });

  test('no path leads out of the folder, and a missing file is a 404', async () => {
    const urls = [
      '/app/../secret.js',
      '/app/..%2fsecret.js',
      '/app/%2e%2e/secret.js',
      '/app/assets/../../secret.js',
      '/app/assets/missing.js',
      '/app/.sources',
      '/app/notes.txt',
      '/app/__proto__.js',
      '/app/assets/app-abc.js.br',
    ];
    for (const url of urls) {
      const { statusCode, body } = await get(url);
      assert.equal(statusCode, 404, url);
      assert.doesNotMatch(body, /secret|<title>/);
    }
  });
});

test('without a build of the app, /app says so and the API works', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-web-'));
  writeFileSync(join(folder, 'build.ts'), 'process.exit(1);');
  const { app, close } = await serve(folder);
  const { statusCode, body } = await app.inject({ url: '/app' });
  assert.equal(statusCode, 503);
  assert.match(body, /could not be built/);
  assert.equal((await app.inject({ url: '/health' })).statusCode, 200);
  await close();
});

test('the app is built only when it is missing or its sources changed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'crescendo-web-'));
  const [folder, words] = [join(root, 'web'), join(root, 'src/words')];
  for (const path of [folder, words]) mkdirSync(path, { recursive: true });
  const build = (mark: string) =>
    writeFileSync(
      join(folder, 'build.ts'),
      `import { mkdirSync, writeFileSync } from 'node:fs';
       const [, , out, sources] = process.argv;
       mkdirSync(out);
       writeFileSync(out + '/index.html', '${mark}');
       writeFileSync(out + '/.sources', sources);`,
    );
  const pageOf = async () => String((await new WebApp(folder, silent).prepare()).get('index.html')?.body);
  build('one');
  assert.equal(await pageOf(), 'one');
  writeFileSync(join(folder, 'dist/index.html'), 'left alone');
  assert.equal(await pageOf(), 'left alone');
  build('two');
  assert.equal(await pageOf(), 'two');
  writeFileSync(join(folder, 'dist/index.html'), 'outdated by the words that the app imports');
  writeFileSync(join(words, 'lexicon.ts'), 'export {};');
  assert.equal(await pageOf(), 'two');
  // A copy changes every date and no content.
  const copy = `${root}-copy`;
  cpSync(root, copy, { recursive: true });
  writeFileSync(join(copy, 'web/dist/index.html'), 'copied');
  assert.equal(String((await new WebApp(join(copy, 'web'), silent).prepare()).get('index.html')?.body), 'copied');
  for (const path of [root, copy]) rmSync(path, { recursive: true, force: true });
});

test('an upgrade whose build fails serves the earlier app, and one line says what to run, in log and doctor', async () => {
  const root = mkdtempSync(join(tmpdir(), 'crescendo-web-'));
  const folder = join(root, 'web');
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'build.ts'), "import 'no-such-bundler';");
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => void lines.push(line) });
  const examine = async (ROLE: Config['ROLE'] = 'all') => {
    const config = { ...loadConfig({}), ROLE };
    const context = { config, version: VERSION, clock: systemClock(), logger };
    return runCheck(webAppCheck(folder), context, new AbortController().signal);
  };
  assert.match((await examine())?.says ?? '', /^not built yet; the first start builds it$/);
  writeFileSync(join(folder, 'dist/.sources'), 'of an earlier release');
  writeFileSync(join(folder, 'dist/index.html'), 'earlier');
  assert.equal(String((await new WebApp(folder, logger).prepare()).get('index.html')?.body), 'earlier');
  const [{ reason, msg, err }] = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error');
  assert.match(msg, /^people get the web app of an earlier release, .* Run "crescendo prepare"/);
  assert.match(reason, /no-such-bundler/);
  assert.doesNotMatch(reason, /\n|node_modules/);
  assert.equal(err, undefined, 'no trace of the build tool');
  const stale = await examine();
  assert.deepEqual([stale?.verdict, stale?.says], ['warning', 'people get the app of an earlier release']);
  assert.match(stale?.remedy ?? '', /crescendo prepare/);
  assert.equal(await examine('engine'), undefined);
  rmSync(join(folder, 'build.ts'));
  assert.equal((await examine())?.verdict, 'ok', 'an image comes with its build alone');
  rmSync(root, { recursive: true });
});

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  const inject = (options: InjectOptions) => app.fastify.inject(options);

  async function begin(): Promise<{ token: string; cookie: string; setCookie: string }> {
    const { sessionToken } = await createPerson(app);
    const { statusCode, headers } = await inject({
      method: 'POST',
      url: '/app/session',
      headers: { ...FROM_APP, authorization: `Bearer ${sessionToken}` },
    });
    assert.equal(statusCode, 200);
    const setCookie = String(headers['set-cookie']);
    return { token: sessionToken, setCookie, cookie: setCookie.split(';', 1)[0] ?? '' };
  }

  it("the app's session is in a cookie that no script can read and no other site can send", async () => {
    const { token, cookie, setCookie } = await begin();
    assert.match(setCookie, /; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    assert.equal(cookie, `crescendo-session=${token}`);
    const { statusCode } = await inject({ url: '/v1/me', headers: { ...FROM_APP, cookie } });
    assert.equal(statusCode, 200);
  });

  it('the cookie alone gives no access: not without the header, not from another origin, not next to a token', async () => {
    const { cookie } = await begin();
    const refused = [
      { cookie },
      { cookie, ...FROM_APP, 'sec-fetch-site': 'cross-site' },
      { cookie, ...FROM_APP, 'sec-fetch-site': 'same-site' },
      { cookie, ...FROM_APP, 'sec-fetch-site': 'none' },
      { cookie, ...FROM_APP, authorization: 'Bearer st_wrong' },
      { cookie, 'x-crescendo-app': '0' },
      { cookie: 'crescendo-session=garbage; x=y', ...FROM_APP },
    ];
    for (const headers of refused) {
      for (const [method, url] of [
        ['GET', '/v1/me'],
        ['POST', '/v1/tasks'],
      ] as const) {
        const { statusCode } = await inject({
          method,
          url,
          headers,
          ...(method === 'POST' && { payload: { title: 'x' } }),
        });
        assert.equal(statusCode, 401, JSON.stringify(headers));
      }
    }
    const preflight = await inject({
      method: 'OPTIONS',
      url: '/v1/tasks',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    assert.equal(preflight.headers['access-control-allow-origin'], undefined);
  });

  it('only a session goes into the cookie, never an access token', async () => {
    const person = await createPerson(app);
    const { body } = await person.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] });
    for (const token of [body.data.token, 'st_made-up']) {
      const answer = await inject({
        method: 'POST',
        url: '/app/session',
        headers: { ...FROM_APP, authorization: `Bearer ${token}` },
      });
      assert.ok([401, 403].includes(answer.statusCode));
      assert.equal(answer.headers['set-cookie'], undefined);
    }
  });

  it('signing out deletes the cookie, and only for requests of the app', async () => {
    const out = await inject({ method: 'DELETE', url: '/app/session', headers: FROM_APP });
    assert.match(String(out.headers['set-cookie']), /^crescendo-session=; .*Max-Age=0$/);
    const elsewhere = await inject({ method: 'DELETE', url: '/app/session' });
    assert.equal(elsewhere.headers['set-cookie'], undefined);
  });

  it('the landing page redirects users of the app to it, and is shown to everyone else', async () => {
    const { cookie } = await begin();
    const known = await inject({ url: '/', headers: { cookie } });
    assert.equal(known.statusCode, 302);
    assert.equal(known.headers.location, '/app');
    const other = await inject({ url: '/' });
    assert.equal(other.statusCode, 200);
    // What is in between must not give the one answer to the other person.
    for (const { headers } of [known, other])
      assert.deepEqual([headers.vary, headers['cache-control']], ['cookie', 'no-cache']);
  });

  it("the app's generated types match the API", async () => {
    const { body } = await app.ask({ url: '/openapi.json' });
    const written = readFileSync(join(WEB_FOLDER, 'src/api/openapi.d.ts'), 'utf8');
    const isCurrent = written === (await describeTypes(body));
    assert.ok(isCurrent, 'run "npm run web:types" while the service runs and commit the result');
  });
});

test('over TLS the cookie is Secure and has the __Host- prefix', async () => {
  await using app = await startTestApp('sqlite', {
    settings: { BASE_URL: 'https://crescendo.example', TRUST_PROXY: '1' },
  });
  const { sessionToken } = await createPerson(app);
  const { headers } = await app.fastify.inject({
    method: 'POST',
    url: '/app/session',
    remoteAddress: '10.0.0.1',
    headers: { ...FROM_APP, authorization: `Bearer ${sessionToken}`, 'x-forwarded-proto': 'https' },
  });
  assert.match(String(headers['set-cookie']), /^__Host-crescendo-session=st_.*; Secure$/);
});
