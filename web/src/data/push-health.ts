/** Keeps this browser subscribed: checks it when the app opens, and when it is shown again after an hour or more. */
import { healPush, type PushTrouble } from './devices.ts';
import { isSignedIn } from './session.ts';
import { Store } from './store.ts';

const CHECK_EVERY_MS = 3_600_000;

export const pushTrouble = new Store<PushTrouble | undefined>(undefined);

let checkedAt = Number.NEGATIVE_INFINITY;

export async function checkPush(): Promise<void> {
  if (!isSignedIn.value) return;
  checkedAt = Date.now();
  // Offline, or a fault of the service: nothing is known, so nothing is reported.
  pushTrouble.set(await healPush().catch(() => undefined));
}

export function startPushChecks(): void {
  void checkPush();
  isSignedIn.subscribe(() => pushTrouble.set(undefined));
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && Date.now() - checkedAt >= CHECK_EVERY_MS) void checkPush();
  });
}
