/**
 * Confirms that a channel belongs to its owner before the first nudge is sent to it: by a code that was sent there, by
 * a receiver that returns a challenge, or by a link that the owner opened at the provider. A confirmation counts for one
 * address: if the channel got another address in the meantime, it stays unconfirmed.
 */
import { randomInt } from 'node:crypto';
import type { Db } from '../db/schema.ts';
import type { ChannelProof } from '../db/tables/deliveries.ts';
import { transact } from '../db/transact.ts';
import { isUnproven } from '../deliveries/outgoing-push.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { mailboxOf } from '../lib/mailbox.ts';
import { networkOf } from '../lib/network.ts';
import { newToken } from '../lib/secrets.ts';
import {
  type Address,
  type ChannelKind,
  type ChannelProvider,
  findEnteredHost,
  findServerOf,
} from '../push/channel-provider.ts';
import type { PushResult } from '../push/gateway.ts';
import type { ActTokens } from './act-token.ts';
import { MAIL } from './channel-columns.ts';
import type { ChannelSenders } from './channel-senders.ts';
import {
  type Account,
  type Channel,
  deleteChannel,
  deleteCode,
  findAccount,
  findByCode,
  findChannel,
  listChannels,
  lockByAddress,
  saveCode,
  tryCode,
  updateChannel,
} from './channels.store.ts';
import { explainProblem } from './problem-text.ts';
import { workingChannel } from './working-channel.ts';

const CODE_LIFETIME_MS = 30 * 60_000;
const MOST_TRIES = 5;
const CODE_PURPOSE = 'channel code';
const LINK_PURPOSE = 'channel link';
/** An account this young may be one of many that somebody made today. */
const NEW_ACCOUNT_MS = 86_400_000;
/** A family shares a Home Assistant. More accounts than this are no family. */
const MOST_ACCOUNTS_PER_ADDRESS = 10;

/** What the owner of a channel does next to confirm it. */
export type Step = ChannelKind['confirmation'];

export interface Begun {
  readonly confirmation: Step;
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
  readonly limits: {
    confirmations(userId: string, address: string, isOwn: boolean): Promise<void>;
    challenges(userId: string): Promise<void>;
    /** For a host or an address that nobody has proven to be theirs. */
    unproven(userId: string, target: string): Promise<void>;
  };
}

/** A link that names an address, which only a browser vouches for, is followed by a code. */
export const stepOf = ({ label }: Pick<Channel, 'label'>, { kind }: ChannelProvider): Step =>
  kind.confirmation === 'link' && label !== '' ? 'code' : kind.confirmation;

export class ConfirmationsService {
  readonly #parts: ConfirmationParts;

  constructor(parts: ConfirmationParts) {
    this.#parts = parts;
  }

  /** Sends a code or makes a link. For a server that must answer, nothing: its owner sets it up first. */
  async begin(channel: Channel, provider: ChannelProvider, account: Account, networkAddress: string): Promise<Begun> {
    const confirmation = stepOf(channel, provider);
    if (confirmation === 'answer') return { confirmation, link: null, sent: null };
    if (confirmation === 'link') return { confirmation, link: await this.#makeLink(channel, provider), sent: null };
    const result = await this.#send(channel, account, networkAddress);
    const sent = result.kind === 'accepted' ? 'sent' : explainProblem(result.reason);
    return { confirmation, link: null, sent };
  }

  /** Counts what `begin` will send. Throws `too_many_requests`; called before anything is stored. */
  async limit(
    provider: ChannelProvider,
    account: Account,
    channel: Pick<Channel, 'id' | 'label'>,
    address: Address,
  ): Promise<void> {
    const { limits } = this.#parts;
    const step = stepOf(channel, provider);
    if (step === 'answer') return;
    if (step === 'link') return limits.confirmations(account.id, channel.id, false);
    const { provider: name } = provider.kind;
    const identity = provider.identify(address);
    const mailbox = name === MAIL ? mailboxOf(identity) : identity;
    const isOwn = name === MAIL && account.email !== null && mailbox === mailboxOf(account.email);
    // First, because a host that others have used up must cost nothing of the account's own.
    await this.limitUnproven(account.id, findEnteredHost(provider, address));
    await limits.confirmations(account.id, `${name} ${mailbox}`, isOwn);
  }

  /** Counts a message to a host or an address that nobody has proven to be theirs. Null if it has no bound. */
  async limitUnproven(userId: string, target: string | null): Promise<void> {
    if (target !== null) await this.#parts.limits.unproven(userId, target);
  }

  async #send(channel: Channel, account: Account, networkAddress: string): Promise<PushResult> {
    const code = String(randomInt(0, 1_000_000)).padStart(6, '0');
    await this.#save(channel.id, this.#parts.vault.hash(CODE_PURPOSE, channel.id, channel.address_hash, code));
    const channels = await listChannels(this.#parts.db, account.id);
    const hasConfirmed = channels.some((other) => other.provider === channel.provider && !isToConfirm(other));
    const ageMs = this.#parts.clock.now().getTime() - account.created_at.getTime();
    const confirm = {
      code,
      url: this.#parts.tokens.confirmUrl(channel.id, code),
      challenge: newToken(''),
      asker: { network: networkOf(networkAddress), isNewAccount: ageMs < NEW_ACCOUNT_MS, hasConfirmed },
    };
    const result = await this.#parts.senders.notify(channel, account.email, { kind: 'channel_confirm', confirm });
    await this.recordResult(channel, result);
    return result;
  }

  async #makeLink(channel: Channel, provider: ChannelProvider): Promise<string | null> {
    const code = newToken('');
    await this.#save(channel.id, this.#parts.vault.hash(LINK_PURPOSE, code));
    return (await provider.linkFor?.(code)) ?? null;
  }

  async #save(channel_id: string, code_hash: string): Promise<void> {
    const expires_at = new Date(this.#parts.clock.now().getTime() + CODE_LIFETIME_MS);
    await saveCode(this.#parts.db, { channel_id, code_hash, tries: 0, expires_at });
  }

  /** Throws `wrong_channel_code` or `channel_crowded`. A code works once, and a few wrong ones end it. */
  async enterCode(channelId: string, code: string): Promise<Channel> {
    const channel = await findChannel(this.#parts.db, channelId);
    if (!channel) throw new AppError('wrong_channel_code');
    const stored = await tryCode(this.#parts.db, channelId, MOST_TRIES, this.#parts.clock.now());
    const hashes = this.#parts.vault.hashes(CODE_PURPOSE, channelId, channel.address_hash, code);
    const isRight = stored !== undefined && hashes.includes(stored);
    const confirmed = isRight ? await this.#confirm(channel, 'code') : undefined;
    if (!confirmed) throw new AppError('wrong_channel_code');
    return confirmed;
  }

  /**
   * Returns the confirmed channel, or undefined if the server accepted the request without returning its challenge: then
   * the code in the request confirms the channel. Throws `channel_not_reached` if the server refuses it, or the channel
   * has another server by now.
   */
  async challenge(
    channel: Channel,
    provider: ChannelProvider,
    account: Account,
    networkAddress: string,
  ): Promise<Channel | undefined> {
    const { limits, senders } = this.#parts;
    const address = senders.findAddress(channel, account.email) ?? {};
    await this.limitUnproven(account.id, findEnteredHost(provider, address));
    await limits.challenges(account.id);
    const result = await this.#send(channel, account, networkAddress);
    if (result.kind !== 'accepted') {
      throw new AppError('channel_not_reached', { sentence: explainProblem(result.reason) });
    }
    if (!result.isEchoed) return undefined;
    const confirmed = await this.#confirm(channel, 'echo');
    if (!confirmed) throw new AppError('channel_not_reached');
    return confirmed;
  }

  /** Called when the provider says who opened the link. False if the code is unknown or expired. */
  async link(provider: ChannelProvider, code: string, address: Address): Promise<boolean> {
    return (await this.#connect(provider, code, address, 'link')) !== undefined;
  }

  /** Called when a browser says so: the address gets a code. False if the link is unknown or expired. */
  async claim(provider: ChannelProvider, code: string, address: Address, networkAddress: string): Promise<boolean> {
    const channel = await this.#findLinked(this.#parts.db, provider, code);
    const account = channel && (await findAccount(this.#parts.db, channel.user_id));
    if (!account) return false;
    await this.limit(provider, account, { id: channel.id, label: provider.label(address) }, address);
    const connected = await this.#connect(provider, code, address, null);
    if (connected && isToConfirm(connected)) await this.#send(connected, account, networkAddress);
    return connected !== undefined;
  }

  async #findLinked(db: Db, { kind }: ChannelProvider, code: string): Promise<Channel | undefined> {
    const channel = await findByCode(db, this.#parts.vault.hashes(LINK_PURPOSE, code), this.#parts.clock.now());
    return channel?.provider === kind.provider ? channel : undefined;
  }

  async #connect(provider: ChannelProvider, code: string, address: Address, proof: 'link' | null) {
    const { provider: name } = provider.kind;
    const hashes = this.#parts.senders.hashesOf(name, provider.identify(address));
    return transact(this.#parts.db, async (trx) => {
      const channel = await this.#findLinked(trx, provider, code);
      if (!channel) return undefined;
      const sharing = await lockByAddress(trx, name, hashes);
      if (isCrowded(sharing, channel)) return undefined;
      const known = sharing.find(({ user_id }) => user_id === channel.user_id);
      // The person has connected the same chat again: the older channel keeps its place and its settings.
      if (known && known.id !== channel.id) await deleteChannel(trx, channel.id);
      const { id } = known ?? channel;
      const proven_by = proof ?? known?.proven_by ?? null;
      const now = this.#parts.clock.now();
      const connected = await updateChannel(trx, id, {
        address: this.#parts.senders.seal(id, address),
        // The links in its messages know the address by its hash, so it stays also after a rotation of the keys.
        address_hash: known?.address_hash ?? hashes[0],
        server: findServerOf(provider, address),
        label: provider.label(address),
        ...workingChannel(now),
        verified_at: proven_by && now,
        proven_by,
      });
      await deleteCode(trx, id);
      return connected;
    });
  }

  /** Throws `channel_crowded`. A channel that was used before keeps its `verified_at`, which its older links depend on. */
  async #confirm(channel: Channel, proven_by: ChannelProof): Promise<Channel | undefined> {
    const { id, address_hash, provider: name } = channel;
    const now = this.#parts.clock.now();
    return transact(this.#parts.db, async (trx) => {
      if (isCrowded(await lockByAddress(trx, name, this.#hashesOf(channel)), channel)) {
        throw new AppError('channel_crowded');
      }
      const columns = { ...workingChannel(now), verified_at: channel.verified_at ?? now, proven_by };
      const confirmed = await updateChannel(trx, id, columns, address_hash);
      if (confirmed) await deleteCode(trx, id);
      return confirmed;
    });
  }

  /** The address under every key: another account's channel may have been hashed with a former one. */
  #hashesOf(channel: Channel): readonly string[] {
    const { senders } = this.#parts;
    const provider = senders.find(channel.provider);
    const address = senders.findAddress(channel, null);
    return provider && address
      ? senders.hashesOf(channel.provider, provider.identify(address))
      : [channel.address_hash];
  }

  /** The owner's view of the result. An address that the provider calls dead is not tried again. */
  async recordResult({ id, address_hash, refusals }: Channel, result: PushResult): Promise<void> {
    await updateChannel(this.#parts.db, id, columnsAfter(result, refusals), address_hash);
  }
}

export const isToConfirm = (channel: Channel): boolean => channel.verified_at === null || isUnproven(channel);

/** Channels that were never proven do not count: strangers could keep an owner from their own address with them. */
const isCrowded = (sharing: readonly Channel[], { user_id }: Channel): boolean =>
  sharing.filter((other) => other.user_id !== user_id && !isToConfirm(other)).length >= MOST_ACCOUNTS_PER_ADDRESS;

function columnsAfter(result: PushResult, refusals: number) {
  if (result.kind === 'accepted') return { last_error: null, refusals: 0 };
  const { kind, reason } = result;
  if (kind === 'gone') return { last_error: reason, valid: false, invalid_reason: reason };
  const isRefused = kind === 'rejected' && (result.isCredentials || result.isHeldBack);
  // A test alone stops no channel: that takes several nudges.
  return { last_error: reason, ...(isRefused && { refusals: Math.max(refusals, 1) }) };
}
