/** Which properties a PROPFIND or REPORT asks for. */
import { childOf, nameIn, type XmlElement } from './xml-reader.ts';
import { CALDAV, DAV } from './xml-writer.ts';

export interface PropertyName {
  readonly namespace: string;
  readonly name: string;
}

export type Asked =
  | { readonly kind: 'named'; readonly names: readonly PropertyName[] }
  /** The usual ones, or the names of all. */
  | { readonly kind: 'all' | 'names' };

/** More would make an answer long that says nothing. */
const MOST_NAMES = 100;

export function splitName(name: string): PropertyName {
  const space = name.lastIndexOf(' ');
  return { namespace: name.slice(0, space), name: name.slice(space + 1) };
}

/** An empty body asks for all. */
export function askedIn(root: XmlElement | undefined): Asked {
  const prop = childOf(root, nameIn(DAV, 'prop'));
  if (prop) return { kind: 'named', names: prop.children.slice(0, MOST_NAMES).map(({ name }) => splitName(name)) };
  return { kind: childOf(root, nameIn(DAV, 'propname')) ? 'names' : 'all' };
}

export const asksForText = (asked: Asked): boolean =>
  asked.kind === 'named' && asked.names.some(({ namespace, name }) => namespace === CALDAV && name === 'calendar-data');

/** The length is that of the text. */
export const asksForLength = (asked: Asked): boolean =>
  asked.kind === 'all' ||
  (asked.kind === 'named' &&
    asked.names.some(({ namespace, name }) => namespace === DAV && name === 'getcontentlength'));
