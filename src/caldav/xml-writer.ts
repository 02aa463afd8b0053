/** Writes the XML of WebDAV answers. */

export const DAV = 'DAV:';
export const CALDAV = 'urn:ietf:params:xml:ns:caldav';
export const CALENDAR_SERVER = 'http://calendarserver.org/ns/';
export const APPLE = 'http://apple.com/ns/ical/';

const PREFIXES: Readonly<Record<string, string>> = { [DAV]: 'D', [CALDAV]: 'C', [CALENDAR_SERVER]: 'CS', [APPLE]: 'A' };

/** The declarations for the root element of an answer. */
const DECLARED = Object.entries(PREFIXES)
  .map(([namespace, prefix]) => ` xmlns:${prefix}="${namespace}"`)
  .join('');

export const XML_HEAD = '<?xml version="1.0" encoding="utf-8"?>\n';

/** Characters that XML 1.0 cannot have, not even escaped. */
const IMPOSSIBLE = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** A carriage return has to be escaped: readers of XML turn it into a line feed otherwise. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
    .replaceAll(IMPOSSIBLE, ' ');

/** An element of a known namespace; its content is XML already. */
export function element(namespace: string, name: string, content = '', attributes = ''): string {
  const tag = `${PREFIXES[namespace]}:${name}`;
  return content === '' ? `<${tag}${attributes}/>` : `<${tag}${attributes}>${content}</${tag}>`;
}

export const dav = (name: string, content = ''): string => element(DAV, name, content);
export const caldav = (name: string, content = '', attributes = ''): string =>
  element(CALDAV, name, content, attributes);
export const href = (path: string): string => dav('href', escapeXml(path));

/** An empty element of any namespace. Names come from a reader of XML, so they are names. */
export function emptyElement(namespace: string, name: string): string {
  if (namespace in PREFIXES) return element(namespace, name);
  return namespace === '' ? `<${name} xmlns=""/>` : `<X:${name} xmlns:X="${escapeXml(namespace)}"/>`;
}

const STATUS_WORDS: Readonly<Record<number, string>> = {
  200: 'OK',
  403: 'Forbidden',
  404: 'Not Found',
  424: 'Failed Dependency',
  507: 'Insufficient Storage',
};

export const statusOf = (status: number): string => dav('status', `HTTP/1.1 ${status} ${STATUS_WORDS[status] ?? ''}`);

export interface PropStat {
  readonly status: number;
  /** The properties, as XML. */
  readonly properties: string;
}

export const propStat = ({ status, properties }: PropStat): string =>
  dav('propstat', `${dav('prop', properties)}${statusOf(status)}`);

export const MULTISTATUS = { begin: `${XML_HEAD}<D:multistatus${DECLARED}>`, end: '</D:multistatus>' };

/** The body of a refusal: a precondition by name, and maybe what it is about. */
export const errorDocument = (condition: string): string => `${XML_HEAD}<D:error${DECLARED}>${condition}</D:error>`;
