/**
 * Reads the files of a zip in memory. Names are names, never paths: nothing is written. How many entries there are, how
 * large each becomes and how much it grows is bounded, so a small file cannot become a huge one.
 */
import { inflateRawSync } from 'node:zlib';
import { unreadable } from './foreign-task.ts';

export interface ZipEntry {
  readonly name: string;
  /** Throws if the entry is damaged, encrypted or too large. */
  read(): Uint8Array;
}

const MOST_ENTRIES = 2_000;
/** Of all entries that are read. */
const MOST_BYTES = 100 * 1024 * 1024;
/** Texts shrink to a tenth, hardly ever to a hundredth. */
const LARGEST_RATIO = 200;
/** Below this size the ratio says nothing. */
const SMALL_BYTES = 64 * 1024;

const END_SIGNATURE = 0x06054b50;
const DIRECTORY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_LENGTH = 22;
const DIRECTORY_LENGTH = 46;
const LOCAL_LENGTH = 30;
const LONGEST_COMMENT = 0xffff;
const STORED = 0;
const DEFLATED = 8;
const ZIP64 = 0xffffffff;

/** An empty one begins with its end. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5);

export function readZip(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) throw unreadable('The zip file is cut off or damaged: it has no list of its files');
  const count = view.getUint16(end + 10, true);
  if (count > MOST_ENTRIES) throw unreadable(`The zip file has more than ${MOST_ENTRIES} entries`);
  const budget = { left: MOST_BYTES };
  const entries: ZipEntry[] = [];
  let position = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index += 1) {
    if (position + DIRECTORY_LENGTH > bytes.length || view.getUint32(position, true) !== DIRECTORY_SIGNATURE)
      throw unreadable('The list of files in the zip is damaged', `entry ${index + 1}`);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((at) => view.getUint16(position + at, true));
    const nameEnd = position + DIRECTORY_LENGTH + (nameLength ?? 0);
    const name = new TextDecoder('utf-8').decode(bytes.subarray(position + DIRECTORY_LENGTH, nameEnd));
    const header = {
      name,
      isEncrypted: (view.getUint16(position + 8, true) & 1) === 1,
      method: view.getUint16(position + 10, true),
      packed: view.getUint32(position + 20, true),
      size: view.getUint32(position + 24, true),
      offset: view.getUint32(position + 42, true),
    };
    if (!name.endsWith('/')) entries.push({ name, read: () => readEntry(bytes, view, header, budget) });
    position = nameEnd + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return entries;
}

/** It stands at the end of the file, before a comment of any length. */
function findEnd(view: DataView): number | undefined {
  const first = Math.max(0, view.byteLength - END_LENGTH - LONGEST_COMMENT);
  for (let at = view.byteLength - END_LENGTH; at >= first; at -= 1)
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  return undefined;
}

interface Header {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

function readEntry(bytes: Uint8Array, view: DataView, header: Header, budget: { left: number }): Uint8Array {
  const { name, isEncrypted, method, packed, size, offset } = header;
  const place = shown(name);
  if (isEncrypted) throw unreadable('A file in the zip is encrypted. Unpack it, and send what is in it', place);
  if ([packed, size, offset].includes(ZIP64)) throw unreadable('A file in the zip is larger than can be read', place);
  if (offset + LOCAL_LENGTH > bytes.length || view.getUint32(offset, true) !== LOCAL_SIGNATURE)
    throw unreadable('A file in the zip is damaged', place);
  const start = offset + LOCAL_LENGTH + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packed > bytes.length) throw unreadable('A file in the zip is cut off', place);
  if (size > budget.left) throw unreadable(`The files in the zip have more than ${MOST_BYTES / 1024 / 1024} MB`, place);
  if (size > SMALL_BYTES && size > packed * LARGEST_RATIO)
    throw unreadable('A file in the zip grows too much when it is unpacked', place);
  const read = unpack(bytes.subarray(start, start + packed), method, size, place);
  budget.left -= read.length;
  return read;
}

function unpack(packed: Uint8Array, method: number, size: number, place: string): Uint8Array {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw unreadable('A file in the zip is packed in an unusual way', place);
  try {
    // The size that the zip states is only a claim, so it is a limit too.
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    throw unreadable('A file in the zip is damaged', place);
  }
}

const LONGEST_NAME = 80;

const shown = (name: string): string =>
  [...name.toWellFormed().replaceAll(/\p{Cc}/gu, '')].slice(0, LONGEST_NAME).join('');

/** `Tasks.json` of `Takeout/Tasks/Tasks.json`. */
export const baseName = (path: string): string => path.split(/[/\\]/).at(-1) ?? '';
