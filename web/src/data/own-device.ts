/** This browser as one of its person's devices: for the pages and the service worker alike. */
import { call } from '../api/call.ts';
import { kept } from './kept.ts';

const KEY = 'own-device';

/** The service's id for this browser, as far as it was ever told. */
export const findOwnDevice = () => kept.get<string>('cache', KEY);

export async function registerBrowser(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  const device = await call<{ readonly id: string }>('POST', '/v1/devices', {
    platform: 'web',
    web_push_subscription: { endpoint, keys },
  });
  await kept.put('cache', KEY, device.id);
}

/** The browser stops listening as well, so that whatever is still on its way ends there. */
export async function forgetOwnDevice(): Promise<void> {
  await kept.remove('cache', KEY);
  const registration = await navigator.serviceWorker?.getRegistration('/app');
  const subscription = await registration?.pushManager?.getSubscription();
  await subscription?.unsubscribe();
}

/** Whoever signs out of a browser does not want their nudges on it any longer. */
export async function leaveBrowser(): Promise<void> {
  const id = await findOwnDevice();
  if (id === undefined) return;
  // First here, where no network is needed: what is sent afterwards finds nobody.
  await forgetOwnDevice();
  await call('DELETE', `/v1/devices/${id}`);
}

/** Browsers change a subscription now and then; until the service hears of it, nudges go nowhere. */
export async function renewSubscription(registration: ServiceWorkerRegistration): Promise<void> {
  if ((await findOwnDevice()) === undefined) return;
  const { public_key } = await call<{ readonly public_key: string | null }>('GET', '/v1/devices/vapid-key');
  if (public_key === null) return;
  const options = { userVisibleOnly: true, applicationServerKey: public_key };
  await registerBrowser(await registration.pushManager.subscribe(options));
}
