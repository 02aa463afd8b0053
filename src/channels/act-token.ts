/**
 * The tokens in links and buttons of channels. An act token names a nudge and the channel that it was sent to, and
 * proves by a keyed hash that the service made it, so no table contains it: the delivery is its record. It also carries
 * a mark of the title that its message showed, so that the page behind the link shows that title and no later one.
 * With a letter and a dot, its 62 characters just fit into the 64 bytes of a Telegram button.
 */
import type { Vault } from '../keys/vault.ts';
import { decodeBase64url, isEqualSecret } from '../lib/secrets.ts';
import type { ChannelActions } from '../push/channel-provider.ts';

const ID_BYTES = 16;
const MARK_BYTES = 4;
const MAC_BYTES = 10;
/** Links from before there were marks. They show no title, and expire after a week. */
const UNMARKED_MAC_BYTES = 12;
/** The id of a channel, and the code that was sent to it. */
const CONFIRM_TOKEN = /^c([\w-]{22})(\d{6})$/;

export interface ActKey {
  readonly entryId: string;
  readonly channelId: string;
  /** Of the title that the message showed; null if it is not known. */
  readonly mark: string | null;
}

export class ActTokens {
  readonly #vault: Vault;
  readonly #baseUrl: string;

  constructor(vault: Vault, baseUrl: string) {
    this.#vault = vault;
    this.#baseUrl = baseUrl;
  }

  /** `title` is what the message shows; null if it hides the title. */
  make(entryId: string, channelId: string, title: string | null): string {
    const mark = first(MARK_BYTES, this.#vault.hash('act title', entryId, channelId, title ?? ''));
    const mac = first(MAC_BYTES, this.#vault.hash('act', entryId, channelId, mark.toString('hex')));
    return Buffer.concat([toBytes(entryId), toBytes(channelId), mark, mac]).toString('base64url');
  }

  /** Undefined if the service did not make the token, or the key that it was made with is gone. */
  read(token: string): ActKey | undefined {
    const bytes = decodeBase64url(token);
    const isMarked = bytes?.length === 2 * ID_BYTES + MARK_BYTES + MAC_BYTES;
    if (!bytes || (!isMarked && bytes.length !== 2 * ID_BYTES + UNMARKED_MAC_BYTES)) return undefined;
    const [entryId, channelId] = [toId(bytes.subarray(0, ID_BYTES)), toId(bytes.subarray(ID_BYTES, 2 * ID_BYTES))];
    const rest = bytes.subarray(2 * ID_BYTES);
    const mark = isMarked ? rest.subarray(0, MARK_BYTES).toString('hex') : null;
    const mac = isMarked ? rest.subarray(MARK_BYTES) : rest;
    const hashes = this.#vault.hashes('act', entryId, channelId, ...(mark === null ? [] : [mark]));
    return isAmong(mac, hashes) ? { entryId, channelId, mark } : undefined;
  }

  /** The title as the message of the link showed it, perhaps cut; null if it showed none, or another one. */
  findShown({ entryId, channelId, mark }: ActKey, title: string): string | null {
    if (mark === null) return null;
    const given = Buffer.from(mark, 'hex');
    const isShown = (text: string) => isAmong(given, this.#vault.hashes('act title', entryId, channelId, text));
    if (isShown(title)) return title;
    const segments = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(title)];
    return segments.map(({ index }) => `${title.slice(0, index)}…`).find(isShown) ?? null;
  }

  actionsFor(entryId: string, channelId: string, title: string | null): ChannelActions {
    const token = this.make(entryId, channelId, title);
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
