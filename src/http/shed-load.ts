/** Puts `limits/load-shedding.ts` in front of every request: it begins, waits, or is refused. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { errorCatalogue } from '../lib/errors.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { networkOf } from '../lib/network.ts';
import { beginShort } from '../lib/next-turn.ts';
import { KnownTokens } from '../limits/known-tokens.ts';
import { delayRefusals, type LoadShedding } from '../limits/load-shedding.ts';
import { MONITORING_PATH } from './allowed-hosts.ts';
import { bearerTokenOf } from './authentication.ts';
import { readBasic } from './basic-password.ts';
import { clientAddressOf, type IsTrustedProxy } from './client-address.ts';
import { failure } from './envelope.ts';
import { sessionTokenIn } from './web-app/app-session.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly load: LoadShedding;
    /** Authentication fills it. */
    readonly knownTokens: KnownTokens;
  }
}

const { status, sentence } = errorCatalogue.overloaded;
const BODY = JSON.stringify(failure('overloaded', sentence));
const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(BODY),
  'cache-control': 'no-store',
  'retry-after': '2',
};

/** Decides before anything else looks at the request: a refusal that cost as much as an answer would be no help. */
export function shedLoad(
  app: FastifyInstance,
  load: LoadShedding,
  isTrustedProxy: IsTrustedProxy,
  onRefused: (method: string) => void,
): void {
  const log = new LogOnChange(app.log as Logger, {
    failing: 'refusing requests: the process cannot keep up',
    working: 'accepting all requests again',
  });
  const tokens = new KnownTokens();
  app.decorate('load', load);
  app.decorate('knownTokens', tokens);
  const answerLater = delayRefusals();
  const handlers = app.server.listeners('request') as RequestListener[];
  app.server.removeAllListeners('request').on('request', (request, response) => {
    if (!load.isOverloaded) log.worked();
    const begin = () => {
      // The caller left while the request waited.
      if (response.destroyed) return;
      const end = beginShort(() => {
        for (const handle of handlers) handle(request, response);
      });
      response.once('close', end);
    };
    const refuse = () => {
      log.failed({});
      onRefused(request.method ?? '');
      answerLater(() => {
        if (!response.destroyed) response.writeHead(status, HEADERS).end(BODY);
      });
    };
    // Monitoring must be able to tell an overloaded process from a dead one.
    if (MONITORING_PATH.test(request.url ?? '')) begin();
    else load.admit(() => queueOf(request, tokens, isTrustedProxy), { begin, refuse });
  });
}

/**
 * Whose requests wait for each other. Only a token that was accepted before has the queue of its account. Anyone can make
 * up tokens, so all others share the queue of their network. That is a /48 of IPv6: one customer has up to 65,536 /64s, and
 * could otherwise have as many queues.
 */
export function queueOf(request: IncomingMessage, tokens: KnownTokens, isTrustedProxy: IsTrustedProxy): string {
  const { authorization, cookie } = request.headers;
  const token = bearerTokenOf(authorization) ?? readBasic(authorization)?.password ?? sessionTokenIn(cookie);
  const userId = token === undefined ? undefined : tokens.accountOf(token);
  return userId === undefined ? `network ${siteOf(clientAddressOf(request, isTrustedProxy))}` : `account ${userId}`;
}

/** The /48 of an IPv6 address; another address as it is. */
const siteOf = (address: string): string => networkOf(address).split(':').slice(0, 3).join(':');
