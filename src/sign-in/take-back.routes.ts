/**
 * The pages behind the links in mails to owners. GET shows what a link does and changes nothing, because programs that
 * scan mails open links; POST does it. Nobody is asked to sign in: the owner may be locked out.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { ok } from '../http/envelope.ts';
import { sendStaticPage } from '../http/web-app/static-page.ts';
import { escapeHtml } from '../lib/mail-html.ts';
import { Type } from '../lib/schema.ts';
import { words } from '../lib/words.ts';
import type { AddressUndoService, LeftOver } from './address/address-undo.service.ts';
import type { SecondFactorResets } from './second-factor-resets.service.ts';
import type { TakeBackKey, TakeBackLinks } from './take-back-links.ts';

const params = Type.Object({ token: Type.String({ minLength: 1, maxLength: 100 }) });

const described = (operationId: string, summary: string) => ({
  schema: {
    operationId,
    tags: ['account'],
    summary,
    params,
    response: { 200: { content: { 'text/html': { schema: Type.String() } } } },
  },
});

interface Services {
  readonly links: TakeBackLinks;
  readonly undo: AddressUndoService;
  readonly resets: SecondFactorResets;
}

type Page = 'address' | 'address_done' | 'reset' | 'reset_done' | 'gone' | 'unknown';

const STATUS: Partial<Record<Page, number>> = { gone: 410, unknown: 404 };

export const takeBackRoutes =
  (services: Services): Routes =>
  (app) => {
    app.register(async (scope: App) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 16_384 }, async () => undefined);
      scope.get(
        '/take-back/:token',
        described('look_at_take_back', 'Show what a link in a mail to the owner takes back'),
        async (request, reply) => {
          const key = services.links.read(request.params.token);
          if (!key) return answer(request, reply, 'unknown');
          return answer(request, reply, (await isOpen(services, key)) ? key.kind : 'gone');
        },
      );
      scope.post(
        '/take-back/:token',
        described('take_back', 'Take back a change of the address, or stop a reset of the second factor'),
        async (request, reply) => {
          const key = services.links.read(request.params.token);
          if (!key) return answer(request, reply, 'unknown');
          const left = await takeBack(services, key, request.ip);
          return answer(request, reply, left ? (`${key.kind}_done` as const) : 'gone', left);
        },
      );
    });
  };

const isOpen = async ({ undo, resets }: Services, { kind, id }: TakeBackKey): Promise<boolean> =>
  (await (kind === 'address' ? undo.find(id) : resets.findById(id))) !== undefined;

/** Returns what is left that opens the account; undefined if there was nothing to take back. */
async function takeBack(
  { undo, resets }: Services,
  { kind, id }: TakeBackKey,
  address: string,
): Promise<LeftOver[] | undefined> {
  if (kind === 'address') return undo.undo(id, address);
  const reset = await resets.findById(id);
  return reset !== undefined && (await resets.stop(reset.user_id, 'link', address)) ? [] : undefined;
}

/** A person gets a page, a program the state as JSON. The URL is a secret, so nobody may keep or index the page. */
function answer(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  page: Page,
  left: readonly LeftOver[] = [],
): FastifyReply {
  const { leftKinds, left: leftWords, open, check } = words.takeBackPage;
  const { heading, text, button } = words.takeBackPage[page];
  reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex');
  reply.code(STATUS[page] ?? 200);
  if (!/text\/html/.test(headers.accept ?? ''))
    return reply.type('application/json').send(JSON.stringify(ok({ state: page })));
  const action = left.length > 0 ? { label: check, path: '/app/settings/access' } : { label: open, path: '/app' };
  const lines = [
    `<h1>${escapeHtml(heading)}</h1>`,
    `<p>${escapeHtml(text)}</p>`,
    ...(left.length > 0 ? [`<p>${escapeHtml(leftWords(left.map((kind) => leftKinds[kind]).join(', ')))}</p>`] : []),
    button === null
      ? `<p><a class="action" href="${action.path}">${escapeHtml(action.label)}</a></p>`
      : `<form method="post"><button class="first">${escapeHtml(button)}</button></form>`,
  ];
  return sendStaticPage(reply, heading, lines.join('\n'), { forms: true });
}
