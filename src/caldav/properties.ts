/** The properties of what is at an address, and an answer with those that were asked for. */
import type { Asked, PropertyName } from './asked-properties.ts';
import type { ListedEntry, TaskList } from './caldav-reading.service.ts';
import { homePath, listPath, principalPath, ROOT, taskPath } from './paths.ts';
import { nameIn } from './xml-reader.ts';
import {
  APPLE,
  CALDAV,
  CALENDAR_SERVER,
  caldav,
  DAV,
  dav,
  element,
  emptyElement,
  escapeXml,
  href,
  propStat,
  statusOf,
} from './xml-writer.ts';

export interface Person {
  readonly userId: string;
  readonly email: string | null;
  readonly name: string | null;
  /** Whether the access token may change tasks. */
  readonly canWrite: boolean;
}

export type Resource =
  | { readonly kind: 'root' | 'principal' | 'home' }
  | {
      readonly kind: 'list';
      readonly list: TaskList;
      readonly token: string;
      readonly zone: string;
      readonly order: number;
    }
  | { readonly kind: 'task'; readonly list: string; readonly entry: ListedEntry };

type Values = Readonly<Record<string, () => string>>;

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';
const ENTRY_TYPE = `${CALENDAR_TYPE}; component=vtodo`;
const COLOUR = '#C2410CFF';
const REPORTS = [caldav('calendar-query'), caldav('calendar-multiget'), dav('sync-collection')];

/** Not among the usual ones: `allprop` would be long, or is not defined for them. */
const ONLY_BY_NAME: ReadonlySet<string> = new Set([
  nameIn(CALDAV, 'calendar-data'),
  nameIn(CALDAV, 'calendar-timezone-id'),
  nameIn(DAV, 'sync-token'),
]);

const d = (name: string): string => nameIn(DAV, name);
const c = (name: string): string => nameIn(CALDAV, name);

function valuesOf(resource: Resource, person: Person, longest: number): Values {
  const { userId } = person;
  const common: Values = {
    [d('current-user-principal')]: () => href(principalPath(userId)),
    [d('owner')]: () => href(principalPath(userId)),
    [d('current-user-privilege-set')]: () => privileges(person.canWrite),
    [d('principal-collection-set')]: () => href(ROOT),
    [d('supported-report-set')]: () => supportedReports(resource.kind === 'list' ? REPORTS : []),
  };
  switch (resource.kind) {
    case 'list':
      return { ...common, ...listValues(resource, longest) };
    case 'task':
      return { ...common, ...taskValues(resource.entry) };
    default:
      return { ...common, ...personValues(resource.kind, person) };
  }
}

/** The root and the home answer like the person: some apps ask the parent of the address that was entered. */
function personValues(kind: 'root' | 'principal' | 'home', { userId, email, name }: Person): Values {
  const addresses = [...(email === null ? [] : [`mailto:${email}`]), principalPath(userId)];
  return {
    [d('resourcetype')]: () => `${dav('collection')}${kind === 'principal' ? dav('principal') : ''}`,
    [d('displayname')]: () => escapeXml(name ?? email ?? 'Crescendo'),
    [d('principal-URL')]: () => href(principalPath(userId)),
    [c('calendar-home-set')]: () => href(homePath(userId)),
    [c('calendar-user-address-set')]: () => addresses.map(href).join(''),
  };
}

function listValues(resource: Extract<Resource, { kind: 'list' }>, longest: number): Values {
  const { list, token, zone, order } = resource;
  return {
    [d('resourcetype')]: () => `${dav('collection')}${caldav('calendar')}`,
    [d('displayname')]: () => escapeXml(list.name),
    [d('sync-token')]: () => escapeXml(token),
    [nameIn(CALENDAR_SERVER, 'getctag')]: () => escapeXml(token),
    [c('supported-calendar-component-set')]: () => caldav('comp', '', ' name="VTODO"'),
    [c('supported-calendar-data')]: () => caldav('calendar-data', '', ' content-type="text/calendar" version="2.0"'),
    [c('calendar-description')]: () => escapeXml(list.name),
    [c('calendar-timezone-id')]: () => escapeXml(zone),
    [c('max-resource-size')]: () => String(longest),
    [nameIn(APPLE, 'calendar-color')]: () => COLOUR,
    [nameIn(APPLE, 'calendar-order')]: () => String(order),
  };
}

function taskValues({ found }: ListedEntry): Values {
  if (!found) return {};
  const { tag, text, changed } = found;
  return {
    [d('resourcetype')]: () => '',
    [d('getetag')]: () => escapeXml(tag),
    [d('getcontenttype')]: () => ENTRY_TYPE,
    [d('getlastmodified')]: () => changed.toUTCString(),
    ...(text !== undefined && {
      [d('getcontentlength')]: () => String(Buffer.byteLength(text)),
      [c('calendar-data')]: () => escapeXml(text),
    }),
  };
}

const privileges = (canWrite: boolean): string =>
  ['read', 'read-current-user-privilege-set', ...(canWrite ? ['write', 'write-content', 'bind', 'unbind'] : [])]
    .map((name) => dav('privilege', dav(name)))
    .join('');

const supportedReports = (reports: readonly string[]): string =>
  reports.map((report) => dav('supported-report', dav('report', report))).join('');

export function pathOf(resource: Resource, userId: string): string {
  switch (resource.kind) {
    case 'root':
      return ROOT;
    case 'principal':
      return principalPath(userId);
    case 'home':
      return homePath(userId);
    case 'list':
      return listPath(userId, resource.list.id);
    case 'task':
      return taskPath(userId, resource.list, resource.entry.name);
  }
}

export interface ResponseWish {
  readonly asked: Asked;
  readonly person: Person;
  /** Leave out what is not there (RFC 8144). */
  readonly isMinimal: boolean;
  /** The longest text that a task can have. */
  readonly longest: number;
  /** The address as it was asked for, where that was one. */
  readonly at?: string;
}

export function writeResponse(resource: Resource, wish: ResponseWish): string {
  const { asked, person, isMinimal, longest } = wish;
  const values = valuesOf(resource, person, longest);
  const names = asked.kind === 'named' ? asked.names : usualNames(values);
  const [found, missing]: [string[], string[]] = [[], []];
  for (const { namespace, name } of names) {
    const value = values[nameIn(namespace, name)];
    if (!value) missing.push(emptyElement(namespace, name));
    else found.push(asked.kind === 'names' ? element(namespace, name) : element(namespace, name, value()));
  }
  const isShort = isMinimal || missing.length === 0;
  const stats = [
    ...(found.length > 0 || isShort ? [propStat({ status: 200, properties: found.join('') })] : []),
    ...(isShort ? [] : [propStat({ status: 404, properties: missing.join('') })]),
  ];
  return dav('response', `${href(wish.at ?? pathOf(resource, person.userId))}${stats.join('')}`);
}

const usualNames = (values: Values): PropertyName[] =>
  Object.keys(values)
    .filter((name) => !ONLY_BY_NAME.has(name))
    .map((name) => {
      const space = name.lastIndexOf(' ');
      return { namespace: name.slice(0, space), name: name.slice(space + 1) };
    });

export const missingResponse = (path: string): string => dav('response', `${href(path)}${statusOf(404)}`);

/** Apps may set colours and the like: each is refused by itself, which apps take better than an error. */
export function refusedProperties(path: string, names: readonly PropertyName[]): string {
  const properties = names.map(({ namespace, name }) => emptyElement(namespace, name)).join('');
  return dav('response', `${href(path)}${propStat({ status: 403, properties })}`);
}
