/**
 * The gateway of a channel's provider: opens the sealed address, writes the message, and keeps one server that hangs
 * from delaying the others. While the provider refuses the operator's credentials, nothing is sent to it.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { messageId, noticeMessage, nudgeMessage } from './channel-message.ts';
import type { Address, ChannelActions, ChannelProvider } from './channel-provider.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { ChannelPush, ChannelTarget, Gateway, MessageLimits, PushResult } from './gateway.ts';
import { Origins } from './origins.ts';
import { toPushResult } from './push-error.ts';
import { RefusedCredentials } from './refused-credentials.ts';

const PER_ORIGIN = 4;
const REFUSED = { kind: 'rejected', reason: 'credentials_refused' } as const;

/** Others when the person enters another token. */
const credentialsOf = ({ channelId, sealed }: ChannelTarget): string => `${channelId} ${sealed}`;

export interface ChannelGatewayParts {
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Throws if no key opens it. */
  readonly openAddress: (channelId: string, sealed: string) => Address;
  readonly actionsFor: (entryId: string, channelId: string) => ChannelActions;
}

export class ChannelGateway implements Gateway {
  readonly #provider: ChannelProvider;
  readonly #parts: ChannelGatewayParts;
  readonly #origins: Origins;
  readonly #breaker: CircuitBreaker;
  readonly #refused: RefusedCredentials;
  readonly sendWithinMs: number | undefined;
  readonly limits: MessageLimits | undefined;

  constructor(provider: ChannelProvider, parts: ChannelGatewayParts) {
    this.#provider = provider;
    this.#parts = parts;
    const { maxInFlight, perOrigin = PER_ORIGIN, sendWithinMs } = provider;
    this.sendWithinMs = sendWithinMs;
    this.limits = provider.limits;
    this.#origins = new Origins({ maxInFlight, perOrigin }, parts.clock, parts.logger);
    this.#refused = new RefusedCredentials(parts.clock);
    this.#breaker = new CircuitBreaker(parts.clock, {
      isRefusal: ({ kind }) => kind === 'misconfigured',
      onClose: () => parts.logger.info({ provider: provider.kind.provider }, 'the provider of a channel works again'),
    });
  }

  async send(push: ChannelPush, signal: AbortSignal): Promise<PushResult> {
    const address = this.#findAddress(push.target);
    if (!address) return { kind: 'rejected', reason: 'unreadable_address' };
    const deliver = async () => {
      // Looked at when it is its turn: those before it may have been refused since.
      if (this.#isRefused(push)) return REFUSED;
      return this.#note(push, await this.#deliver(push, address, signal).catch(toPushResult));
    };
    // By person and not by channel: one person with many channels must not make a server look silent to others.
    const destination = { origin: this.#provider.originOf(address), recipient: push.target.userId };
    return this.#origins.send(destination, signal, () => this.#breaker.guard(deliver));
  }

  refOf(push: ChannelPush): string | undefined {
    if (push.kind !== 'channel_nudge') return undefined;
    const { target, entryId, task, stage } = push;
    return this.#provider.refFor?.({ id: messageId(entryId, target.channelId), taskId: task.id, stage });
  }

  /** A test is sent in any case: who has corrected something on the server learns whether it is right. */
  #isRefused({ kind, target }: ChannelPush): boolean {
    return (kind === 'channel_nudge' || kind === 'channel_retract') && this.#refused.isRefused(credentialsOf(target));
  }

  #note({ target }: ChannelPush, result: PushResult): PushResult {
    if (result.kind === 'accepted') this.#refused.accepted(credentialsOf(target));
    if (result.kind === 'rejected' && result.reason === REFUSED.reason) this.#refused.refused(credentialsOf(target));
    if (this.#breaker.openIfRefused(result)) {
      const { provider } = this.#provider.kind;
      this.#parts.logger.error({ provider, result }, 'the provider of a channel refuses the settings of this service');
    }
    return result;
  }

  async #deliver(push: ChannelPush, address: Address, signal: AbortSignal): Promise<PushResult> {
    const { channelId } = push.target;
    switch (push.kind) {
      case 'channel_nudge':
        return this.#provider.send(
          nudgeMessage(push, this.#parts.actionsFor(push.entryId, channelId)),
          address,
          signal,
        );
      case 'channel_retract': {
        const { refs, task, entryId } = push;
        if (refs.length === 0 || !this.#provider.retract) return { kind: 'accepted' };
        return this.#provider.retract({ id: messageId(entryId, channelId), taskId: task.id, refs }, address, signal);
      }
      default:
        return this.#provider.send(noticeMessage(push, randomUUID()), address, signal);
    }
  }

  #findAddress({ channelId, sealed, email }: ChannelTarget): Address | undefined {
    if (sealed === null) return email === null ? undefined : { email };
    try {
      return this.#parts.openAddress(channelId, sealed);
    } catch (error) {
      this.#parts.logger.error({ err: error, channel_id: channelId }, 'the address of a channel cannot be opened');
      return undefined;
    }
  }

  capacity(): number {
    return this.#origins.capacity;
  }

  isRefused(): boolean {
    return this.#breaker.isOpen;
  }

  async close(): Promise<void> {
    this.#origins.close();
  }
}
