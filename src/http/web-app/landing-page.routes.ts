/** The landing page at `/`, and the files that browsers request on their own. */
import { readFileSync } from 'node:fs';
import type { App, Routes } from '../app.ts';
import { findAppSessionToken } from './app-session.ts';
import { sendStaticPage } from './static-page.ts';

const WELCOME = `<h1>Crescendo<span aria-hidden="true">&lt;</span></h1>
<p>Reminders that keep coming, a little stronger each time, until the task is dealt with.</p>
<dl>
<dt><a href="/app">Web app</a></dt>
<dd>Sign in, add a task, and be reminded until it is done.</dd>
<dt><a href="/guide">Agent guide</a></dt>
<dd>Connect an AI agent: a token, a few lines of configuration, six tools.</dd>
<dt><a href="/docs">API documentation</a></dt>
<dd>Every call, with its fields and errors. Paste a token and try it.</dd>
<dt><a href="/openapi.json">OpenAPI description</a></dt>
<dd>The same for machines.</dd>
<dt><a href="/health">Health</a></dt>
<dd>Whether the service can do its work.</dd>
</dl>`;

const ROBOTS = `User-agent: *
Disallow: /v1/
Disallow: /mcp
Disallow: /calendar/
Disallow: /a/
`;

const hidden = { schema: { hide: true } };

export const landingPageRoutes: Routes = (app) => {
  app.get('/', hidden, async (request, reply) => {
    reply.header('vary', 'cookie').header('cache-control', 'no-cache');
    // A user of the app goes straight there; the app checks whether the session is still valid.
    if (findAppSessionToken(request) !== undefined) return reply.redirect('/app');
    return sendStaticPage(reply, 'Crescendo', WELCOME);
  });
  app.get('/robots.txt', hidden, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(ROBOTS));
  addIcons(app);
  addWellKnown(app);
};

const ICONS: readonly [path: string, file: string, type: string][] = [
  ['/favicon.ico', 'favicon.ico', 'image/x-icon'],
  ['/favicon.svg', 'favicon.svg', 'image/svg+xml'],
  ['/apple-touch-icon.png', 'apple-touch-icon.png', 'image/png'],
  ['/apple-touch-icon-precomposed.png', 'apple-touch-icon.png', 'image/png'],
];

function addIcons(app: App): void {
  for (const [path, file, type] of ICONS) {
    const icon = readFileSync(new URL(`icons/${file}`, import.meta.url));
    app.get(path, hidden, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=86400').type(type).send(icon),
    );
  }
}

/** Requested by password managers, by Chrome's prefetch proxy and by its developer tools. */
function addWellKnown(app: App): void {
  app.get('/.well-known/change-password', hidden, async (_request, reply) => reply.redirect('/app'));
  app.get('/.well-known/traffic-advice', hidden, async (_request, reply) =>
    reply
      .type('application/trafficadvice+json')
      .send(JSON.stringify([{ user_agent: 'prefetch-proxy', disallow: true }])),
  );
  app.get('/.well-known/appspecific/com.chrome.devtools.json', hidden, async () => ({}));
}
