/** Deliveries become pushes: a lane for each provider that is configured, and one ledger for all of them. */
import type { Gateway, Gateways, Provider } from '../push/gateway.ts';
import { Lane, type LaneParts } from './lane.ts';
import { Ledger } from './ledger.ts';
import type { Pace } from './pace.ts';
import type { Dock, Shipment } from './shipment.ts';

export class Dispatch implements Dock {
  readonly #ledger: Ledger;
  readonly #lanes: ReadonlyMap<Provider, Lane>;

  constructor(gateways: Gateways, parts: Omit<LaneParts, 'ledger'> & { readonly ledgerPace: Pace }) {
    this.#ledger = new Ledger(parts.db, parts.clock, parts.ledgerPace, parts.logger);
    const configured = Object.entries(gateways) as [Provider, Gateway][];
    const withLedger = { ...parts, ledger: this.#ledger };
    this.#lanes = new Map(configured.map(([name, gateway]) => [name, new Lane(name, gateway, withLedger)]));
  }

  start(): void {
    for (const lane of this.#lanes.values()) lane.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.stop()));
    await this.#ledger.close();
  }

  wakeUp(): void {
    for (const lane of this.#lanes.values()) lane.look();
  }

  isIdle(): boolean {
    return [...this.#lanes.values()].every((lane) => lane.isIdle());
  }

  reserve(provider: Provider): boolean | undefined {
    return this.#lanes.get(provider)?.reserve();
  }

  release(provider: Provider): void {
    this.#lanes.get(provider)?.release();
  }

  ship(shipments: readonly Shipment[]): void {
    for (const [provider, own] of Map.groupBy(shipments, (shipment) => shipment.provider)) {
      this.#lanes.get(provider)?.ship(own);
    }
  }

  look(provider: Provider): void {
    this.#lanes.get(provider)?.look();
  }
}
