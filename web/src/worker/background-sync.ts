/** Sends queued actions from the service worker. */
import { type ReplayResult, replay } from '../data/replay.ts';
import { findSignedInUser } from '../data/signed-in-user.ts';

declare const self: ServiceWorkerGlobalScope;

const channel = new BroadcastChannel('crescendo');

/** Actions of other accounts stay in the queue. While nobody is signed in, all of them do. */
export async function replayQueue(): Promise<ReplayResult> {
  const userId = await findSignedInUser();
  if (userId === undefined) return { refused: [], stoppedBy: undefined };
  const result = await replay({ now: Number.POSITIVE_INFINITY, userId });
  channel.postMessage('sent');
  return result;
}

/** Asks the browser to wake the worker when the network is back. Without the API, the next visit sends the actions. */
export async function requestBackgroundSync(): Promise<void> {
  const { sync } = self.registration as { sync?: { register(tag: string): Promise<void> } };
  await sync?.register('actions').catch(() => undefined);
}
