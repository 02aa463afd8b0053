/**
 * Protects against DNS rebinding: a page makes a browser on this machine or network call the service under a host name
 * that the attacker controls. Such a name is always one that public DNS resolves. So the service answers to its own
 * names, and to hosts that public DNS cannot point anywhere: IP addresses, and names that only a local network knows.
 */
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { DailyNotices } from '../lib/daily-notices.ts';
import { AppError } from '../lib/errors.ts';
import { isLocalName } from '../lib/public-address.ts';
import { words } from '../lib/words.ts';
import { sendStaticPage } from './web-app/static-page.ts';

export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Monitoring asks under any name and must always get an answer. The answers contain nothing of anybody. */
export const MONITORING_PATH = /^\/(?:health|health\/live|health\/ready|metrics)(?:\?|$)/;

/** As long as a host name can be. */
const LONGEST_LOGGED = 253;

/** Must be called before the other hooks: a refused request does nothing else. */
export function refuseForeignHosts(app: FastifyInstance, ownNames: ReadonlySet<string>, clock: Clock): void {
  const notices = new DailyNotices(clock);
  const isAllowed = remembered((host) => isAllowedHost(host, ownNames));
  app.addHook('onRequest', (request, reply, done) => {
    const foreign = findForeignHost(request, isAllowed);
    if (foreign === undefined || MONITORING_PATH.test(request.url)) return done();
    const host = foreign.slice(0, LONGEST_LOGGED);
    if (notices.isDue(host)) request.log.warn({ host, setting: 'ALLOWED_HOSTS' }, messageFor(host));
    const refusal = new AppError('host_not_allowed');
    if (!isPageRequest(request)) throw refusal;
    reply.refusedWith = refusal.code;
    sendRefusalPage(reply.code(refusal.status), foreign, refusal.message);
  });
}

/** A person opens a page in a browser. Programs get JSON, whatever they accept. */
const isPageRequest = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && !/^\/(?:v1|mcp|oauth)\b/.test(url) && /text\/html/.test(headers.accept ?? '');

/** The path and the port do not matter. A request can name several hosts, and all of them have to be right. */
function findForeignHost(request: FastifyRequest, isAllowed: (host: string) => boolean): string | undefined {
  const { host = '' } = request.headers;
  if (!isAllowed(host)) return host;
  // The name that a trusted proxy was called by.
  if (request.host !== host && !isAllowed(request.host)) return request.host;
  if (request.url.startsWith('/') || request.url === '*') return undefined;
  const target = /^https?:\/\/([^/?#]*)/i.exec(request.url)?.[1] ?? '';
  return isAllowed(target) ? undefined : target;
}

export function isAllowedHost(host: string, ownNames: ReadonlySet<string>): boolean {
  const name = findHostname(host);
  if (name === undefined) return false;
  return ownNames.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || isLocalName(name);
}

const PLAIN_HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Without port and final dot, as browsers write it. Undefined if no host can have this name. */
const findHostname = (host: string): string | undefined =>
  PLAIN_HOST.test(host) ? URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '') : undefined;

const MOST_REMEMBERED = 100;

/** Nearly all requests come under one name, and parsing it takes longer than the rest of the check. */
function remembered(isAllowed: (host: string) => boolean): (host: string) => boolean {
  const allowed = new Set<string>();
  return (host) => {
    if (allowed.has(host)) return true;
    if (!isAllowed(host)) return false;
    if (allowed.size < MOST_REMEMBERED) allowed.add(host);
    return true;
  };
}

const messageFor = (host: string) =>
  `${host} is not a name of this service, so its requests are refused: if people open it, set BASE_URL to it or add it to ALLOWED_HOSTS`;

function sendRefusalPage(reply: FastifyReply, host: string, sentence: string): void {
  const { heading, opened } = words.foreignHostPage;
  // A plain name needs no escaping.
  const name = findHostname(host);
  const shown = name === undefined ? '' : `<p>${opened} <code>${name}</code></p>\n`;
  sendStaticPage(reply.header('cache-control', 'no-store'), heading, `<h1>${heading}</h1>\n${shown}<p>${sentence}</p>`);
}

/**
 * Who may use the MCP server. Programs send no Origin. A page may call if it is our own, or if both it and the service
 * are on loopback. If tokens are accepted over https only, every page may call: it uses the service's public name, and
 * acts with the token it was given.
 */
export function isAllowedOrigin(origin: string | undefined, host: string, baseUrl: string | undefined): boolean {
  if (origin === undefined || baseUrl?.startsWith('https:') || isOwnOrigin(origin, host, baseUrl)) return true;
  return isLoopback(origin) && isLoopback(`http://${host}`);
}

const isLoopback = (url: string): boolean => LOOPBACK.includes(findWebUrl(url)?.hostname ?? '');

/** Whether a page of this origin is one of ours, reached by BASE_URL or by the host that the request names. */
export function isOwnOrigin(origin: string, host: string, baseUrl: string | undefined): boolean {
  const page = findWebUrl(origin);
  return page !== undefined && (origin === baseUrl || page.host === URL.parse(`http://${host}`)?.host);
}

function findWebUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}
