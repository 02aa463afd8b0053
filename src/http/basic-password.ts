/**
 * Takes an access token as the password of Basic authentication, for programs that know nothing else, on routes with
 * `takesBasic`. Before authentication it becomes the Authorization header that the API knows, so the same rules hold.
 *
 * Over plain HTTP others on the network could read the password, so such a request is refused before it is asked for one,
 * except on the machine itself or where the operator allows it.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { isLoopbackAddress } from '../lib/network.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route takes an access token as a password. */
    takesBasic?: true;
  }
  interface FastifyRequest {
    /** The user name that came with the password; null without one. The route checks it. */
    basicUser: string | null;
  }
}

export const BASIC_CHALLENGE = 'Basic realm="crescendo", charset="UTF-8"';

const PLAIN_HTTP =
  'Passwords are taken over HTTPS only. The person who runs the service can allow plain HTTP with CALDAV_OVER_HTTP.';

/** Must be called before `authenticateRequests`. */
export function readBasicPasswords(app: FastifyInstance, overHttp: boolean): void {
  app.decorateRequest('basicUser', null);
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.route.config.takesBasic) return done();
    if (request.protocol !== 'https' && !overHttp && !isLoopbackAddress(request.ip))
      throw new AppError('https_required', { sentence: PLAIN_HTTP });
    replaceHeader(request);
    done();
  });
}

function replaceHeader(request: FastifyRequest): void {
  const basic = readBasic(request.headers.authorization);
  if (!basic) return;
  request.basicUser = basic.user;
  request.headers.authorization = `Bearer ${basic.password}`;
}

const LONGEST = 2_000;

/** A user name has no colon, and a password may have several. */
export function readBasic(header = ''): { readonly user: string; readonly password: string } | undefined {
  const encoded = header.length > LONGEST ? undefined : /^Basic +([\w+/=-]+)$/i.exec(header)?.[1];
  const [, user, password] = /^([^:]*):(\S+)$/.exec(encoded ? Buffer.from(encoded, 'base64').toString() : '') ?? [];
  return user === undefined || password === undefined ? undefined : { user, password };
}
