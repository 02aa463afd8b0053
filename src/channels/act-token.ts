/**
 * The tokens in links and buttons of channels. An act token names a nudge and the channel that it was sent to, and
 * proves by a keyed hash that the service made it, so no table contains it: the delivery is its record. It has 59
 * characters, which with a letter and a dot fit into the 64 bytes of a Telegram button.
 */
import type { Vault } from '../keys/vault.ts';
import { isEqualSecret } from '../lib/secrets.ts';
import type { ChannelActions } from '../push/channel-provider.ts';

const MAC_BYTES = 12;
const ACT_TOKEN = /^[\w-]{59}$/;
/** The id of a channel, and the code that was sent to it. */
const CONFIRM_TOKEN = /^c([\w-]{22})(\d{6})$/;

export interface ActKey {
  readonly entryId: string;
  readonly channelId: string;
}

export class ActTokens {
  readonly #vault: Vault;
  readonly #baseUrl: string;

  constructor(vault: Vault, baseUrl: string) {
    this.#vault = vault;
    this.#baseUrl = baseUrl;
  }

  make(entryId: string, channelId: string): string {
    const mac = macOf(this.#vault.hash('act', entryId, channelId));
    return Buffer.concat([toBytes(entryId), toBytes(channelId), mac]).toString('base64url');
  }

  /** Undefined if the service did not make the token, or the key that it was made with is gone. */
  read(token: string): ActKey | undefined {
    if (!ACT_TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const [entryId, channelId] = [toId(bytes.subarray(0, 16)), toId(bytes.subarray(16, 32))];
    const mac = bytes.subarray(32).toString('base64url');
    const hashes = this.#vault.hashes('act', entryId, channelId);
    const isOurs = hashes.map((hash) => isEqualSecret(macOf(hash).toString('base64url'), mac)).includes(true);
    return isOurs ? { entryId, channelId } : undefined;
  }

  actionsFor(entryId: string, channelId: string): ChannelActions {
    const token = this.make(entryId, channelId);
    const page = `${this.#baseUrl}/a/${token}`;
    return {
      token,
      page,
      done: `${page}?do=done`,
      snooze: `${page}?do=snooze`,
      seen: `${page}?do=seen`,
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
  return id === '' ? undefined : { channelId: toId(Buffer.from(id, 'base64url')), code };
}

const macOf = (hash: string): Buffer => Buffer.from(hash, 'base64url').subarray(0, MAC_BYTES);

const toBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const toId = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
