/** The devices that nudges are sent to, including this browser. */
import { queryOptions } from '@tanstack/react-query';
import { api, type Device, unwrap } from '../api/client.ts';
import { findOwnDeviceId, registerBrowser, unsubscribeBrowser } from './own-device.ts';

/** Never served from the cache alone: a device removed elsewhere must not appear to work here. */
export const devicesOptions = queryOptions({
  queryKey: ['devices'],
  queryFn: () => unwrap(api.GET('/v1/devices')),
  staleTime: 0,
});

export async function removeDevice(id: string): Promise<void> {
  await unwrap(api.DELETE('/v1/devices/{device_id}', { params: { path: { device_id: id } } }));
  if (id === (await findOwnDeviceId())) await unsubscribeBrowser();
}

export const sendTestPush = () => unwrap(api.POST('/v1/devices/test-push'));

export type PushState = 'unsupported' | 'blocked' | 'off' | 'on';

/** Push is on only when the browser is subscribed and the service has the device; either alone delivers nothing. */
export async function readPushState(devices: readonly Device[]): Promise<{ state: PushState; own?: string }> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return { state: 'unsupported' };
  if (Notification.permission === 'denied') return { state: 'blocked' };
  const registration = await navigator.serviceWorker.getRegistration('/app');
  const subscription = await registration?.pushManager.getSubscription();
  const ownId = await findOwnDeviceId();
  const own = devices.find(({ id }) => id === ownId);
  return subscription && own?.valid && Notification.permission === 'granted'
    ? { state: 'on', own: own.id }
    : { state: 'off' };
}

/** Returns false when the service has no VAPID key. */
export async function enablePush(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return true;
  const { public_key } = await unwrap(api.GET('/v1/devices/vapid-key'));
  if (public_key === null) return false;
  const registration = await navigator.serviceWorker.ready;
  await registerBrowser(await subscribe(registration, public_key));
  return true;
}

/** A subscription made with another key blocks a new one, so it is removed first. */
async function subscribe(registration: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
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
