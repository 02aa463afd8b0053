/** Sends queued actions from the service worker. */
import { type ReplayResult, replay } from '../data/replay.ts';

declare const self: ServiceWorkerGlobalScope;

const channel = new BroadcastChannel('crescendo');

export async function replayQueue(): Promise<ReplayResult> {
  const result = await replay({ now: Number.POSITIVE_INFINITY });
  channel.postMessage('sent');
  return result;
}

/** Asks the browser to wake the worker when the network is back. Without the API, the next visit sends the actions. */
export async function requestBackgroundSync(): Promise<void> {
  const { sync } = self.registration as { sync?: { register(tag: string): Promise<void> } };
  await sync?.register('actions').catch(() => undefined);
}
