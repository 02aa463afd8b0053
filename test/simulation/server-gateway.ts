/**
 * The real gateway of the provider of channels, in front of servers of the world. Each process has its own: what it
 * knows about silent servers, and what waits in it, is lost when the process dies.
 */
import type { Clock } from '../../src/lib/clock.ts';
import type { Logger } from '../../src/lib/logger.ts';
import { ChannelGateway } from '../../src/push/channel-gateway.ts';
import {
  type Address,
  type ChannelActions,
  type ChannelProvider,
  PLACES_PER_SERVER,
} from '../../src/push/channel-provider.ts';
import { type AnyPush, type Gateway, withSend } from '../../src/push/gateway.ts';
import { CHANNEL_PROVIDER } from './channels.ts';
import type { Runtime } from './runtime.ts';

/** To all servers together: one that hangs leaves as many places to the others. */
const MOST_IN_FLIGHT = 2 * PLACES_PER_SERVER;

/** Nobody opens the links: people act by the app. */
const ACTIONS: ChannelActions = {
  token: '',
  page: '',
  done: '',
  snooze: '',
  seen: '',
  accept: '',
  decline: '',
  stop: '',
};

export interface Surroundings {
  readonly runtime: Runtime;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The address of a channel is the origin of its server. */
export function gatewayOf(servers: ReadonlyMap<string, Gateway>, { runtime, clock, logger }: Surroundings): Gateway {
  // An address is opened for each attempt, so it tells which push a request to a server is for.
  const pushes = new WeakMap<Address, AnyPush>();
  let opening: AnyPush | undefined;
  const openAddress = (_channelId: string, server: string): Address => {
    const address = { server };
    if (opening) pushes.set(address, opening);
    return address;
  };
  const ask = async (_message: unknown, address: Address, signal: AbortSignal) => {
    const { server: origin = '' } = address;
    const [server, push] = [servers.get(origin), pushes.get(address)];
    if (!server || !push) throw new Error('There is no such server.');
    return server.send(push, signal);
  };
  const provider = {
    kind: { provider: CHANNEL_PROVIDER },
    maxInFlight: MOST_IN_FLIGHT,
    placesPerServer: PLACES_PER_SERVER,
    originOf: ({ server = '' }) => server,
    send: ask,
    retract: ask,
  } as unknown as ChannelProvider;
  const gateway: Gateway = new ChannelGateway(provider, {
    clock,
    logger,
    openAddress,
    codeOf: () => '',
    actionsFor: () => ACTIONS,
    allowsUnproven: async () => true,
    allowsToken: async () => true,
    countRefusedToken: async () => undefined,
    countOfDay: async () => undefined,
  });
  return withSend(gateway, async (push, signal) => {
    // The world ends a time limit that nobody waits for. What waits for a place does.
    const stopWaiting = runtime.onTimeout(signal, () => undefined);
    opening = push;
    return gateway.send(push, signal).finally(stopWaiting);
  });
}
