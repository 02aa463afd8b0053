/** Puts `limits/load-shedding.ts` in front of every request: it begins, waits, or is refused. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { errorCatalogue } from '../lib/errors.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { beginShort } from '../lib/next-turn.ts';
import { delayRefusals, type LoadShedding } from '../limits/load-shedding.ts';
import { MONITORING_PATH } from './allowed-hosts.ts';
import { failure } from './envelope.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly load: LoadShedding;
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
export function shedLoad(app: FastifyInstance, load: LoadShedding, onRefused: (method: string) => void): void {
  const log = new LogOnChange(app.log as Logger, {
    failing: 'refusing requests: the process cannot keep up',
    working: 'accepting all requests again',
  });
  app.decorate('load', load);
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
    else load.admit(callerOf(request), { begin, refuse });
  });
}

/** Not yet authenticated: this only decides whose requests wait for each other. */
const callerOf = ({ headers, socket }: IncomingMessage): string =>
  headers.authorization ?? headers.cookie ?? socket.remoteAddress ?? '';
