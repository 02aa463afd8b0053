/**
 * The links in messages. GET shows a page and changes nothing; POST acts. The body of a POST does not matter: mail
 * programs send `List-Unsubscribe=One-Click`, ntfy sends what it was told to, forms send nothing.
 * Whoever is signed in as the owner of the task reads its title there, whatever the message showed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { ok } from '../http/envelope.ts';
import { findAppSessionToken } from '../http/web-app/app-session.ts';
import { sendStaticPage } from '../http/web-app/static-page.ts';
import { Type } from '../lib/schema.ts';
import type { ActService } from './act.service.ts';
import { headingOf, renderPage } from './act-page.ts';
import { type ActState, type ActView, LINK_ACTIONS, type LinkAction } from './act-view.ts';

const params = Type.Object({ token: Type.String({ minLength: 1, maxLength: 100 }) });
const querystring = Type.Object({
  do: Type.Optional(Type.Unsafe<LinkAction>({ type: 'string', enum: LINK_ACTIONS, description: 'Only a POST acts.' })),
});

const described = (operationId: string, summary: string) => ({
  config: { refuses: ['too_many_requests' as const] },
  schema: {
    operationId,
    tags: ['channels'],
    summary,
    params,
    querystring,
    response: { 200: { content: { 'text/html': { schema: Type.String() } } } },
  },
});

/** Undefined if the session has ended. */
type FindUserOf = (sessionToken: string) => Promise<string | undefined>;

export const actRoutes =
  (acts: ActService, findUserOf: FindUserOf): Routes =>
  (app) => {
    const findViewer = async (request: FastifyRequest) => {
      const session = isPage(request) ? findAppSessionToken(request) : undefined;
      return session === undefined ? undefined : findUserOf(session);
    };
    app.register(async (scope: App) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 16_384 }, async () => undefined);
      scope.get(
        '/a/:token',
        described('look_at_link', 'Show what a link in a message is about'),
        async (request, reply) => {
          const view = await acts.look(request.params.token, await findViewer(request));
          // The browser keeps the session to itself when a page of another site leads here, such as a mailbox on the web.
          // Sent again by the page itself, the request has it, and its owner reads the title.
          if (view.code !== undefined && request.headers['sec-fetch-site'] === 'cross-site')
            reply.header('refresh', '0');
          return answer(request, reply, view);
        },
      );
      scope.post(
        '/a/:token',
        described('act_by_link', 'Act on the nudge of a link in a message'),
        async (request, reply) => {
          // Web apps of providers, such as ntfy's, press the buttons from their own origin.
          reply.header('access-control-allow-origin', '*');
          const { token } = request.params;
          const action = request.query.do;
          const viewerId = await findViewer(request);
          return answer(
            request,
            reply,
            action ? await acts.act(token, action, viewerId) : await acts.look(token, viewerId),
          );
        },
      );
    });
  };

const STATUS: Partial<Record<ActState, number>> = { unknown: 404, expired: 410, wrong_code: 410 };

const isPage = ({ headers }: FastifyRequest): boolean => /text\/html/.test(headers.accept ?? '');

/** A person gets a page, a program the state as JSON. The URL is a secret, so nobody may keep or index the page. */
function answer(request: FastifyRequest, reply: FastifyReply, view: ActView): FastifyReply {
  reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
  reply.code(STATUS[view.state] ?? 200);
  if (!isPage(request)) return reply.type('application/json').send(JSON.stringify(ok({ state: view.state })));
  return sendStaticPage(reply, headingOf(view), renderPage(view), { forms: true });
}
