/**
 * Whether somebody is signed in here. The token itself is out of reach in its cookie; this is only a
 * note that there is one, so that a visitor is not asked for what the service would refuse.
 */
import { call } from '../api/call.ts';
import type { SignInResult } from '../api/client.ts';
import { browserZone } from '../time/zone.ts';
import { kept } from './kept.ts';
import { leaveBrowser } from './own-device.ts';
import { Store } from './store.ts';

const NOTE = 'crescendo-signed-in';

export const signedIn = new Store(localStorage.getItem(NOTE) === '1');

export async function beginSession({ session_token, created }: SignInResult): Promise<void> {
  await call('POST', '/app/session', undefined, { Authorization: `Bearer ${session_token}` });
  // A new account lives by UTC until it is told better, and the browser knows better.
  if (created) await call('PATCH', '/v1/me', { timezone: browserZone() }).catch(() => undefined);
  localStorage.setItem(NOTE, '1');
  left.byChoice = false;
  signedIn.set(true);
}

/** Whether the last session ended because the person wanted it to. */
export const left = { byChoice: false };

export async function signOut(): Promise<void> {
  left.byChoice = true;
  await leaveBrowser().catch(() => undefined);
  await call('DELETE', '/v1/auth/session').catch(() => undefined);
  await forgetSession();
}

/** Deeds stay: whoever did them may sign in again, and nobody else's account gets them. */
export async function forgetSession(): Promise<void> {
  localStorage.removeItem(NOTE);
  await call('DELETE', '/app/session').catch(() => undefined);
  await kept.clear('cache');
  signedIn.set(false);
}
