/** Handles what providers report about channels: a connected chat, a pressed button, a delivery, a dead address. */

import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { cancelWaitingTiers, hastenTier, listTierDeliveries } from '../deliveries/waiting-tiers.ts';
import { findTierToHasten } from '../escalation/fallback.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { words } from '../lib/words.ts';
import type { ChannelEvent, ChannelProvider, HookRequest } from '../push/channel-provider.ts';
import type { ActService } from './act.service.ts';
import { findByRef, setAnswered, setUndelivered } from './act.store.ts';
import type { ActTokens } from './act-token.ts';
import type { ActState } from './act-view.ts';
import type { ChannelSenders } from './channel-senders.ts';
import { findAccount, findChannel, listByAddress, updateChannel } from './channels.store.ts';
import type { ConfirmationsService } from './confirmations.service.ts';

/** What became of a link that a person opened. `expired`: nobody waits for it any more. */
export type LinkState = 'connected' | 'code_sent' | 'expired';

type Pressed = Extract<ChannelEvent, { kind: 'pressed' }>;

interface EventsParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly senders: ChannelSenders;
  readonly confirmations: ConfirmationsService;
  readonly acts: ActService;
  readonly tokens: ActTokens;
  /** A delivery of a higher tier may be due now. */
  readonly wakeUp: () => void;
}

export class EventsService {
  readonly #parts: EventsParts;

  constructor(parts: EventsParts) {
    this.#parts = parts;
  }

  /**
   * Throws `not_found` for a provider without a hook, and the provider's own error if the request is not from it.
   */
  async receive(name: string, request: HookRequest): Promise<LinkState> {
    const provider = this.#parts.senders.find(name);
    if (!provider?.hook) throw new AppError('not_found');
    return this.handle(provider, await provider.hook(request));
  }

  /** A failing event does not stop the others. Refusing the call would make the provider send all of them again. */
  async handle(provider: ChannelProvider, events: readonly ChannelEvent[]): Promise<LinkState> {
    let state: LinkState = 'connected';
    for (const event of events) {
      const result = await this.#handleOne(provider, event).catch((error: unknown) => {
        // Behind a claim is a person with a browser, who can read why.
        const isForCaller =
          error instanceof AppError && (error.code === 'database_unavailable' || event.kind === 'claimed');
        if (isForCaller) throw error;
        const { provider: name } = provider.kind;
        this.#parts.logger.error({ err: error, provider: name, kind: event.kind }, 'a report about a channel failed');
        return false;
      });
      if (event.kind === 'claimed') state = 'code_sent';
      if ((event.kind === 'linked' || event.kind === 'claimed') && result === false) state = 'expired';
    }
    return state;
  }

  async #handleOne(provider: ChannelProvider, event: ChannelEvent): Promise<unknown> {
    switch (event.kind) {
      case 'linked':
        return this.#parts.confirmations.link(provider, event.code, event.address);
      case 'claimed':
        return this.#parts.confirmations.claim(provider, event.code, event.address, event.networkAddress);
      case 'pressed':
        return this.#press(provider, event);
      case 'confirmed':
        return this.#confirm(provider, event.ref);
      case 'undelivered':
        return this.#fail(provider, event.ref, event.reason);
      case 'gone':
        return this.#end(provider, event.identity, event.reason);
    }
  }

  /** Only the recipient of a message may press its buttons. */
  async #press(provider: ChannelProvider, { action, token, from, answer }: Pressed): Promise<void> {
    const { db, senders, acts } = this.#parts;
    const key = this.#parts.tokens.read(token);
    const channel = key && (await findChannel(db, key.channelId));
    const account = channel && (await findAccount(db, channel.user_id));
    const address = account && senders.findAddress(channel, account.email);
    const isTheirs = address !== undefined && provider.identify(address) === from;
    const { state } = isTheirs ? await acts.act(token, action) : { state: 'unknown' as const };
    await answer?.(words.pressed[ANSWERS[state] ?? 'other']);
  }

  async #confirm(provider: ChannelProvider, ref: string): Promise<void> {
    const { db, clock } = this.#parts;
    await transact(db, async (trx) => {
      const delivery = await findByRef(trx, provider.kind.provider, ref);
      if (!delivery || !(await setAnswered(trx, delivery, 'confirmed_at', clock.now()))) return;
      await cancelWaitingTiers(trx, delivery);
    });
  }

  async #fail(provider: ChannelProvider, ref: string, reason: string): Promise<void> {
    await transact(this.#parts.db, async (trx) => {
      const delivery = await findByRef(trx, provider.kind.provider, ref);
      if (!delivery || delivery.confirmed_at !== null) return;
      await setUndelivered(trx, delivery, reason);
      await updateChannel(trx, delivery.target_id, { last_error: reason });
      const tier = findTierToHasten(await listTierDeliveries(trx, delivery.entry_id));
      if (tier !== undefined) await hastenTier(trx, delivery.entry_id, tier);
    });
    this.#parts.wakeUp();
  }

  async #end(provider: ChannelProvider, identity: string, reason: string): Promise<void> {
    const { db, senders } = this.#parts;
    const { provider: name } = provider.kind;
    for (const { id } of await listByAddress(db, name, senders.hashesOf(name, identity))) {
      await updateChannel(db, id, { valid: false, invalid_reason: reason, last_error: reason });
    }
  }
}

const ANSWERS: Partial<Record<ActState, keyof typeof words.pressed>> = {
  done: 'done',
  snoozed: 'snoozed',
  snoozed_held: 'snoozed_held',
  seen: 'seen',
  passed: 'passed',
  expired: 'expired',
  accepted: 'accepted',
  declined: 'declined',
  request_gone: 'request_gone',
};
