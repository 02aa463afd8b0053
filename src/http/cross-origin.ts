/**
 * Lets pages of other origins call the routes that MCP clients in a browser need. Such a page acts only with a token
 * that it was given: credentials of the browser are not allowed, and the cookie of the web app counts only on requests
 * of the app itself.
 *
 * A route asks for it with `config: { crossOrigin: true }`; nothing else is open.
 */
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of every origin may call the route and read its answer. */
    crossOrigin?: true;
  }
}

/** Headers that a page may read. */
const EXPOSED = 'WWW-Authenticate, Retry-After, Mcp-Session-Id, Mcp-Protocol-Version';
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  // The star does not cover Authorization. It allows headers of later protocol revisions.
  'access-control-allow-headers': 'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Protocol-Version, *',
  'access-control-max-age': '7200',
};

/** Must be called before authentication: a page has to be able to read a 401. */
export function openToOtherOrigins(app: FastifyInstance): void {
  const preflighted = new Set<string>();
  app.addHook('onRoute', ({ url, config, method }) => {
    if (!config?.crossOrigin || preflighted.has(url) || method === 'OPTIONS') return;
    preflighted.add(url);
    app.options(url, { config: { crossOrigin: true }, schema: { hide: true } }, async (_request, reply) =>
      reply.code(204).headers(PREFLIGHT).send(),
    );
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (request.route.config.crossOrigin)
      reply.headers({ 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED });
    done();
  });
}
