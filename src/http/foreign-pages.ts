/**
 * Refuses what a page of another origin would change. A browser sends some requests of such a page without asking us
 * first: forms, and bodies without a content type or with one of a form. All others it announces by a preflight, which
 * this service grants only on routes with `crossOrigin`. So a header that needs a preflight shows that the request does
 * not come from such a page, and without one the browser's own headers decide.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { isOwnOrigin } from './allowed-hosts.ts';

const READS = /^(?:GET|HEAD|OPTIONS)$/;

/** A provider's form that brings a person back, and the buttons of messages, where the token in the path is the permission. */
const OPEN_TO_FORMS: readonly (string | undefined)[] = ['/app/sign-in', '/a/:token', '/take-back/:token'];

/** Must be called before the cookie of the app becomes an Authorization header. */
export function refuseForeignPages(app: FastifyInstance, baseUrl: string | undefined): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { url, config } = request.route;
    if (READS.test(request.method) || config.crossOrigin || OPEN_TO_FORMS.includes(url)) return done();
    const { headers } = request;
    if (isFromForeignPage(request, baseUrl) && (!needsPreflight(headers) || hasUntypedBody(headers)))
      throw new AppError('origin_not_allowed');
    done();
  });
}

/** Programs send neither header. Over plain http, browsers send Origin alone. */
function isFromForeignPage({ headers, host }: FastifyRequest, baseUrl: string | undefined): boolean {
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  if (site !== 'none' && site !== 'same-origin') return true;
  if (origin === undefined) return false;
  return !isOwnOrigin(origin, host, baseUrl) && !isOwnOrigin(origin, headers.host ?? '', baseUrl);
}

/** Not any Authorization header: browsers add Basic and Negotiate by themselves, where a proxy asked for a password. */
const needsPreflight = (headers: IncomingHttpHeaders): boolean =>
  headers['x-crescendo-app'] !== undefined || /^Bearer /i.test(headers.authorization ?? '');

const hasUntypedBody = (headers: IncomingHttpHeaders): boolean =>
  !headers['content-type'] &&
  (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
