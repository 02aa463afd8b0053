/** Sends deliveries: a `ProviderDispatch` for each configured provider, and one `ResultWriter` for all of them. */

import type { OutgoingPush, Place, PushDispatcher } from '../deliveries/outgoing-push.ts';
import { ResultWriter } from '../deliveries/result-writer.ts';
import type { BatchSize } from '../lib/batch-size.ts';
import type { Gateway, Gateways, MessageLimits, Provider } from '../push/gateway.ts';
import { ProviderDispatch, type ProviderDispatchParts } from './provider-dispatch.ts';

interface DispatchParts extends Omit<ProviderDispatchParts, 'results'> {
  readonly resultBatchSize: BatchSize;
}

export class Dispatch implements PushDispatcher {
  readonly #results: ResultWriter;
  readonly #providers: ReadonlyMap<Provider, ProviderDispatch>;

  constructor(gateways: Gateways, parts: DispatchParts) {
    this.#results = new ResultWriter(parts.db, parts.clock, parts.resultBatchSize, parts.logger, () => this.wakeUp());
    const configured = Object.entries(gateways) as [Provider, Gateway][];
    const withResults = { ...parts, results: this.#results };
    this.#providers = new Map(
      configured.map(([name, gateway]) => [name, new ProviderDispatch(name, gateway, withResults)]),
    );
  }

  start(): void {
    for (const provider of this.#providers.values()) provider.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#providers.values()].map((provider) => provider.stop()));
    await this.#results.close();
  }

  wakeUp(): void {
    for (const provider of this.#providers.values()) provider.checkOutbox();
  }

  isIdle(): boolean {
    return [...this.#providers.values()].every((provider) => provider.isIdle());
  }

  isConfigured(provider: Provider): boolean {
    return this.#providers.has(provider);
  }

  limitsOf(provider: Provider): MessageLimits | undefined {
    return this.#providers.get(provider)?.limits;
  }

  tellsRequests(provider: Provider): boolean {
    return this.#providers.get(provider)?.isForNudgesOnly === false;
  }

  reserve(provider: Provider, place: Place): boolean {
    return this.#providers.get(provider)?.reserve(place) ?? false;
  }

  release(provider: Provider, place: Place): void {
    this.#providers.get(provider)?.release(place);
  }

  send(pushes: readonly OutgoingPush[]): void {
    for (const [provider, own] of Map.groupBy(pushes, (push) => push.provider)) {
      this.#providers.get(provider)?.sendReserved(own);
    }
  }

  checkOutbox(provider: Provider): void {
    this.#providers.get(provider)?.checkOutbox();
  }
}
