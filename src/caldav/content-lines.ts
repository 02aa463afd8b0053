/**
 * Splits iCalendar text (RFC 5545 §3.1) into components and their lines, without a look at what they mean: what we have
 * no field for is given back as it was sent.
 */
import { notCalendarData } from './dav-refusal.ts';

export interface RawComponent {
  /** In capitals. */
  readonly name: string;
  /** Unfolded. */
  readonly lines: readonly ContentLine[];
  readonly parts: readonly RawComponent[];
}

export interface ContentLine {
  /** In capitals. */
  readonly name: string;
  /** All of it, unfolded. */
  readonly text: string;
}

interface OpenComponent extends RawComponent {
  readonly lines: ContentLine[];
  readonly parts: OpenComponent[];
}

const DEEPEST = 8;
/** RFC 5545 allows 75 bytes per line, the space at the beginning of a continued line included. */
const LINE_BYTES = 75;

/** The calendars in the text; there should be one. */
export function readComponents(text: string): RawComponent[] {
  const root: OpenComponent = { name: '', lines: [], parts: [] };
  const open = [root];
  for (const line of unfold(text)) {
    const name = /^([A-Za-z0-9-]+)(?=[;:])/.exec(line)?.[1]?.toUpperCase();
    if (name === undefined || !line.includes(':')) throw notCalendarData('A line is not NAME:VALUE');
    if (name === 'BEGIN') begin(open, nameBehind(line));
    else if (name === 'END') end(open, nameBehind(line));
    else open.at(-1)?.lines.push({ name, text: line });
  }
  if (open.length > 1) throw notCalendarData('A component has no END');
  if (root.lines.length > 0) throw notCalendarData('A line is outside of every component');
  return root.parts;
}

const nameBehind = (line: string): string =>
  line
    .slice(line.indexOf(':') + 1)
    .trim()
    .toUpperCase();

function begin(open: OpenComponent[], name: string): void {
  const part = { name, lines: [], parts: [] };
  open.at(-1)?.parts.push(part);
  open.push(part);
  if (open.length > DEEPEST) throw notCalendarData(`Nested deeper than ${DEEPEST} levels`);
}

function end(open: OpenComponent[], name: string): void {
  const isOpen = open.length > 1 && open.at(-1)?.name === name;
  if (!isOpen) throw notCalendarData('A BEGIN and an END differ');
  open.pop();
}

const unfold = (text: string): string[] =>
  text
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '');

export const writeComponent = ({ name, lines, parts }: RawComponent): string =>
  `BEGIN:${name}\r\n${lines.map(({ text }) => fold(text)).join('')}${parts.map(writeComponent).join('')}END:${name}\r\n`;

export const writeLines = (lines: readonly ContentLine[]): string => lines.map(({ text }) => fold(text)).join('');

/** The line with its line end, in pieces of at most 75 bytes. */
export function fold(line: string): string {
  // A character has at most three bytes for each of its code units.
  if (line.length * 3 <= LINE_BYTES || Buffer.byteLength(line) <= LINE_BYTES) return `${line}\r\n`;
  let [folded, bytes] = ['', 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > LINE_BYTES) {
      folded += '\r\n ';
      bytes = 1;
    }
    folded += character;
    bytes += size;
  }
  return `${folded}\r\n`;
}

/** The value behind the parameters, one of which may contain a colon in quotes. */
export function lineValue({ text }: ContentLine): string {
  const colon = /^[^:"]*(?:"[^"]*"[^:"]*)*:/.exec(text)?.[0].length ?? text.indexOf(':') + 1;
  return text.slice(colon);
}

export const findLine = ({ lines }: RawComponent, name: string): ContentLine | undefined =>
  lines.find((line) => line.name === name);

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', N: '\n' };

export const unescapeText = (value: string): string =>
  value.replaceAll(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);

export const escapeText = (text: string): string =>
  text.replaceAll(/[\\;,]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);

/** The values of a list, which unescaped commas separate. */
export const listOf = (value: string): string[] =>
  (value.match(/(?:\\.|[^,\\])+/gs) ?? []).map((one) => unescapeText(one).trim()).filter((one) => one !== '');
