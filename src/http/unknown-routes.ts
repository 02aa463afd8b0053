/**
 * Answers an unknown path with 404, and an unsupported method with 405 and an `Allow` header. Both happen
 * before anything else about the request is checked.
 */
import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/errors.ts';

/** Must be called before the first route is added. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  app.addHook('onRoute', ({ url, method }) => {
    const entry = routes.get(url) ?? { pattern: toRegExp(url), methods: new Set() };
    for (const name of [method].flat()) entry.methods.add(name);
    routes.set(url, entry);
  });

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = new Set(
      [...routes.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]),
    );
    if (allowed.size === 0) throw new AppError('not_found');
    reply.header('allow', [...allowed].sort().join(', '));
    throw new AppError('method_not_allowed');
  });
}

/** `:name` matches one segment, `*` matches the rest. */
function toRegExp(url: string): RegExp {
  const source = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}$`);
}
