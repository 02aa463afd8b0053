/**
 * The gateway of a channel's provider: opens the sealed address, writes the message, and keeps one server that hangs
 * from delaying the others. While the provider refuses the operator's credentials, nothing is sent to it.
 */

import { randomUUID } from 'node:crypto';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Breaker, POLICIES } from './breaker.ts';
import { messageId, noticeMessage, nudgeMessage, requestMessage, requestThread } from './channel-message.ts';
import {
  type Address,
  type ChannelActions,
  type ChannelMessage,
  type ChannelProvider,
  findServerOf,
  findTokenHost,
  findUnprovenTarget,
  type LinkedContent,
} from './channel-provider.ts';
import {
  type ChannelNudge,
  type ChannelPush,
  type ChannelRequest,
  type ChannelTarget,
  type DayBudget,
  type Gateway,
  type Holds,
  type MessageLimits,
  NOT_PROVEN,
  type PushResult,
} from './gateway.ts';
import { Servers } from './servers.ts';

/** The key changes when the person enters another token. */
const credentialsOf = ({ channelId, sealed }: ChannelTarget): string => `${channelId} ${sealed}`;

const NOT_HELD: PushResult = { kind: 'rejected', reason: 'cannot_hold' };

const isAwaited = ({ kind }: ChannelPush): boolean => kind === 'channel_test' || kind === 'channel_confirm';

/** How many credentials are remembered as accepted. Any other costs a look at a counter. */
const MOST_REMEMBERED = 10_000;

export interface ChannelGatewayParts {
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Throws if no key can open the address. */
  readonly openAddress: (channelId: string, sealed: string) => Address;
  readonly actionsFor: (content: LinkedContent) => ChannelActions;
  /** Names a task in messages that hide its title. */
  readonly codeOf: (taskId: string) => string;
  /** Counts a message to a host or an address that nobody has proven to be theirs. False if it gets no more today. */
  readonly allowsUnproven: (userId: string, target: string) => Promise<boolean>;
  /** Whether the host may be shown what it has not accepted yet. */
  readonly allowsToken: (userId: string, host: string, isConfirmed: boolean) => Promise<boolean>;
  readonly countRefusedToken: (userId: string, host: string) => Promise<void>;
  /** Counts a message to a server that takes so many in a day. */
  readonly countOfDay: (key: string) => Promise<void>;
}

export class ChannelGateway implements Gateway {
  readonly #provider: ChannelProvider;
  readonly #parts: ChannelGatewayParts;
  readonly #servers: Servers;
  /** Open while the provider refuses the operator's settings. */
  readonly #settings: Breaker;
  readonly #credentials: Breaker;
  /** Credentials that their server accepted last, so that the wrong ones of others never stop them. */
  readonly #accepted = new BoundedMap<string, true>(MOST_REMEMBERED);
  readonly sendWithinMs: number | undefined;
  readonly limits: MessageLimits | undefined;
  readonly isForNudgesOnly: boolean | undefined;
  readonly placesPerServer: number | undefined;
  readonly holds: Holds | undefined;

  constructor(provider: ChannelProvider, parts: ChannelGatewayParts) {
    this.#provider = provider;
    this.#parts = parts;
    const { maxInFlight, placesPerServer, sendWithinMs } = provider;
    this.sendWithinMs = sendWithinMs;
    this.limits = provider.limits;
    this.isForNudgesOnly = provider.isForNudgesOnly;
    this.placesPerServer = placesPerServer;
    this.holds = provider.holds;
    this.#servers = new Servers({ maxInFlight, placesPerServer }, parts.clock, parts.logger);
    this.#settings = new Breaker(POLICIES.provider, parts.clock);
    this.#credentials = new Breaker(POLICIES.credentials, parts.clock);
  }

  async send(push: ChannelPush, signal: AbortSignal): Promise<PushResult> {
    const address = this.#findAddress(push.target);
    if (!address) return { kind: 'rejected', reason: 'unreadable_address' };
    const destination = {
      server: findServerOf(this.#provider, address),
      // By person and not by channel: one person with many channels must not make a server look silent to others.
      recipient: push.target.userId,
      isAwaited: isAwaited(push),
    };
    const attempt = async () =>
      this.#note(push, await this.#servers.send(destination, signal, () => this.#present(push, address, signal)));
    // The breaker stops no test, so that a person who has corrected something on the server sees whether it works.
    const send = isAwaited(push) ? attempt : () => this.#credentials.guard(attempt, credentialsOf(push.target));
    return this.#settings.guard(send);
  }

  /** Tests and confirmations are counted before, where a person can be told. Taking a message back counts nothing. */
  async #allows({ kind, target: { isProven, userId } }: ChannelPush, address: Address): Promise<boolean> {
    const isCounted = kind === 'channel_nudge' || kind === 'channel_request';
    const bounded = isProven || !isCounted ? null : findUnprovenTarget(this.#provider, address);
    return bounded === null || this.#parts.allowsUnproven(userId, bounded);
  }

  refOf(push: ChannelPush): string | undefined {
    if (push.kind !== 'channel_nudge' && push.kind !== 'channel_request') return undefined;
    const { target, entryId, task } = push;
    const [stage, threadId] = push.kind === 'channel_nudge' ? [push.stage, task.id] : [0, requestThread(push)];
    return this.#provider.refFor?.({ id: messageId(entryId, target.channelId), taskId: task.id, threadId, stage });
  }

  #note({ target }: ChannelPush, result: PushResult): PushResult {
    const { logger } = this.#parts;
    const { provider } = this.#provider.kind;
    this.#credentials.note(result, credentialsOf(target));
    const change = this.#settings.note(result);
    if (change === 'closed') logger.info({ provider }, 'the provider of a channel works again');
    if (change === 'opened') {
      logger.error({ provider, result }, 'the provider of a channel refuses the settings of this service');
    }
    return result;
  }

  /** Counts refused tokens, and shows a server few of them: see `LIMITS.refusedTokens`. */
  async #present(push: ChannelPush, address: Address, signal: AbortSignal): Promise<PushResult> {
    const { allowsToken, countRefusedToken } = this.#parts;
    const { userId } = push.target;
    const key = credentialsOf(push.target);
    const host = findTokenHost(this.#provider, address);
    if (
      host !== null &&
      !this.#accepted.has(key) &&
      !(await allowsToken(userId, host, push.kind !== 'channel_confirm'))
    ) {
      return { kind: 'rejected', reason: 'refused_too_often', isHeldBack: true };
    }
    const result = await this.#deliver(push, address, signal);
    await this.#countOfDay(address, result);
    // A retraction may be accepted without a request.
    const isTakenBack = push.kind === 'channel_retract' || push.kind === 'channel_release';
    if (result.kind === 'accepted' && !isTakenBack) this.#accepted.set(key, true);
    if (result.kind === 'rejected' && result.isCredentials) {
      this.#accepted.delete(key);
      if (host !== null) await countRefusedToken(userId, host);
    }
    return result;
  }

  /** The server has counted it even if its answer was lost. A nudge does not fail because it could not be counted. */
  async #countOfDay(address: Address, result: PushResult): Promise<void> {
    const budget = this.#provider.findDayBudget?.(address);
    if (!budget || (result.kind === 'retry' && result.isUnsent)) return;
    const { countOfDay, logger } = this.#parts;
    await countOfDay(budget.key).catch((error) => logger.warn({ err: error }, 'a message of the day was not counted'));
  }

  findDayBudget({ channelId, sealed }: Pick<ChannelTarget, 'channelId' | 'sealed'>): DayBudget | null {
    if (!this.#provider.findDayBudget) return null;
    const address = this.#findAddress({ channelId, sealed, email: null });
    return address ? this.#provider.findDayBudget(address) : null;
  }

  async #deliver(push: ChannelPush, address: Address, signal: AbortSignal): Promise<PushResult> {
    const { channelId } = push.target;
    if (!(await this.#allows(push, address))) return { kind: 'rejected', reason: NOT_PROVEN };
    switch (push.kind) {
      case 'channel_nudge': {
        const code = this.#parts.codeOf(push.task.id);
        const message = this.#write(push, (actions) => nudgeMessage(push, actions, code));
        return this.#provider.send(message, address, signal);
      }
      case 'channel_request': {
        const code = this.#parts.codeOf(push.task.id);
        const message = this.#write(push, (actions) => requestMessage(push, actions, code));
        return this.#provider.send(message, address, signal);
      }
      case 'channel_retract': {
        const { refs, task, entryId, isRequest = false } = push;
        if (refs.length === 0 || !this.#provider.retract) return { kind: 'accepted' };
        const retraction = { isRequest, id: messageId(entryId, channelId), taskId: task.id, refs };
        return this.#provider.retract(retraction, address, signal);
      }
      case 'channel_hold':
        return this.#provider.hold?.(push, address, signal) ?? NOT_HELD;
      case 'channel_release':
        return this.#provider.release?.(push, address, signal) ?? NOT_HELD;
      default:
        return this.#provider.send(noticeMessage(push, randomUUID()), address, signal);
    }
  }

  /** The links in the message are marked by the title that it shows, and by the address that it goes to. */
  #write(
    { target: { channelId, addressId, isPrivate }, entryId }: ChannelNudge | ChannelRequest,
    write: (actions: ChannelActions) => ChannelMessage,
  ): ChannelMessage {
    const writeFor = (title: string | null) => write(this.#parts.actionsFor({ entryId, channelId, title, addressId }));
    const hidden = writeFor(null);
    if (isPrivate) return hidden;
    // Links of the same length, so that the message with them is cut in the same place.
    return writeFor(this.#provider.shownTitle?.(hidden) ?? hidden.title);
  }

  #findAddress({
    channelId,
    sealed,
    email,
  }: Pick<ChannelTarget, 'channelId' | 'sealed' | 'email'>): Address | undefined {
    if (sealed === null) return email === null ? undefined : { email };
    try {
      return this.#parts.openAddress(channelId, sealed);
    } catch (error) {
      this.#parts.logger.error({ err: error, channel_id: channelId }, 'the address of a channel cannot be opened');
      return undefined;
    }
  }

  capacity(): number {
    return this.#servers.capacity;
  }

  isRefused(): boolean {
    return this.#settings.isOpen();
  }

  async close(): Promise<void> {
    this.#servers.close();
  }
}
