/** Devices that nudges are sent to, this browser among them. */
import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/call.ts';

export interface Device {
  readonly id: string;
  readonly platform: string;
  readonly valid: boolean;
}

export interface TestPush {
  readonly sent: number;
  readonly devices: readonly { readonly device_id: string; readonly status: string; readonly reason: string | null }[];
}

export const devicesOptions = queryOptions({
  queryKey: ['devices'],
  queryFn: () => call<Device[]>('GET', '/v1/devices'),
});

export const removeDevice = (id: string) => call('DELETE', `/v1/devices/${id}`);
export const sendTestPush = () => call<TestPush>('POST', '/v1/devices/test-push');

export type PushState = 'unsupported' | 'blocked' | 'off' | 'on';

export async function readPushState(): Promise<PushState> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return 'unsupported';
  if (Notification.permission === 'denied') return 'blocked';
  const registration = await navigator.serviceWorker.getRegistration('/app');
  const subscription = await registration?.pushManager.getSubscription();
  return subscription && Notification.permission === 'granted' ? 'on' : 'off';
}

/** Asks the person, then the browser's push service, then tells ours. */
export async function enablePush(): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') return;
  const { public_key } = await call<{ public_key: string }>('GET', '/v1/devices/vapid-key');
  const registration = await navigator.serviceWorker.ready;
  const subscription = await subscribe(registration, public_key);
  const { endpoint, keys } = subscription.toJSON();
  await call('POST', '/v1/devices', { platform: 'web', web_push_subscription: { endpoint, keys } });
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
