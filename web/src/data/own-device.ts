/** This browser as one of the user's devices. Pages and the service worker share this file. */
import { call } from '../api/call.ts';
import { localDatabase } from './local-database.ts';

const KEY = 'own-device';

interface OwnDevice {
  /** The id that the service gave this browser. */
  readonly id: string;
  /** Where the service sends its nudges; unknown if an older release stored it. */
  readonly endpoint?: string | undefined;
}

export async function findOwnDevice(): Promise<OwnDevice | undefined> {
  const stored = await localDatabase.get<OwnDevice | string>('cache', KEY);
  return typeof stored === 'string' ? { id: stored } : stored;
}

export async function registerBrowser(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const before = await findOwnDevice();
  const { id } = await call<{ readonly id: string }>('POST', '/v1/devices', {
    platform: 'web',
    web_push_subscription: { endpoint, keys },
  });
  await localDatabase.put('cache', KEY, { id, endpoint } satisfies OwnDevice);
  // The replaced subscription receives nothing any more, and would be listed as a broken device.
  if (before && before.id !== id) await call('DELETE', `/v1/devices/${before.id}`).catch(() => undefined);
}

/** Also ends the push subscription, so that a push already on its way is not shown. */
export async function unsubscribeBrowser(): Promise<void> {
  await localDatabase.remove('cache', KEY);
  const registration = await navigator.serviceWorker?.getRegistration('/app');
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}

/** After a user signs out, the browser must not show that user's nudges any longer. */
export async function unregisterBrowser(): Promise<void> {
  const own = await findOwnDevice();
  if (own === undefined) return;
  // The browser first: this needs no network, and ends the nudges even if the request fails.
  await unsubscribeBrowser();
  await call('DELETE', `/v1/devices/${own.id}`);
}

/** Browsers replace a push subscription from time to time; nudges are lost until the service has the new one. */
export async function renewSubscription(registration: ServiceWorkerRegistration): Promise<void> {
  if ((await findOwnDevice()) === undefined) return;
  const { public_key } = await call<{ readonly public_key: string | null }>('GET', '/v1/devices/vapid-key');
  if (public_key === null) return;
  const options = { userVisibleOnly: true, applicationServerKey: public_key };
  await registerBrowser(await registration.pushManager.subscribe(options));
}
