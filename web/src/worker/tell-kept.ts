/** Tells the service what was done, and the open pages that it was told. */
import { type Replayed, replay } from '../data/replay.ts';
import { worker } from './worker-scope.ts';

const channel = new BroadcastChannel('crescendo');

export async function tellKept(): Promise<Replayed> {
  const replayed = await replay({ now: Number.POSITIVE_INFINITY });
  channel.postMessage('told');
  return replayed;
}

/** Asks the browser to wake the worker when there is a network; one that cannot leaves it to the next visit. */
export async function tellLater(): Promise<void> {
  const { sync } = worker.registration as { sync?: { register(tag: string): Promise<void> } };
  await sync?.register('deeds').catch(() => undefined);
}
