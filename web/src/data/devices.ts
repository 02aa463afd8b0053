/** Devices that nudges are sent to, this browser among them. */
import { queryOptions } from '@tanstack/react-query';
import { api, type Device, read } from '../api/client.ts';
import { findOwnDevice, forgetOwnDevice, registerBrowser } from './own-device.ts';

/** Fresh whenever it is looked at: what was removed elsewhere must not be believed to work here. */
export const devicesOptions = queryOptions({
  queryKey: ['devices'],
  queryFn: () => read(api.GET('/v1/devices')),
  staleTime: 0,
});

export async function removeDevice(id: string): Promise<void> {
  await read(api.DELETE('/v1/devices/{device_id}', { params: { path: { device_id: id } } }));
  if (id === (await findOwnDevice())) await forgetOwnDevice();
}

export const sendTestPush = () => read(api.POST('/v1/devices/test-push'));

export type PushState = 'unsupported' | 'blocked' | 'off' | 'on';

/** It is on when the browser listens and the service knows of it: either alone reaches nobody. */
export async function readPushState(devices: readonly Device[]): Promise<{ state: PushState; own?: string }> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return { state: 'unsupported' };
  if (Notification.permission === 'denied') return { state: 'blocked' };
  const registration = await navigator.serviceWorker.getRegistration('/app');
  const subscription = await registration?.pushManager.getSubscription();
  const ownId = await findOwnDevice();
  const own = devices.find(({ id }) => id === ownId);
  return subscription && own?.valid && Notification.permission === 'granted'
    ? { state: 'on', own: own.id }
    : { state: 'off' };
}

/** Asks the person, then the browser's push service, then tells ours. False where the service has no key for it. */
export async function enablePush(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return true;
  const { public_key } = await read(api.GET('/v1/devices/vapid-key'));
  if (public_key === null) return false;
  const registration = await navigator.serviceWorker.ready;
  await registerBrowser(await subscribe(registration, public_key));
  return true;
}

/** A subscription made for another key is of no use to this service. */
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
