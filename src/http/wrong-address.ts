/**
 * Answers an address that does not exist with 404, and a method that an address does not take with
 * 405 and the ones it does. Both come before anything else about the request is looked at.
 */
import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/errors.ts';

/** To be called before the first route is added. */
export function answerWrongAddresses(app: FastifyInstance): void {
  const known = new Map<string, { readonly shape: RegExp; readonly methods: Set<string> }>();

  app.addHook('onRoute', ({ url, method }) => {
    const entry = known.get(url) ?? { shape: shapeOf(url), methods: new Set() };
    for (const name of [method].flat()) entry.methods.add(name);
    known.set(url, entry);
  });

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] ?? '';
    const allowed = new Set(
      [...known.values()].filter(({ shape }) => shape.test(path)).flatMap(({ methods }) => [...methods]),
    );
    if (allowed.size === 0) throw new AppError('not_found');
    reply.header('allow', [...allowed].sort().join(', '));
    throw new AppError('method_not_allowed');
  });
}

/** A route's pattern as an expression: `:name` stands for one segment, `*` for the rest. */
function shapeOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}$`);
}
