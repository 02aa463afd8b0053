/** CalDAV over HTTP: what each method answers at each kind of address. RFC 4918, 4791 and 6578. */
import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { BASIC_CHALLENGE } from '../http/basic-password.ts';
import { sendFailure } from '../http/failures.ts';
import type { TokenCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import { type CaldavReadingService, textOf } from './caldav-reading.service.ts';
import { type CaldavWritingService, type Preconditions, VIA } from './caldav-writing.service.ts';
import { type DavRequest, XML_TYPE } from './dav-http.routes.ts';
import { DavRefusal, notAllowed, notCalendarData, nothingHere } from './dav-refusal.ts';
import { type DavPath, parsePath, ROOT } from './paths.ts';
import { answerPropfind, answerProppatch } from './properties.routes.ts';
import { CALENDAR_TYPE, type Person } from './properties.ts';
import { answerReport } from './reports.routes.ts';
import { tagOf } from './todo-writer.ts';
import { UnreadableXml } from './xml-reader.ts';
import { errorDocument } from './xml-writer.ts';

type Handler = (dav: DavRequest, writing: CaldavWritingService) => Promise<unknown>;

const METHODS = ['OPTIONS', 'PROPFIND', 'PROPPATCH', 'REPORT', 'GET', 'PUT', 'DELETE', 'MKCALENDAR', 'MKCOL'] as const;
type Method = (typeof METHODS)[number];
const ADDED: readonly Method[] = ['PROPFIND', 'PROPPATCH', 'REPORT', 'MKCALENDAR', 'MKCOL'];
const ALLOW = 'OPTIONS, PROPFIND, PROPPATCH, REPORT, GET, HEAD, PUT, DELETE';

/** A report names every task that it wants, and a first sync may want all of them at once. */
const REPORT_BYTES = 4 * 1024 * 1024;
const OTHER_BYTES = 256 * 1024;

const handlers: Readonly<Record<Method, Handler>> = {
  OPTIONS: async ({ reply }) => reply.code(200).header('allow', ALLOW).send(),
  PROPFIND: answerPropfind,
  PROPPATCH: answerProppatch,
  REPORT: answerReport,
  GET: readTask,
  PUT: storeTask,
  DELETE: deleteTask,
  MKCALENDAR: refuseList,
  MKCOL: refuseList,
};

export const caldavRoutes =
  (reading: CaldavReadingService, writing: CaldavWritingService): Routes =>
  (app) => {
    for (const method of ADDED) app.addHttpMethod(method, { hasBody: true });
    // A Fastify context of its own, with its own body parsing and form of errors.
    app.register(async (scope: App) => {
      readText(scope);
      for (const method of ['GET', 'PROPFIND'])
        scope.route({ method, url: '/.well-known/caldav', schema: { hide: true }, handler: redirect } as RouteOptions);
      scope.setErrorHandler((error: Error, request, reply) => sendRefusal(error, request, reply));
      for (const method of METHODS) for (const url of urlsOf(method)) addRoute(scope, method, url, reading, writing);
    });
  };

/** Apps begin at the bare address too. */
const urlsOf = (method: Method): string[] => [
  '/caldav',
  '/caldav/*',
  ...(method === 'PROPFIND' || method === 'OPTIONS' ? ['/'] : []),
];

const redirect = async (_request: FastifyRequest, reply: FastifyReply) => reply.redirect(ROOT, 301);

function addRoute(
  app: App,
  method: Method,
  url: string,
  reading: CaldavReadingService,
  writing: CaldavWritingService,
): void {
  const isCostly = method === 'PROPFIND' || method === 'REPORT';
  app.route({
    method,
    url,
    bodyLimit: method === 'REPORT' ? REPORT_BYTES : OTHER_BYTES,
    config: { takesBasic: true, ...(isCostly && { isCostly }) },
    schema: { hide: true },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      reply.header('dav', '1, 3, calendar-access');
      const caller = tokenOf(request, reply);
      const person = await personOf(request, reply, caller, reading);
      const path = parsePath(request.url);
      if (!path || ('userId' in path && path.userId !== caller.userId)) throw nothingHere();
      return handlers[method]({ request, reply, caller, person, path, reading }, writing);
    },
  } as RouteOptions);
}

function readText(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => {
    if (!isUtf8(body)) throw notCalendarData('The body is not UTF-8');
    return body.toString('utf8');
  });
}

/** A session is no password: it would be stored on a device for ever. */
function tokenOf(request: FastifyRequest, reply: FastifyReply): TokenCaller {
  const caller = callerOf(request);
  if (caller.kind !== 'token') throw unauthenticated(reply);
  return { ...caller, via: VIA };
}

function unauthenticated(reply: FastifyReply): AppError {
  reply.header('www-authenticate', BASIC_CHALLENGE);
  return new AppError('unauthenticated');
}

/** The password was right. A wrong user name gets the answer of a wrong password. */
async function personOf(
  { basicUser }: FastifyRequest,
  reply: FastifyReply,
  { userId, scopes }: TokenCaller,
  reading: CaldavReadingService,
): Promise<Person> {
  const account = await reading.account(userId);
  const names = [userId, account?.email?.toLowerCase()];
  if (!account || (basicUser !== null && !names.includes(basicUser.trim().toLowerCase()))) throw unauthenticated(reply);
  return { userId, email: account.email, name: account.display_name, canWrite: scopes.includes('tasks:write') };
}

function sendRefusal(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof UnreadableXml) return reply.code(400).type(XML_TYPE).send(errorDocument(''));
  if (!(error instanceof DavRefusal)) return sendFailure(error, request, reply);
  return reply.code(error.status).type(XML_TYPE).send(errorDocument(error.condition));
}

function taskIn({ path }: DavRequest): Extract<DavPath, { kind: 'task' }> {
  if (path.kind !== 'task') throw new AppError('method_not_allowed');
  return path;
}

async function readTask(dav: DavRequest): Promise<unknown> {
  const { request, reply, reading, caller } = dav;
  const { list, name } = taskIn(dav);
  const row = await reading.find(caller.userId, list, name);
  if (!row) throw nothingHere();
  const view = await reading.view(caller.userId);
  const tag = tagOf(row, row.uid ?? row.id, row.kept_hash, view);
  reply.header('etag', tag);
  if (tagsIn(request.headers['if-none-match'])?.includes(tag)) return reply.code(304).send();
  return reply.type(CALENDAR_TYPE).send(textOf(row, view));
}

async function storeTask(dav: DavRequest, writing: CaldavWritingService): Promise<unknown> {
  const { request, reply, caller } = dav;
  const at = taskIn(dav);
  const isNew = await writing.put(caller, at, String(request.body ?? ''), preconditionsOf(request));
  // Without an ETag: the task is not stored letter by letter, so apps read it again (RFC 4791 §5.3.4).
  return reply.code(isNew ? 201 : 204).send();
}

async function deleteTask(dav: DavRequest, writing: CaldavWritingService): Promise<unknown> {
  if (dav.path.kind !== 'task') throw notAllowed('Lists are deleted in Crescendo');
  await writing.delete(dav.caller, dav.path, preconditionsOf(dav.request));
  return dav.reply.code(204).send();
}

async function refuseList(): Promise<never> {
  throw notAllowed('Lists are made in Crescendo: each space is one');
}

const preconditionsOf = ({ headers }: FastifyRequest): Preconditions => ({
  mustBeNew: headers['if-none-match'] === '*',
  tags: tagsIn(headers['if-match']),
});

/** A compressing proxy may have made a tag weak, or marked it. */
const tagsIn = (header: string | undefined): string[] | undefined =>
  header?.split(',').map((tag) =>
    tag
      .trim()
      .replace(/^W\//, '')
      .replace(/-gzip"$/, '"'),
  );
