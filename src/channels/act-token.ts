/**
 * The tokens in links and buttons of channels. An act token names a nudge and the channel that it was sent to, and
 * proves by a keyed hash that the service made it, so no table contains it: the delivery is its record. It also carries
 * a mark of the title that its message showed, so that the page behind the link shows that title and no later one, and
 * a mark of the address that its message went to, so that it ends when the channel gets another address.
 * With a letter and a dot, its 62 characters just fit into the 64 bytes of a Telegram button.
 */
import type { Vault } from '../keys/vault.ts';
import { decodeBase64url, isEqualSecret } from '../lib/secrets.ts';
import type { ChannelActions, LinkedContent } from '../push/channel-provider.ts';

const ID_BYTES = 16;

/** How the bytes after the two ids are used. A token is of the form whose keyed hash it ends with. */
interface Form {
  readonly purpose: string;
  readonly titleBytes: number;
  readonly addressBytes: number;
  readonly macBytes: number;
}

const FORM: Form = { purpose: 'act link', titleBytes: 3, addressBytes: 3, macBytes: 8 };
const FORMS: readonly Form[] = [
  FORM,
  /** Links from before there were marks of addresses. They expire after a week. */
  { purpose: 'act', titleBytes: 4, addressBytes: 0, macBytes: 10 },
  /** Links from before there were marks. They show no title. */
  { purpose: 'act', titleBytes: 0, addressBytes: 0, macBytes: 12 },
];
/** The id of a channel, and the code that was sent to it. */
const CONFIRM_TOKEN = /^c([\w-]{22})(\d{6})$/;

export interface ActKey {
  readonly entryId: string;
  readonly channelId: string;
  /** Of the title that the message showed; null if it is not known. */
  readonly titleMark: string | null;
  /** Of the address that the message went to; null if it is not known. */
  readonly addressMark: string | null;
}

export class ActTokens {
  readonly #vault: Vault;
  readonly #baseUrl: string;

  constructor(vault: Vault, baseUrl: string) {
    this.#vault = vault;
    this.#baseUrl = baseUrl;
  }

  make({ entryId, channelId, title, addressId }: LinkedContent): string {
    const marks = Buffer.concat([
      first(FORM.titleBytes, this.#vault.hash('act title', entryId, channelId, title ?? '')),
      first(FORM.addressBytes, this.#vault.hash('act address', entryId, channelId, addressId)),
    ]);
    const mac = first(FORM.macBytes, this.#vault.hash(FORM.purpose, entryId, channelId, marks.toString('hex')));
    return Buffer.concat([toBytes(entryId), toBytes(channelId), marks, mac]).toString('base64url');
  }

  /** Undefined if the service did not make the token, or the key that it was made with is gone. */
  read(token: string): ActKey | undefined {
    const bytes = decodeBase64url(token);
    if (!bytes) return undefined;
    const [entryId, channelId] = [toId(bytes.subarray(0, ID_BYTES)), toId(bytes.subarray(ID_BYTES, 2 * ID_BYTES))];
    const rest = bytes.subarray(2 * ID_BYTES);
    for (const { purpose, titleBytes, addressBytes, macBytes } of FORMS) {
      const markBytes = titleBytes + addressBytes;
      if (rest.length !== markBytes + macBytes) continue;
      const marks = rest.toString('hex', 0, markBytes);
      const hashes = this.#vault.hashes(purpose, entryId, channelId, ...(marks === '' ? [] : [marks]));
      if (!isAmong(rest.subarray(markBytes), hashes)) continue;
      const titleMark = rest.toString('hex', 0, titleBytes) || null;
      return { entryId, channelId, titleMark, addressMark: rest.toString('hex', titleBytes, markBytes) || null };
    }
    return undefined;
  }

  /** Whether the message of the link went to this address. Under every key, because a link outlives a rotation. */
  isTo({ entryId, channelId, addressMark }: ActKey, addressId: string): boolean {
    if (addressMark === null) return false;
    const hashes = this.#vault.hashes('act address', entryId, channelId, addressId);
    return isAmong(Buffer.from(addressMark, 'hex'), hashes);
  }

  /** The title as the message of the link showed it, perhaps cut; null if it showed none, or another one. */
  findShown({ entryId, channelId, titleMark }: ActKey, title: string): string | null {
    if (titleMark === null) return null;
    const given = Buffer.from(titleMark, 'hex');
    const isShown = (text: string) => isAmong(given, this.#vault.hashes('act title', entryId, channelId, text));
    if (isShown(title)) return title;
    const segments = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(title)];
    return segments.map(({ index }) => `${title.slice(0, index)}…`).find(isShown) ?? null;
  }

  actionsFor(content: LinkedContent): ChannelActions {
    const token = this.make(content);
    const page = `${this.#baseUrl}/a/${token}`;
    return {
      token,
      page,
      done: `${page}?do=done`,
      snooze: `${page}?do=snooze`,
      seen: `${page}?do=seen`,
      accept: `${page}?do=accept`,
      decline: `${page}?do=decline`,
      stop: `${page}?do=stop`,
    };
  }

  confirmUrl(channelId: string, code: string): string {
    return `${this.#baseUrl}/a/c${toBytes(channelId).toString('base64url')}${code}`;
  }
}

/** Undefined if the text is not the token of a confirm link. Does not check the code in it. */
export function readConfirmToken(token: string): { readonly channelId: string; readonly code: string } | undefined {
  const [, id = '', code = ''] = CONFIRM_TOKEN.exec(token) ?? [];
  const bytes = id === '' ? undefined : decodeBase64url(id);
  return bytes && { channelId: toId(bytes), code };
}

const first = (count: number, hash: string): Buffer => Buffer.from(hash, 'base64url').subarray(0, count);

/** Whether the bytes are the first of one of the hashes. All are compared, so that timing reveals nothing. */
const isAmong = (given: Buffer, hashes: readonly string[]): boolean =>
  hashes.map((hash) => isEqualSecret(first(given.length, hash).toString('hex'), given.toString('hex'))).includes(true);

const toBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const toId = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
