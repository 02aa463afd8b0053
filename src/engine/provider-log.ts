/** What the log says about a push provider. */
import type { DeliveryKey } from '../deliveries/outgoing-push.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { type AnyPush, isDeviceProvider, type Provider } from '../push/gateway.ts';
import { printable } from './push-answers.ts';

const REFUSALS_EVERY_MS = 600_000;

export class ProviderLog {
  readonly #provider: Provider;
  readonly #wallClock: Clock;
  readonly #logger: Logger;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(provider: Provider, wallClock: Clock, logger: Logger) {
    this.#provider = provider;
    this.#wallClock = wallClock;
    this.#logger = logger;
  }

  failed(error: unknown, key: DeliveryKey, push: AnyPush): void {
    this.#logger.error({ err: error, ...this.#context(key, push) }, 'a push gateway failed');
  }

  /** At most one line in ten minutes, because the cause may concern all devices and not one browser alone. */
  refused(reason: string, key: DeliveryKey, push: AnyPush): void {
    const now = this.#wallClock.now().getTime();
    if (now - this.#refusedAt < REFUSALS_EVERY_MS) return;
    this.#refusedAt = now;
    const context = { ...this.#context(key, push), reason: printable(reason) };
    this.#logger.error(context, 'a push provider refuses our credentials');
  }

  /** Identifies the push target: the channel, the device, or the Live Activity for activity updates. */
  #context({ target_id, kind }: DeliveryKey, push: AnyPush) {
    const name = isDeviceProvider(this.#provider)
      ? /nudge|request|activity_start/.test(kind)
        ? 'device_id'
        : 'activity_id'
      : 'channel_id';
    return { provider: this.#provider, kind, ...('task' in push && { task_id: push.task.id }), [name]: target_id };
  }
}
