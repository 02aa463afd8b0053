/** What a browser sees at `/`: what this is, and where everything else is. */
import { createHash } from 'node:crypto';
import type { Routes } from './app.ts';

const STYLE = `
  :root { color-scheme: light dark; --line: #8884; --accent: #d9480f; }
  body { font: 1rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 2.25rem; letter-spacing: -0.02em; margin: 0 0 0.25rem; }
  h1 span { color: var(--accent); }
  dl { border-top: 1px solid var(--line); margin-top: 2rem; }
  dt { font-weight: 600; padding-top: 1rem; }
  dd { margin: 0; padding-bottom: 1rem; border-bottom: 1px solid var(--line); }
  a { color: inherit; text-decoration-color: var(--accent); text-underline-offset: 0.2em; }
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crescendo</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Crescendo<span aria-hidden="true">&lt;</span></h1>
<p>Reminders that keep coming, a little stronger each time, until the task is dealt with.</p>
<dl>
<dt><a href="/docs">API documentation</a></dt>
<dd>Every call, with its fields and errors. Paste a token and try it.</dd>
<dt><a href="/openapi.json">OpenAPI description</a></dt>
<dd>The same for machines.</dd>
<dt><a href="/health">Health</a></dt>
<dd>Whether the service can do its work.</dd>
<dt id="app">Web app</dt>
<dd>Not part of this release.</dd>
<dt id="guide">Agent guide</dt>
<dd>Not part of this release.</dd>
</dl>
</body>
</html>
`;

/** The page's one style sheet is inline, so the policy names it by its hash and stays closed to any other. */
const STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
const POLICY = `default-src 'none'; style-src ${STYLE_SOURCE}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const frontDoorRoutes: Routes = (app) => {
  app.get('/', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  );
  for (const place of ['app', 'guide']) {
    app.get(`/${place}`, { schema: { hide: true } }, async (_request, reply) => reply.redirect(`/#${place}`));
  }
};
