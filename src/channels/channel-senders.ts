/** The configured providers, with the gateways that send for them and the addresses that they understand. */
import { addressIdOf, isUnproven } from '../deliveries/outgoing-push.ts';
import { channelContext } from '../keys/sealed-contexts.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import type { Address, ChannelProvider } from '../push/channel-provider.ts';
import type { ChannelNotice, ChannelTarget, Gateways, PushResult } from '../push/gateway.ts';
import type { Channel } from './channels.store.ts';

/** Short, because the caller waits for the result. */
const TIMEOUT_MS = 8_000;
const LIFETIME_MS = 900_000;

export class ChannelSenders {
  readonly #providers: ReadonlyMap<string, ChannelProvider>;
  readonly #gateways: Gateways;
  readonly #vault: Vault;
  readonly #clock: Clock;

  /** `clock` is real time. */
  constructor(providers: readonly ChannelProvider[], gateways: Gateways, vault: Vault, clock: Clock) {
    this.#providers = new Map(providers.map((provider) => [provider.kind.provider, provider]));
    this.#gateways = gateways;
    this.#vault = vault;
    this.#clock = clock;
  }

  get all(): readonly ChannelProvider[] {
    return [...this.#providers.values()];
  }

  /** Undefined if the operator has not configured it. */
  find(provider: string): ChannelProvider | undefined {
    return this.#providers.get(provider);
  }

  seal(channelId: string, address: Address): string {
    return this.#vault.seal(channelContext(channelId), JSON.stringify(address));
  }

  /** Undefined if no key opens it. */
  findAddress({ id, address }: Pick<Channel, 'id' | 'address'>, email: string | null): Address | undefined {
    if (address === null) return email === null ? undefined : { email };
    try {
      return JSON.parse(this.#vault.open(channelContext(id), address));
    } catch {
      return undefined;
    }
  }

  /** Identifies an address without showing it: under the newest key first. */
  hashesOf(provider: string, identity: string): [string, ...string[]] {
    return this.#vault.hashes('channel address', provider, identity) as [string, ...string[]];
  }

  /** Sends a test or a confirmation, and waits for the result. */
  async notify(
    channel: Channel,
    email: string | null,
    notice: Pick<ChannelNotice, 'kind' | 'confirm' | 'stage'>,
  ): Promise<PushResult> {
    const gateway = this.#gateways[channel.provider];
    if (!gateway) return { kind: 'misconfigured', reason: 'not_configured' };
    const expiresAt = new Date(this.#clock.now().getTime() + LIFETIME_MS);
    const target: ChannelTarget = {
      channelId: channel.id,
      userId: channel.user_id,
      sealed: channel.address,
      email,
      addressId: addressIdOf({ ...channel, email }),
      isPrivate: channel.private_title,
      isProven: !isUnproven(channel),
      lastEntryId: null,
    };
    return gateway.send({ ...notice, target, expiresAt }, AbortSignal.timeout(TIMEOUT_MS));
  }
}
