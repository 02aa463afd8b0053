import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { errorCatalogue } from '../../src/lib/errors.ts';
import { ALL_TOOL_NAMES, mintToken, parseBody } from '../support/agents.ts';
import { runCurl } from '../support/curl.ts';
import { onlyOn } from '../support/engines.ts';
import { fencedBlocks } from '../support/fenced-blocks.ts';
import { signIn } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const read = async (app: TestApp, url: string, headers = {}) => {
  const { statusCode: status, headers: sent, body } = await app.fastify.inject({ url, headers });
  return { status, type: String(sent['content-type']), body, headers: sent };
};

onlyOn('sqlite', () => {
  test('every example in the guide works when pasted, in reading order', async () => {
    await using app = await startTestApp('sqlite');
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const guide = await (await fetch(`${address}/guide`)).text();
    const examples = fencedBlocks(guide, 'sh');
    assert.ok(examples.length >= 8);
    const variables: Record<string, string> = {};
    for (const example of examples) {
      // The reader replaces the sample code with the one from the mail.
      const code = /code is (\d{6})/.exec(app.printed.at(-1) ?? '')?.[1] ?? '';
      const { status, body } = await runCurl(example.replace('123456', code), variables);
      assert.equal(status, 200, `${example}\n${body}`);
      const { data, result, error } = parseBody(body);
      assert.ok(!error && !result?.isError, `${example}\n${body}`);
      if (data?.session_token) variables.SESSION_TOKEN = data.session_token;
      if (data?.token) variables.CRESCENDO_TOKEN = data.token;
      if (result?.tools) assert.equal(result.tools.length, ALL_TOOL_NAMES.length);
    }
    assert.ok(variables.CRESCENDO_TOKEN);
  });

  test('the client configurations are valid, contain the address of this service and have a placeholder for the token', async () => {
    await using app = await startTestApp('sqlite', { settings: { ALLOWED_HOSTS: 'crescendo.example' } });
    const { body: guide } = await read(app, '/guide', { host: 'crescendo.example:8443' });
    const configurations = fencedBlocks(guide, 'json');
    assert.ok(configurations.length >= 4);
    for (const text of configurations) {
      const words = JSON.stringify(JSON.parse(text));
      assert.ok(words.includes('http://crescendo.example:8443/mcp/all'), words);
      assert.match(words, /Bearer (pk_…|\$\{input:)|AUTHORIZATION/);
    }
    assert.match(fencedBlocks(guide, 'toml').join(), /url = "http:\/\/crescendo\.example:8443\/mcp\/all"/);
    assert.ok(!guide.includes('{{'), 'something was not filled in');
    for (const word of [
      ...ALL_TOOL_NAMES,
      ...Object.keys(errorCatalogue),
      'tasks:read',
      'tasks:write',
      'settings:write',
    ]) {
      assert.ok(guide.includes(`\`${word}\``), `the guide does not name ${word}`);
    }
  });

  test('the install links of the guide and the registry entry configure the address with every tool', async () => {
    await using app = await startTestApp('sqlite', { settings: { ALLOWED_HOSTS: 'crescendo.example' } });
    const url = 'http://crescendo.example:8443/mcp/all';
    for (const accept of [BROWSER, 'text/markdown']) {
      const { body } = await read(app, '/guide', { host: 'crescendo.example:8443', accept });
      const [, cursor = ''] = /cursor-deeplink\/mcp\/install\?name=crescendo&(?:amp;)?config=([\w%]+)/.exec(body) ?? [];
      const configured = JSON.parse(Buffer.from(decodeURIComponent(cursor), 'base64').toString());
      assert.deepEqual(configured, { url, headers: { Authorization: 'Bearer pk_…' } });
      const [, vscode = ''] = /vscode:mcp\/install\?([^)"\s]+)/.exec(body) ?? [];
      const { inputs, ...server } = JSON.parse(decodeURIComponent(vscode));
      const headers = { Authorization: `Bearer \${input:${inputs[0].id}}` };
      assert.deepEqual(server, { name: 'crescendo', type: 'http', url, headers });
    }
    const registry = JSON.parse(await readFile(new URL('../../server.json', import.meta.url), 'utf8'));
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    // What the registry's schema of 2025-12-11 demands; its validator passed the whole file.
    assert.match(registry.$schema, /\/2025-12-11\//);
    assert.match(registry.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    assert.ok(registry.description.length <= 100 && registry.title.length <= 100);
    for (const { value = '', url = value, variables } of [registry.remotes[0], ...registry.remotes[0].headers]) {
      const used = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(used, Object.keys(variables));
    }
    assert.deepEqual([registry.version, registry.remotes[0].url], [version, 'https://{host}/mcp/all']);
  });

  test('a browser gets an HTML page; other clients, and those that ask for Markdown, get Markdown', async () => {
    await using app = await startTestApp('sqlite');
    const page = await read(app, '/guide', { accept: BROWSER });
    assert.match(page.type, /^text\/html/);
    assert.match(page.body, /<h1[^>]*>Connect an agent to Crescendo<\/h1>/);
    assert.ok(page.body.includes('http://localhost:80/mcp') && !/%7B%7B|\{\{/.test(page.body));
    for (const accept of [undefined, '*/*', 'text/markdown', 'text/markdown, text/html, */*', 'application/json']) {
      const { type, body, headers } = await read(app, '/guide', accept ? { accept } : {});
      assert.match(type, /^text\/markdown/, `${accept}`);
      assert.match(body, /^# Connect an agent to Crescendo/);
      assert.equal(headers.vary, 'accept');
    }
    const llms = await read(app, '/llms.txt');
    assert.match(llms.type, /^text\/plain/);
    assert.match(llms.body, /^# Crescendo\n\n> .*\[Agent guide\]\(http:\/\/localhost:80\/guide\)/s);
  });

  test('the guide uses BASE_URL if it is set; a forged host never gets into a page', async () => {
    await using named = await startTestApp('sqlite', { settings: { BASE_URL: 'https://crescendo.example' } });
    const { body } = await read(named, '/guide', { host: 'nas.local' });
    assert.ok(body.includes('https://crescendo.example/mcp') && !body.includes('nas.local'));
    await using app = await startTestApp('sqlite');
    const crafted = await read(app, '/guide', { accept: BROWSER, host: '"><script>alert(1)</script>' });
    assert.ok(!crafted.body.includes('<script'));
  });

  test('the pages use nothing that their Content-Security-Policy forbids', async () => {
    await using app = await startTestApp('sqlite');
    for (const url of ['/', '/guide']) {
      const { body, headers } = await read(app, url, { accept: BROWSER });
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /default-src 'none'/);
      assert.ok(!/<script|\sstyle=|\son\w+=|javascript:/i.test(body), url);
      const [, style = ''] = /<style>(.*?)<\/style>/s.exec(body) ?? [];
      assert.ok(policy.includes(`'sha256-${createHash('sha256').update(style).digest('base64')}'`), url);
      const sources = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source = '']) => source);
      for (const source of sources.filter((link) => !/^(?:cursor:|vscode:)/.test(link))) {
        const { pathname } = new URL(source, 'http://localhost:80/');
        const { status } = await read(app, pathname);
        assert.ok([200, 302].includes(status) || pathname.startsWith('/mcp'), `${url} leads to ${source}: ${status}`);
      }
    }
  });

  test('the pages have the colours of the app', async () => {
    await using app = await startTestApp('sqlite');
    const { body } = await read(app, '/', { accept: BROWSER });
    const styles = readFileSync(new URL('../../web/src/styles.css', import.meta.url), 'utf8');
    const colours = [...body.matchAll(/--([\w-]+): (light-dark\([^)]*\))/g)];
    assert.ok(colours.length > 10);
    for (const [, name, colour] of colours) assert.ok(styles.includes(`--color-${name}: ${colour};`), String(name));
  });

  test('the landing page links to app, guide and docs, and every file that browsers request unprompted exists', async () => {
    await using app = await startTestApp('sqlite');
    const { body } = await read(app, '/', { accept: BROWSER });
    for (const place of ['/app', '/guide', '/docs']) assert.ok(body.includes(`href="${place}"`), place);
    const requestedByBrowsers: [url: string, type: RegExp][] = [
      ['/favicon.ico', /^image\/x-icon/],
      ['/favicon.svg', /^image\/svg\+xml/],
      ['/apple-touch-icon.png', /^image\/png/],
      ['/apple-touch-icon-precomposed.png', /^image\/png/],
      ['/robots.txt', /^text\/plain/],
      ['/.well-known/traffic-advice', /^application\/trafficadvice\+json/],
      ['/.well-known/appspecific/com.chrome.devtools.json', /^application\/json/],
      ['/.well-known/oauth-protected-resource', /^application\/json/],
    ];
    for (const [url, type] of requestedByBrowsers) {
      const answer = await read(app, url);
      assert.equal(answer.status, 200, url);
      assert.match(answer.type, type, url);
      assert.ok(answer.body.length > 0, url);
    }
    assert.equal((await read(app, '/.well-known/change-password')).status, 302);
    assert.equal((await read(app, '/.well-known/openid-configuration')).status, 404);
    assert.match((await read(app, '/robots.txt')).body, /Disallow: \/v1\//);
  });

  test('a token minted as in the guide has the guard-rails given there', async () => {
    await using app = await startTestApp('sqlite');
    const ada = await signIn(app);
    const { body: guide } = await read(app, '/guide');
    const [fields = '{}'] = /\{"name": "My agent".*\}/.exec(guide) ?? [];
    const minted = await mintToken(ada, JSON.parse(fields));
    const [listed] = (await ada.ask('GET', '/v1/tokens')).body.data;
    assert.deepEqual([listed.id, listed.max_stage, listed.max_open_tasks], [minted.id, 1, 50]);
  });
});
