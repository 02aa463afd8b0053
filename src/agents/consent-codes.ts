/**
 * The code that a dry run gives, and without which a bulk change does nothing. Nothing is stored for it: it proves by a
 * keyed hash that the dry run was for this caller, this action and exactly these tasks, and it has a mark of the state of
 * each task, so that what changed since can be left out.
 */
import { decodeBase64url, isEqualSecret } from '../lib/secrets.ts';

/** Keyed hashes: the first key makes them, and all of them are accepted. */
export interface KeyedHashes {
  hash(purpose: string, ...parts: readonly string[]): string;
  hashes(purpose: string, ...parts: readonly string[]): string[];
}

export interface BulkChange {
  /** The account and the access token. */
  readonly caller: string;
  readonly action: string;
  /** The state of each task by its id, as text. */
  readonly states: ReadonlyMap<string, string>;
}

const LIVES_MS = 10 * 60_000;
const TIME_BYTES = 6;
const MARK_BYTES = 3;
const MAC_BYTES = 10;

export class ConsentCodes {
  readonly #hashes: KeyedHashes;

  constructor(hashes: KeyedHashes) {
    this.#hashes = hashes;
  }

  make(change: BulkChange, now: Date): string {
    const expires = Buffer.alloc(TIME_BYTES);
    expires.writeUIntBE(now.getTime() + LIVES_MS, 0, TIME_BYTES);
    const marks = idsOf(change).map((id) => first(MARK_BYTES, this.#hashes.hash(...markParts(expires, change, id))));
    const signed = Buffer.concat([expires, ...marks]);
    const mac = first(MAC_BYTES, this.#hashes.hash(...macParts(signed, change)));
    return Buffer.concat([signed, mac]).toString('base64url');
  }

  /** The ids of the tasks that changed since the dry run; undefined if the code is not for this change, or too old. */
  read(code: string, change: BulkChange, now: Date): string[] | undefined {
    const ids = idsOf(change);
    const bytes = decodeBase64url(code);
    if (bytes?.length !== TIME_BYTES + ids.length * MARK_BYTES + MAC_BYTES) return undefined;
    const signed = bytes.subarray(0, -MAC_BYTES);
    if (!isAmong(bytes.subarray(-MAC_BYTES), this.#hashes.hashes(...macParts(signed, change)))) return undefined;
    const expires = signed.subarray(0, TIME_BYTES);
    if (expires.readUIntBE(0, TIME_BYTES) < now.getTime()) return undefined;
    return ids.filter((id, index) => {
      const start = TIME_BYTES + index * MARK_BYTES;
      const mark = signed.subarray(start, start + MARK_BYTES);
      return !isAmong(mark, this.#hashes.hashes(...markParts(expires, change, id)));
    });
  }
}

type Parts = [purpose: string, ...parts: string[]];

const idsOf = ({ states }: BulkChange): string[] => [...states.keys()].sort();

const markParts = (expires: Buffer, { states }: BulkChange, id: string): Parts => [
  'bulk change task',
  expires.toString('hex'),
  id,
  states.get(id) ?? '',
];

const macParts = (signed: Buffer, change: BulkChange): Parts => [
  'bulk change',
  change.caller,
  change.action,
  signed.toString('hex'),
  ...idsOf(change),
];

const first = (count: number, hash: string): Buffer => Buffer.from(hash, 'base64url').subarray(0, count);

const isAmong = (given: Buffer, hashes: readonly string[]): boolean =>
  hashes.map((hash) => isEqualSecret(first(given.length, hash).toString('hex'), given.toString('hex'))).includes(true);
