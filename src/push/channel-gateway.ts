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
import type { ChannelPush, ChannelTarget, Gateway, PushResult } from './gateway.ts';
import { Origins } from './origins.ts';
import { toPushResult } from './push-error.ts';

const PER_ORIGIN = 4;

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
  readonly sendWithinMs: number | undefined;

  constructor(provider: ChannelProvider, parts: ChannelGatewayParts) {
    this.#provider = provider;
    this.#parts = parts;
    const { maxInFlight, perOrigin = PER_ORIGIN, sendWithinMs } = provider;
    this.sendWithinMs = sendWithinMs;
    this.#origins = new Origins({ maxInFlight, perOrigin }, parts.clock, parts.logger);
    this.#breaker = new CircuitBreaker(parts.clock, {
      isRefusal: ({ kind }) => kind === 'misconfigured',
      onClose: () => parts.logger.info({ provider: provider.kind.provider }, 'the provider of a channel works again'),
    });
  }

  async send(push: ChannelPush, signal: AbortSignal): Promise<PushResult> {
    const address = this.#findAddress(push.target);
    if (!address) return { kind: 'rejected', reason: 'unreadable_address' };
    const deliver = async () => this.#noteRefusal(await this.#deliver(push, address, signal).catch(toPushResult));
    // By person and not by channel: one person with many channels must not make a server look silent to others.
    const destination = { origin: this.#provider.originOf(address), recipient: push.target.userId };
    return this.#origins.send(destination, signal, () => this.#breaker.guard(deliver));
  }

  refOf(push: ChannelPush): string | undefined {
    if (push.kind !== 'channel_nudge') return undefined;
    const { target, entryId, task, stage } = push;
    return this.#provider.refFor?.({ id: messageId(entryId, target.channelId), taskId: task.id, stage });
  }

  #noteRefusal(result: PushResult): PushResult {
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
