/** What a browser sees at `/`: what this is, and where everything else is. And what browsers ask for unasked. */
import { readFileSync } from 'node:fs';
import type { App, Routes } from './app.ts';
import { findAppSession } from './app-session.ts';
import { sendPage } from './page.ts';

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
`;

const hidden = { schema: { hide: true } };

export const frontDoorRoutes: Routes = (app) => {
  app.get('/', hidden, async (request, reply) => {
    reply.header('vary', 'cookie').header('cache-control', 'no-cache');
    // Whoever uses the app wants to go there; whether the session still holds, the app finds out.
    if (findAppSession(request) !== undefined) return reply.redirect('/app');
    return sendPage(reply, 'Crescendo', WELCOME);
  });
  app.get('/robots.txt', hidden, async (_request, reply) => reply.type('text/plain; charset=utf-8').send(ROBOTS));
  addIcons(app);
  addWellKnown(app);
};

const ICONS: readonly [address: string, file: string, type: string][] = [
  ['/favicon.ico', 'favicon.ico', 'image/x-icon'],
  ['/favicon.svg', 'favicon.svg', 'image/svg+xml'],
  ['/apple-touch-icon.png', 'apple-touch-icon.png', 'image/png'],
  ['/apple-touch-icon-precomposed.png', 'apple-touch-icon.png', 'image/png'],
];

function addIcons(app: App): void {
  for (const [address, file, type] of ICONS) {
    const icon = readFileSync(new URL(`icons/${file}`, import.meta.url));
    app.get(address, hidden, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=86400').type(type).send(icon),
    );
  }
}

/** Password managers, Chrome's prefetch proxy and its developer tools ask for these by themselves. */
function addWellKnown(app: App): void {
  app.get('/.well-known/change-password', hidden, async (_request, reply) => reply.redirect('/app'));
  app.get('/.well-known/traffic-advice', hidden, async (_request, reply) =>
    reply
      .type('application/trafficadvice+json')
      .send(JSON.stringify([{ user_agent: 'prefetch-proxy', disallow: true }])),
  );
  app.get('/.well-known/appspecific/com.chrome.devtools.json', hidden, async () => ({}));
}
