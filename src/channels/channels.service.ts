/**
 * The channels of an account: set up, confirmed, changed and tested by their owner alone. An access token may list
 * them, without their addresses. An address is stored sealed and never returned.
 */
import type { Updateable } from 'kysely';
import { requireLiveSession } from '../db/live-session.ts';
import type { Database, Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { ReachService } from '../deliveries/reach.service.ts';
import { findReachByStage, isOff, SWITCHED_OFF } from '../deliveries/reach.ts';
import type { Audit, AuditEvent } from '../lib/audit.ts';
import type { Caller, SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { ChannelKind, ChannelProvider } from '../push/channel-provider.ts';
import { NOT_PROVEN } from '../push/gateway.ts';
import {
  type ChannelChanges,
  type ChannelInput,
  type Entered,
  enterFields,
  invalid,
  newChannel,
  settingColumns,
  switchColumns,
} from './channel-columns.ts';
import type { ChannelSenders } from './channel-senders.ts';
import {
  type Account,
  type Channel,
  deleteChannel,
  findAccount,
  findChannel,
  insertChannel,
  listChannels,
  listToldTaskIds,
  lockAccount,
  setFallbackMinutes,
  updateChannel,
} from './channels.store.ts';
import { type ConfirmationsService, isToConfirm, stepOf } from './confirmations.service.ts';

export const MOST_CHANNELS = 20;
/** More than anybody has messages about on a phone. */
const MOST_CODES = 200;
export type ChannelState = 'working' | 'unconfirmed' | 'incomplete' | 'off' | 'needs_attention' | 'not_configured';

export interface Made {
  readonly channel: Channel;
  readonly confirmation: ChannelKind['confirmation'] | 'none';
  readonly set_up: Readonly<Record<string, string>> | null;
  readonly link: string | null;
  readonly sent: string | null;
}

interface EnteredAddress {
  /** Of the kind of channel. */
  readonly title: string;
  readonly label: string;
  /** False if the channel had another address before. */
  readonly isNew: boolean;
}

interface ChannelsParts {
  readonly db: Db;
  /** Real time, because providers report on addresses in real time. */
  readonly clock: Clock;
  readonly audit: Audit;
  readonly senders: ChannelSenders;
  readonly confirmations: ConfirmationsService;
  /** Called after the commit of an address that the owner entered, or will connect. */
  readonly addressEntered: (caller: SessionCaller, address: EnteredAddress) => void;
  /** Names a task in messages that hide its title. */
  readonly codeOf: (taskId: string) => string;
  /** Whether links in messages lead to the machine of the service, and a phone cannot open them. */
  readonly hasLocalLinks: boolean;
  readonly reach: Pick<ReachService, 'load'>;
  /** Whether nudges of the account were late because the service was away, and its owner has not read about it. */
  readonly wasLate: (userId: string) => Promise<boolean>;
}

export class ChannelsService {
  readonly #parts: ChannelsParts;

  constructor(parts: ChannelsParts) {
    this.#parts = parts;
  }

  get kinds(): readonly ChannelKind[] {
    return this.#parts.senders.all.map(({ kind }) => kind);
  }

  stateOf(channel: Channel): ChannelState {
    if (!this.#isConfigured(channel)) return 'not_configured';
    if (isOff(channel)) return 'off';
    if (channel.verified_at === null) return this.#isIncomplete(channel) ? 'incomplete' : 'unconfirmed';
    const refusal = channel.refusals > 0 || channel.last_error === NOT_PROVEN;
    return channel.valid && !refusal ? 'working' : 'needs_attention';
  }

  #isConfigured({ provider }: Channel): boolean {
    return this.#parts.senders.find(provider) !== undefined;
  }

  /** It came with an import, and its owner has not entered an address yet. */
  #isIncomplete({ provider, label, verified_at }: Channel): boolean {
    const kind = this.#parts.senders.find(provider)?.kind;
    return label === '' && verified_at === null && kind !== undefined && kind.confirmation !== 'link';
  }

  async list(caller: Caller) {
    const { userId } = caller;
    const { db, reach, hasLocalLinks, wasLate } = this.#parts;
    const { fallback_minutes } = await this.#account(userId);
    const person = await reach.load(userId);
    const { unreachedStages, ...reached } = findReachByStage(person.channels, person);
    const channels = await listChannels(db, userId);
    return {
      ...reached,
      unreached_stages: [...unreachedStages],
      fallback_minutes,
      local_links: hasLocalLinks,
      was_late: await wasLate(userId),
      task_codes: await this.#listCodes(caller, channels),
      channels,
    };
  }

  /** Of tasks that a message without a title may be about. */
  async #listCodes(caller: Caller, channels: readonly Channel[]) {
    const { db, codeOf } = this.#parts;
    if (caller.kind !== 'session' || !channels.some(({ private_title }) => private_title)) return [];
    const ids = await listToldTaskIds(db, caller.userId, MOST_CODES);
    return ids.map((task_id) => ({ task_id, code: codeOf(task_id) }));
  }

  async setFallback({ userId }: SessionCaller, minutes: number): Promise<void> {
    await setFallbackMinutes(this.#parts.db, userId, minutes);
    announce(this.#parts.db, [userId]);
  }

  async create(caller: SessionCaller, input: ChannelInput, networkAddress: string): Promise<Made> {
    const { db, clock, senders, confirmations } = this.#parts;
    const provider = senders.find(input.provider);
    if (!provider) throw invalid(['body', 'provider'], 'be a kind of channel that this service offers');
    const account = await this.#account(caller.userId);
    const row = newChannel(senders, account, provider, input, clock.now());
    // Before the limit too, so that a refused address is not counted.
    await assertNew(db, caller.userId, row.hashes);
    if (!row.isConfirmed) await confirmations.limit(provider, account, row.channel, row.address);
    const channel = await transact(db, async (trx) => {
      await requireLiveSession(trx, caller);
      await lockAccount(trx, caller.userId);
      await assertNew(trx, caller.userId, row.hashes);
      const inserted = await insertChannel(trx, row.channel);
      if (!inserted) throw new AppError('channel_known');
      return inserted;
    });
    this.#record('channel_added', channel, networkAddress);
    this.#noticeAddress(caller, channel, true);
    return this.#begin(channel, provider, account, provider.setUp?.(row.address) ?? null, networkAddress);
  }

  /** Asks the owner to confirm the channel, unless they have. */
  async #begin(
    channel: Channel,
    provider: ChannelProvider,
    account: Account,
    set_up: Made['set_up'],
    networkAddress: string,
  ): Promise<Made> {
    if (channel.verified_at !== null) return { channel, confirmation: 'none', set_up, ...NOTHING_SENT };
    return this.#ask(channel, provider, account, set_up, networkAddress);
  }

  async #ask(
    channel: Channel,
    provider: ChannelProvider,
    account: Account,
    set_up: Made['set_up'],
    networkAddress: string,
  ): Promise<Made> {
    const begun = await this.#parts.confirmations.begin(channel, provider, account, networkAddress);
    // The result of the first message is stored with it.
    const current = (await findChannel(this.#parts.db, channel.id)) ?? channel;
    return { channel: current, set_up, ...begun };
  }

  /**
   * New fields are confirmed again only if they lead to another address. If the limit allows no confirmation now, the
   * new address is not stored, and the channel keeps the one it has.
   */
  async change(caller: SessionCaller, id: string, changes: ChannelChanges, networkAddress: string): Promise<Made> {
    const { db, clock, senders, confirmations } = this.#parts;
    const account = await this.#account(caller.userId);
    const channel = await this.#get(caller, id);
    const entered = changes.fields && enterFields(senders, account, channel, changes.fields);
    const isAsked = entered && (!entered.isSame || channel.verified_at === null);
    if (entered) await assertNew(db, caller.userId, entered.hashes, id);
    if (isAsked) await confirmations.limit(entered.provider, account, channel, entered.address);
    const columns = { ...entered?.columns, ...settingColumns(changes), ...switchColumns(changes, clock.now()) };
    const changed = await this.#store(caller, channel, columns, entered);
    // Another request has changed the address, so the decisions above may be wrong.
    if (!changed) return this.change(caller, id, changes, networkAddress);
    this.#record('channel_changed', changed, networkAddress);
    if (entered && !entered.isSame) this.#noticeAddress(caller, changed, false);
    if (!entered) return { channel: changed, confirmation: 'none', set_up: null, ...NOTHING_SENT };
    return this.#begin(changed, entered.provider, account, entered.setUp, networkAddress);
  }

  /** Undefined if the channel has another address by now, or is gone. Throws `channel_known`. */
  async #store(
    caller: SessionCaller,
    channel: Channel,
    columns: Updateable<Database['channels']>,
    entered: Entered | undefined,
  ) {
    const { id, user_id, address_hash } = channel;
    if (Object.keys(columns).length === 0) return channel;
    return transact(this.#parts.db, async (trx) => {
      if (entered && !entered.isSame) {
        await requireLiveSession(trx, caller);
        await lockAccount(trx, user_id);
        await assertNew(trx, user_id, entered.hashes, id);
      }
      return updateChannel(trx, id, columns, address_hash);
    });
  }

  /** A channel that the service made is switched off instead: if it were removed, the service would make it again. */
  async remove(caller: SessionCaller, id: string, networkAddress: string): Promise<void> {
    const channel = await this.#get(caller, id);
    await removeChannel(this.#parts.db, channel);
    this.#record('channel_removed', channel, networkAddress);
  }

  /** In the transaction of signing out everywhere. Returns how many ended. */
  async end(trx: Db, userId: string, ids: readonly string[]): Promise<number> {
    const chosen = (await listChannels(trx, userId)).filter(({ id }) => ids.includes(id));
    for (const channel of chosen) await removeChannel(trx, channel);
    return chosen.length;
  }

  /** The channels whose address somebody entered or connected, with the title of their kind. */
  async listEntered(userId: string, db = this.#parts.db): Promise<(Channel & { readonly title: string })[]> {
    const entered = (await listChannels(db, userId)).filter(({ address }) => address !== null);
    return entered.map((channel) => ({ ...channel, title: this.#titleOf(channel) }));
  }

  #titleOf({ provider }: Channel): string {
    return this.#parts.senders.find(provider)?.kind.title ?? provider;
  }

  async verify(caller: SessionCaller, id: string, code: string | undefined, networkAddress: string): Promise<Made> {
    const { senders, confirmations } = this.#parts;
    const account = await this.#account(caller.userId);
    const channel = await this.#get(caller, id);
    const provider = senders.find(channel.provider);
    if (!provider) throw new AppError('channel_not_reached', { sentence: NOT_OFFERED });
    if (!isToConfirm(channel)) return confirmedAs(channel);
    if (this.#isIncomplete(channel)) throw new AppError('channel_not_reached', { sentence: NO_ADDRESS });
    const step = stepOf(channel, provider);
    let confirmed: Channel | undefined;
    if (code !== undefined && step !== 'link') confirmed = await confirmations.enterCode(id, code);
    else if (step === 'answer') {
      confirmed = await confirmations.challenge(channel, provider, account, networkAddress);
      if (!confirmed) return { channel, confirmation: 'code', set_up: null, link: null, sent: 'sent' };
    }
    if (confirmed) {
      this.#record('channel_confirmed', confirmed, networkAddress);
      return confirmedAs(confirmed);
    }
    const address = senders.findAddress(channel, account.email) ?? {};
    await confirmations.limit(provider, account, channel, address);
    // Whoever opens the new link decides where the channel sends.
    if (step === 'link') this.#noticeAddress(caller, channel, false);
    return this.#ask(channel, provider, account, null, networkAddress);
  }

  #noticeAddress(caller: SessionCaller, channel: Channel, isNew: boolean): void {
    this.#parts.addressEntered(caller, { title: this.#titleOf(channel), label: channel.label, isNew });
  }

  async #get({ userId }: SessionCaller, id: string): Promise<Channel> {
    const channel = await findChannel(this.#parts.db, id, userId);
    if (!channel) throw notFound();
    return channel;
  }

  async #account(userId: string): Promise<Account> {
    const account = await findAccount(this.#parts.db, userId);
    if (!account) throw new AppError('unauthenticated');
    return account;
  }

  #record(event: AuditEvent, { id, user_id, provider }: Channel, address: string): void {
    this.#parts.audit.record(event, { result: 'ok', address, user_id, channel_id: id, provider });
  }
}

const NOTHING_SENT = { link: null, sent: null } as const;
const confirmedAs = (channel: Channel): Made => ({ channel, confirmation: 'none', set_up: null, ...NOTHING_SENT });
const NO_ADDRESS = 'It came with an import, which holds no addresses. Enter its address first.';
const NOT_OFFERED = 'The person who runs this service no longer offers this kind of channel.';

const notFound = () => new AppError('not_found', { sentence: 'There is no such channel.' });

async function removeChannel(db: Db, { id, address }: Channel): Promise<void> {
  if (address !== null) await deleteChannel(db, id);
  else await updateChannel(db, id, { valid: false, invalid_reason: SWITCHED_OFF, automatic: false });
}

/** Throws `channel_known` or `too_many_channels`. A channel that is changed does not count against itself. */
async function assertNew(db: Db, userId: string, hashes: readonly string[], changedId?: string): Promise<void> {
  const others = (await listChannels(db, userId)).filter(({ id }) => id !== changedId);
  if (others.length >= MOST_CHANNELS) throw new AppError('too_many_channels');
  if (others.some(({ address_hash }) => hashes.includes(address_hash))) throw new AppError('channel_known');
}
