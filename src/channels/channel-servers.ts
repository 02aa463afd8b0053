/** Finds the servers of channels from before servers were stored: only a key opens their addresses, so no migration can. */
import type { Db } from '../db/schema.ts';
import { type ChannelProvider, findServerOf } from '../push/channel-provider.ts';
import type { ChannelSenders } from './channel-senders.ts';
import { listWithoutServer, setServer } from './channels.store.ts';

const AT_ONCE = 100;

export async function fillServers(
  db: Db,
  senders: ChannelSenders,
  provider: ChannelProvider,
  signal: AbortSignal,
): Promise<void> {
  let after: string | null = null;
  while (!signal.aborted) {
    const channels = await listWithoutServer(db, provider.kind.provider, after, AT_ONCE);
    for (const channel of channels) {
      const address = senders.findAddress(channel, null);
      if (address) await setServer(db, channel.id, findServerOf(provider, address));
    }
    const last = channels.at(-1);
    if (!last || channels.length < AT_ONCE) return;
    after = last.id;
  }
}
