/** The devices that nudges are sent to, including this browser. */
import { queryOptions } from '@tanstack/react-query';
import { api, type Device, unwrap } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { findOwnDevice, registerBrowser, unsubscribeBrowser } from './own-device.ts';
import { Store } from './store.ts';

/** Never served from the cache alone: a device removed elsewhere must not appear to work here. */
export const devicesOptions = queryOptions({
  queryKey: ['devices'],
  queryFn: listDevices,
  staleTime: 0,
});

function listDevices(): Promise<Device[]> {
  return unwrap(api.GET('/v1/devices'));
}

export async function removeDevice(id: string): Promise<void> {
  await unwrap(api.DELETE('/v1/devices/{device_id}', { params: { path: { device_id: id } } }));
  if (id === (await findOwnDevice())?.id) await unsubscribeBrowser();
}

export const sendTestPush = () => unwrap(api.POST('/v1/devices/test-push'));

export type PushState = 'unsupported' | 'blocked' | 'off' | 'on';

const isSupported = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** Push is on only when the browser is subscribed and the service has the device; either alone delivers nothing. */
export async function readPushState(devices: readonly Device[]): Promise<{ state: PushState; own?: string }> {
  if (!isSupported()) return { state: 'unsupported' };
  if (Notification.permission === 'denied') return { state: 'blocked' };
  const registration = await navigator.serviceWorker.getRegistration('/app');
  const subscription = await registration?.pushManager.getSubscription();
  const ownId = (await findOwnDevice())?.id;
  const own = devices.find(({ id }) => id === ownId);
  return subscription && own?.valid && Notification.permission === 'granted'
    ? { state: 'on', own: own.id }
    : { state: 'off' };
}

const findServiceKey = async () => (await unwrap(api.GET('/v1/devices/vapid-key'))).public_key;

/** Whether `enablePush` can work here: the browser can, its user has not forbidden it, and the service has a key. */
export async function canEnablePush(): Promise<boolean> {
  return isSupported() && Notification.permission !== 'denied' && (await findServiceKey()) !== null;
}

/** What `enablePush` waits for: the user's answer to the browser's question, or the browser's push service. */
export const enablingPush = new Store<'permission' | 'push_service' | undefined>(undefined);

/** Returns false when the service has no VAPID key. */
export async function enablePush(): Promise<boolean> {
  try {
    enablingPush.set('permission');
    if ((await Notification.requestPermission()) !== 'granted') return true;
    enablingPush.set('push_service');
    const key = await findServiceKey();
    if (key === null) return false;
    await registerBrowser(await subscribe(key));
    return true;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Problem('push_service_unreachable', error.message);
  } finally {
    enablingPush.set(undefined);
  }
}

/** Browsers try for most of a minute to reach their push service, and report nothing meanwhile. */
const PUSH_SERVICE_MS = 15_000;

/** Throws a DOMException if the browser refuses, or if its push service does not answer. */
async function subscribe(key: string): Promise<PushSubscription> {
  const { promise: isLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new DOMException('The push service is silent', 'TimeoutError')),
    PUSH_SERVICE_MS,
  );
  const subscribed = navigator.serviceWorker.ready.then((registration) => subscribeAt(registration, key));
  return Promise.race([subscribed, isLate]).finally(() => clearTimeout(timer));
}

/** A subscription made with another key blocks a new one, so it is removed first. */
async function subscribeAt(registration: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return await registration.pushManager.subscribe(options);
  } catch (error) {
    const stale = await registration.pushManager.getSubscription();
    if (!stale) throw error;
    await stale.unsubscribe();
    return registration.pushManager.subscribe(options);
  }
}

/** Why this browser, which once received nudges, no longer does. */
export type PushTrouble = 'not_allowed' | 'not_offered' | 'failed';

/**
 * Browsers end subscriptions without telling, and push services end them with the next push. Subscribes again if the
 * subscription of this browser is gone, replaced, refused by its push service, or made with another key of the service.
 */
export async function healPush(): Promise<PushTrouble | undefined> {
  const before = await findOwnDevice();
  if (before === undefined) return undefined;
  if (!isSupported() || Notification.permission !== 'granted') return 'not_allowed';
  const [devices, key] = await Promise.all([listDevices(), findServiceKey()]);
  const device = devices.find(({ id }) => id === before.id);
  // The user removed this browser, perhaps from another device.
  if (!device) {
    await unsubscribeBrowser();
    return undefined;
  }
  if (key === null) return 'not_offered';
  const registration = await navigator.serviceWorker.ready;
  const subscription = await registration.pushManager.getSubscription();
  const isUsable = subscription !== null && device.valid && isMadeWith(subscription, key);
  if (isUsable && subscription.toJSON().endpoint === before.endpoint) return undefined;
  try {
    if (!isUsable) await subscription?.unsubscribe();
    await registerBrowser(await subscribe(key));
    return undefined;
  } catch (error) {
    // The fault is the service's, not the browser's. The next opening tries again.
    if (!(error instanceof DOMException)) throw error;
    return 'failed';
  }
}

/** True where the browser does not say: Safari, for one, has no such option. */
function isMadeWith({ options }: PushSubscription, key: string): boolean {
  const bytes = options?.applicationServerKey;
  if (!bytes) return true;
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === key;
}
