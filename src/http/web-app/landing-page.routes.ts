/** The landing page at `/`, and the files that browsers request on their own. */
import { readFileSync } from 'node:fs';
import { words } from '../../lib/words.ts';
import type { App, Routes } from '../app.ts';
import { findAppSessionToken } from './app-session.ts';
import { sendStaticPage } from './static-page.ts';

/** A real ladder (`escalation/ladder.ts`) until the task is done. Each stage is named once. */
const STEPS = [
  ['08:00', 'first', true],
  ['08:15', 'pressing', true],
  ['08:30', 'pressing', false],
  ['08:45', 'pressing', false],
  ['09:00', 'insisting', true],
  ['09:02', 'done', true],
  ['10:00', 'never', true],
] as const;

const LEADS = [
  ['/guide', 'guide'],
  ['/docs', 'docs'],
  ['/openapi.json', 'openapi'],
  ['/health', 'health'],
] as const;

function welcome(): string {
  const { heading, task, due, ladder, stages, caption, start, ...leads } = words.frontPage;
  const rungs = STEPS.map(
    ([time, stage, isNamed]) =>
      `<li class="${stage}"><i></i><b>${time}</b><small>${isNamed ? stages[stage] : ''}</small></li>`,
  );
  const links = LEADS.map(([path, key]) => `<li><a href="${path}">${leads[key].name}</a>${leads[key].text}</li>`);
  return `<h1>${heading}</h1>
<p class="lead">${words.tagline}</p>
<figure>
<p>${task} <span>${due}</span></p>
<ol class="ladder" aria-label="${ladder}">${rungs.join('')}</ol>
<figcaption>${caption}</figcaption>
</figure>
<a class="action" href="/app">${start}</a>
<ul class="leads">${links.join('')}</ul>`;
}

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
    return sendStaticPage(reply, words.name, welcome());
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
