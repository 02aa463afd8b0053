/**
 * Confirms that a channel belongs to its owner before the first nudge is sent to it: by a code that was sent there, by
 * a server that accepts a test, or by a link that the owner opened at the provider. A confirmation counts for one
 * address: if the channel got another address in the meantime, it stays unconfirmed.
 */
import { randomInt } from 'node:crypto';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { mailboxOf } from '../lib/mailbox.ts';
import { newToken } from '../lib/secrets.ts';
import { type Address, type ChannelProvider, findServerOf } from '../push/channel-provider.ts';
import type { PushResult } from '../push/gateway.ts';
import type { ActTokens } from './act-token.ts';
import type { ChannelSenders } from './channel-senders.ts';
import {
  type Account,
  type Channel,
  deleteChannel,
  deleteCode,
  findByCode,
  findChannel,
  listByAddress,
  saveCode,
  tryCode,
  updateChannel,
} from './channels.store.ts';
import { explainProblem } from './problem-text.ts';

const CODE_LIFETIME_MS = 30 * 60_000;
const MOST_TRIES = 5;
const CODE_PURPOSE = 'channel code';
const LINK_PURPOSE = 'channel link';

export interface Begun {
  readonly link: string | null;
  /** `sent`, or why the code was not sent, in a sentence; null if there is no code to send. */
  readonly sent: string | null;
}

interface ConfirmationParts {
  readonly db: Db;
  /** Real time, because the codes protect an address. */
  readonly clock: Clock;
  readonly vault: Vault;
  readonly senders: ChannelSenders;
  readonly tokens: ActTokens;
  readonly limit: (userId: string, address: string, isOwn: boolean) => Promise<void>;
}

export class ConfirmationsService {
  readonly #parts: ConfirmationParts;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  /** Sends a code or makes a link. For a server that must accept a test, nothing: its owner sets it up first. */
  async begin(channel: Channel, provider: ChannelProvider, account: Account): Promise<Begun> {
    switch (provider.kind.confirmation) {
      case 'code':
        return this.#sendCode(channel, account);
      case 'link':
        return this.#makeLink(channel, provider);
      case 'answer':
        return { link: null, sent: null };
    }
  }

  /** Counts the confirmation that `begin` will send. Throws `too_many_requests`; called before anything is stored. */
  async limit(provider: ChannelProvider, account: Account, channelId: string, address: Address): Promise<void> {
    const { confirmation, provider: name } = provider.kind;
    if (confirmation === 'link') return this.#parts.limit(account.id, channelId, false);
    if (confirmation === 'answer') return;
    const identity = provider.identify(address);
    const isOwn = account.email !== null && mailboxOf(identity) === mailboxOf(account.email);
    await this.#parts.limit(account.id, `${name} ${mailboxOf(identity)}`, isOwn);
  }

  async #sendCode(channel: Channel, account: Account): Promise<Begun> {
    const code = String(randomInt(0, 1_000_000)).padStart(6, '0');
    await this.#save(channel.id, this.#parts.vault.hash(CODE_PURPOSE, channel.id, channel.address_hash, code));
    const confirm = { code, url: this.#parts.tokens.confirmUrl(channel.id, code) };
    const result = await this.#parts.senders.notify(channel, account.email, { kind: 'channel_confirm', confirm });
    await this.recordResult(channel, result);
    return { link: null, sent: result.kind === 'accepted' ? 'sent' : explainProblem(result.reason) };
  }

  async #makeLink(channel: Channel, provider: ChannelProvider): Promise<Begun> {
    const code = newToken('');
    await this.#save(channel.id, this.#parts.vault.hash(LINK_PURPOSE, code));
    return { link: (await provider.linkFor?.(code)) ?? null, sent: null };
  }

  async #save(channel_id: string, code_hash: string): Promise<void> {
    const expires_at = new Date(this.#parts.clock.now().getTime() + CODE_LIFETIME_MS);
    await saveCode(this.#parts.db, { channel_id, code_hash, tries: 0, expires_at });
  }

  /** Throws `wrong_channel_code`. A code works once, and a few wrong ones end it. */
  async enterCode(channelId: string, code: string): Promise<Channel> {
    const channel = await findChannel(this.#parts.db, channelId);
    if (!channel) throw new AppError('wrong_channel_code');
    const stored = await tryCode(this.#parts.db, channelId, MOST_TRIES, this.#parts.clock.now());
    const hashes = this.#parts.vault.hashes(CODE_PURPOSE, channelId, channel.address_hash, code);
    const isRight = stored !== undefined && hashes.includes(stored);
    const confirmed = isRight ? await this.#confirm(channel) : undefined;
    if (!confirmed) throw new AppError('wrong_channel_code');
    return confirmed;
  }

  /** Throws `channel_not_reached` if the server does not accept the test, or the channel has another server by now. */
  async testServer(channel: Channel, account: Account): Promise<Channel> {
    const result = await this.#parts.senders.notify(channel, account.email, { kind: 'channel_test', confirm: null });
    await this.recordResult(channel, result);
    if (result.kind !== 'accepted') {
      throw new AppError('channel_not_reached', { sentence: explainProblem(result.reason) });
    }
    const confirmed = await this.#confirm(channel);
    if (!confirmed) throw new AppError('channel_not_reached');
    return confirmed;
  }

  /** Called when the provider says who opened the link. False if the code is unknown or expired. */
  async link(provider: ChannelProvider, code: string, address: Address): Promise<boolean> {
    const { provider: name } = provider.kind;
    const hashes = this.#parts.senders.hashesOf(name, provider.identify(address));
    return transact(this.#parts.db, async (trx) => {
      const channel = await findByCode(trx, this.#parts.vault.hashes(LINK_PURPOSE, code), this.#parts.clock.now());
      if (channel?.provider !== name) return false;
      const known = (await listByAddress(trx, name, hashes)).find(({ user_id }) => user_id === channel.user_id);
      // The person has connected the same chat again: the older channel keeps its place and its settings.
      if (known && known.id !== channel.id) await deleteChannel(trx, channel.id);
      const { id } = known ?? channel;
      await updateChannel(trx, id, {
        address: this.#parts.senders.seal(id, address),
        address_hash: hashes[0],
        server: findServerOf(provider, address),
        label: provider.label(address),
        ...this.#confirmedFields(),
      });
      await deleteCode(trx, id);
      return true;
    });
  }

  async #confirm({ id, address_hash }: Channel): Promise<Channel | undefined> {
    return transact(this.#parts.db, async (trx) => {
      const confirmed = await updateChannel(trx, id, this.#confirmedFields(), address_hash);
      if (confirmed) await deleteCode(trx, id);
      return confirmed;
    });
  }

  #confirmedFields() {
    const now = this.#parts.clock.now();
    return { verified_at: now, registered_at: now, valid: true, invalid_reason: null, refusals: 0, last_error: null };
  }

  /** The owner's view of the result. An address that the provider calls dead is not tried again. */
  async recordResult({ id, address_hash }: Channel, result: PushResult): Promise<void> {
    await updateChannel(this.#parts.db, id, columnsAfter(result), address_hash);
  }
}

function columnsAfter(result: PushResult) {
  if (result.kind === 'accepted') return { last_error: null, refusals: 0 };
  const { kind, reason } = result;
  return kind === 'gone' ? { last_error: reason, valid: false, invalid_reason: reason } : { last_error: reason };
}
