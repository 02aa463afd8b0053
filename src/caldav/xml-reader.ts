/**
 * Reads the XML of a WebDAV request into a tree with namespaces. Documents with a DOCTYPE are refused, so there are no
 * entities of anybody's own. A long document is read in parts, and other requests are served in between.
 */
import { SaxesParser } from 'saxes';
import { nextTurn } from '../lib/next-turn.ts';

export interface XmlElement {
  /** The namespace and the local name, as `nameIn` writes them. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** The message is for the log of a client. It never repeats what was sent. */
export class UnreadableXml extends Error {
  override readonly name = 'UnreadableXml';
}

/** A space is in no name and in no namespace that we use. */
export const nameIn = (namespace: string, name: string): string => `${namespace} ${name}`;

export const MOST_ELEMENTS = 25_000;
const DEEPEST = 20;
const MOST_ATTRIBUTES = 30;
/** Reading this much takes about 2 ms. */
const CHARACTERS_PER_TURN = 65_536;

interface OpenElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
}

export async function readXml(document: string): Promise<XmlElement> {
  const { parser, rootOf } = openParser();
  for (let start = 0; start < document.length; start += CHARACTERS_PER_TURN) {
    if (start > 0) await nextTurn();
    parser.write(document.slice(start, start + CHARACTERS_PER_TURN));
  }
  parser.close();
  return rootOf();
}

function openParser() {
  const parser = new SaxesParser({ xmlns: true, position: false });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let [elements, attributes] = [0, 0];
  const refuse = (message: string) => {
    throw new UnreadableXml(message);
  };
  parser.on('error', () => refuse('The body is not well-formed XML'));
  parser.on('doctype', () => refuse('A DOCTYPE is not accepted'));
  parser.on('opentagstart', () => {
    attributes = 0;
    elements += 1;
    if (elements > MOST_ELEMENTS) refuse(`The body has more than ${MOST_ELEMENTS} elements`);
    if (open.length >= DEEPEST) refuse(`The body is nested deeper than ${DEEPEST} levels`);
  });
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MOST_ATTRIBUTES) refuse(`An element has more than ${MOST_ATTRIBUTES} attributes`);
  });
  parser.on('opentag', (tag) => {
    const named = Object.values(tag.attributes).map(({ local, value }) => [local, value] as const);
    const element = { name: nameIn(tag.uri, tag.local), attributes: Object.fromEntries(named), children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
    root ??= element;
  });
  const addText = (text: string) => {
    const element = open.at(-1);
    if (element) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  const rootOf = () => root ?? refuse('The body has no element');
  return { parser, rootOf: rootOf as () => XmlElement };
}

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

export const childrenOf = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter((child) => child.name === name) ?? [];
