/** Whether the service answered the last time it was asked. */
import { Store } from './store.ts';

export const reachable = new Store(navigator.onLine);

export function watchReachable(): void {
  addEventListener('offline', () => reachable.set(false));
}
