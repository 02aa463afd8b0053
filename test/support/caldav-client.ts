/** An app that syncs by CalDAV, as far as requests go. */
import assert from 'node:assert/strict';
import type { InjectOptions } from 'fastify';
import { childOf, childrenOf, nameIn, readXml, type XmlElement } from '../../src/caldav/xml-reader.ts';
import { CALDAV, DAV } from '../../src/caldav/xml-writer.ts';
import type { Person } from './people.ts';
import type { TestApp } from './test-app.ts';

interface DavAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface DavClient {
  readonly token: string;
  readonly tokenId: string;
  readonly home: string;
  /** The list of tasks outside of spaces. */
  readonly list: string;
  send(method: string, url: string, body?: string, headers?: Readonly<Record<string, string>>): Promise<DavAnswer>;
  /** Stores a VTODO with these lines, and returns the status. */
  put(name: string, lines: readonly string[], headers?: Readonly<Record<string, string>>): Promise<number>;
  get(name: string): Promise<{ readonly text: string; readonly tag: string; readonly lines: readonly string[] }>;
  report(body: string): Promise<MultiStatus>;
}

export interface MultiStatus {
  readonly root: XmlElement;
  /** By the last part of the address. */
  readonly entries: ReadonlyMap<string, { readonly status: number; readonly tag: string; readonly text: string }>;
  readonly token: string;
}

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

export async function connectApp(
  app: TestApp,
  person: Person,
  {
    scopes = ['tasks:read', 'tasks:write'],
    list = 'tasks',
    ...limits
  }: { scopes?: string[]; list?: string; max_stage?: number } = {},
): Promise<DavClient> {
  const { body } = await person.ask('POST', '/v1/tokens', { name: 'An app', scopes, ...limits });
  const { token, id: tokenId } = body.data;
  const home = `/caldav/calendars/${person.userId}/`;
  const listPath = `${home}${list}/`;
  const send: DavClient['send'] = async (method, url, payload, headers = {}) => {
    const response = await app.fastify.inject({
      method: method as NonNullable<InjectOptions['method']>,
      url,
      headers: { authorization: basic(person.email, token), 'content-type': 'text/xml; charset=utf-8', ...headers },
      ...(payload !== undefined && { payload }),
    });
    return { status: response.statusCode, body: response.body, headers: response.headers };
  };
  return {
    token,
    tokenId,
    home,
    list: listPath,
    send,
    put: async (name, lines, headers = {}) => {
      const type = { 'content-type': 'text/calendar; charset=utf-8' };
      const { status, body: told } = await send('PUT', `${listPath}${name}`, calendarOf(lines), {
        ...type,
        ...headers,
      });
      assert.ok(status < 500, told);
      return status;
    },
    get: async (name) => {
      const { status, body: text, headers } = await send('GET', `${listPath}${name}`);
      assert.equal(status, 200, text);
      return { text, tag: String(headers.etag), lines: unfolded(text) };
    },
    report: async (payload) => {
      const { status, body: told } = await send('REPORT', listPath, payload, { depth: '1' });
      assert.equal(status, 207, told);
      return readMultiStatus(told);
    },
  };
}

/** Lines of one VTODO, or several components if they say so themselves. */
function calendarOf(lines: readonly string[]): string {
  const isWhole = lines[0]?.startsWith('BEGIN:');
  const parts = isWhole ? lines : ['BEGIN:VTODO', ...lines, 'END:VTODO'];
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//An app//EN', ...parts, 'END:VCALENDAR', ''].join('\r\n');
}

export const unfolded = (text: string): string[] => text.replaceAll(/\r\n[ \t]/g, '').split('\r\n');

export async function readMultiStatus(text: string): Promise<MultiStatus> {
  const root = await readXml(text);
  const entries = childrenOf(root, nameIn(DAV, 'response')).map((response) => {
    const path = childOf(response, nameIn(DAV, 'href'))?.text ?? '';
    const stats = childrenOf(response, nameIn(DAV, 'propstat'));
    const found = stats.find((stat) => statusIn(stat) === 200);
    const prop = childOf(found, nameIn(DAV, 'prop'));
    const tag = childOf(prop, nameIn(DAV, 'getetag'))?.text ?? '';
    const data = childOf(prop, nameIn(CALDAV, 'calendar-data'))?.text ?? '';
    const status = statusIn(response) || (found ? 200 : 404);
    return [
      decodeURIComponent(path.split('/').findLast((part) => part !== '') ?? ''),
      { status, tag, text: data },
    ] as const;
  });
  return { root, entries: new Map(entries), token: childOf(root, nameIn(DAV, 'sync-token'))?.text ?? '' };
}

const statusIn = (element: XmlElement): number =>
  Number(/ (\d{3})/.exec(childOf(element, nameIn(DAV, 'status'))?.text ?? '')?.[1] ?? 0);

export const syncReport = (token: string): string =>
  `<D:sync-collection xmlns:D="DAV:"><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level>` +
  '<D:prop><D:getcontenttype/><D:getetag/></D:prop></D:sync-collection>';

export const queryReport = (filter = '', data = ''): string =>
  `<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><D:getetag/>${data}</D:prop>` +
  `<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VTODO">${filter}</C:comp-filter></C:comp-filter>` +
  '</C:filter></C:calendar-query>';
