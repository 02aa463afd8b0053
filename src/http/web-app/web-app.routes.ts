/** Serves the web app at `/app`: the files of its build, and its page at every other path below. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { words } from '../../lib/words.ts';
import type { Routes } from '../app.ts';
import type { WebApp } from './web-app.ts';

const PAGE = 'index.html';

/** Assistants open these pages in a window. A page in a browsing context group of its own looks closed to them. */
const OPENED_BY_ASSISTANTS = /^(?:connect|sign-in)$/;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
};

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

const UNBUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${words.name}</title>
<h1>${words.unbuiltPage.heading}</h1>
<p>${words.unbuiltPage.text} <a href="/docs">${words.unbuiltPage.docs}</a></p>
</html>
`;

export const webAppRoutes =
  (webApp: WebApp): Routes =>
  (app) => {
    app.get('/app', { schema: { hide: true } }, (request, reply) => sendPage(webApp, request, reply));
    app.get<{ Params: { '*': string } }>('/app/*', { schema: { hide: true } }, async (request, reply) => {
      const name = request.params['*'];
      // A name with an extension is a file, never a screen: a missing file is a 404, not the page.
      const isScreen = name === '' || name === PAGE || !/\.\w+$/.test(name);
      if (OPENED_BY_ASSISTANTS.test(name)) reply.header('cross-origin-opener-policy', 'unsafe-none');
      return isScreen ? sendPage(webApp, request, reply) : sendFile(webApp, name, request, reply);
    });
  };

async function sendPage(webApp: WebApp, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { size } = await webApp.prepare();
  if (size > 0) return sendFile(webApp, PAGE, request, reply);
  return reply.code(503).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(UNBUILT);
}

async function sendFile(
  webApp: WebApp,
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const type = TYPES[name.split('.').at(-1) ?? ''];
  const { file, encoding } = findVariant(await webApp.prepare(), name, request.headers['accept-encoding'] ?? '');
  if (!file || !type) throw new AppError('not_found');
  // Names below assets/ contain a hash of the content.
  const isHashed = name.startsWith('assets/');
  reply
    .header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('etag', file.etag)
    .type(type);
  if (name === 'sw.js') reply.header('service-worker-allowed', '/app');
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  if (encoding) reply.header('content-encoding', encoding);
  return reply.send(file.body);
}

function findVariant(files: Awaited<ReturnType<WebApp['prepare']>>, name: string, accepted: string) {
  for (const [encoding, suffix] of ENCODINGS) {
    if (!new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(accepted)) continue;
    const file = files.get(`${name}${suffix}`);
    if (file) return { file, encoding };
  }
  return { file: files.get(name), encoding: undefined };
}
