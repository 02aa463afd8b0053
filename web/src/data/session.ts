/**
 * Whether this browser is signed in. The session token is in a cookie that scripts cannot read; the flag
 * only records that there is one, so that the app makes no requests that the service would refuse.
 */
import { call } from '../api/call.ts';
import type { SignInResult } from '../api/client.ts';
import { browserZone } from '../time/browser-zone.ts';
import { forgetDrafts } from './drafts.ts';
import { beginFirstRun, endFirstRun } from './first-run-step.ts';
import { localDatabase } from './local-database.ts';
import { unregisterBrowser } from './own-device.ts';
import { leaveForSignOut } from './provider-return.ts';
import { clearSignedInUser, storeSignedInUser } from './signed-in-user.ts';
import { Store } from './store.ts';

const SIGNED_IN_KEY = 'crescendo-signed-in';

export const isSignedIn = new Store(localStorage.getItem(SIGNED_IN_KEY) === '1');

// All tabs share the cookie, so a sign-out in one tab ends the session of every other.
addEventListener('storage', ({ key, newValue }) => {
  if (key === SIGNED_IN_KEY && newValue === null && isSignedIn.value) isSignedIn.set(false);
});

/** `byChoice` is false when the service ended the last session. */
export const lastSignOut = { byChoice: false };

export async function beginSession({ session_token, user_id, created }: SignInResult): Promise<void> {
  // A sign-out that is still running would clear the new session too.
  await clearing;
  // Signing in again replaces the session of this browser. The cache may belong to another user.
  if (isSignedIn.value) {
    lastSignOut.byChoice = true;
    await call('DELETE', '/v1/auth/session').catch(() => undefined);
    await clearSession();
  }
  // Before the cookie changes: the service worker must never use it for the account that was here before.
  await clearSignedInUser().catch(() => undefined);
  const authorization = { Authorization: `Bearer ${session_token}` };
  const { can_claim } = await call<{ readonly can_claim: boolean }>('POST', '/app/session', undefined, authorization);
  // The service creates accounts in UTC.
  if (created) await call('PATCH', '/v1/me', { timezone: browserZone() }).catch(() => undefined);
  if (created) beginFirstRun(can_claim);
  if (user_id !== null) await storeSignedInUser(user_id).catch(() => undefined);
  localStorage.setItem(SIGNED_IN_KEY, '1');
  lastSignOut.byChoice = false;
  isSignedIn.set(true);
}

export async function signOut(): Promise<void> {
  lastSignOut.byChoice = true;
  const [provider] = await Promise.all([
    call<{ readonly url: string | null }>('GET', '/app/provider/sign-out').catch(() => undefined),
    unregisterBrowser().catch(() => undefined),
  ]);
  await call('DELETE', '/v1/auth/session').catch(() => undefined);
  await clearSession();
  if (provider?.url) leaveForSignOut(provider.url);
}

/** Queued actions stay stored: the same user may sign in again, and pages send only the actions of their own user. */
export function clearSession(): Promise<void> {
  clearing ??= clearOnce().finally(() => {
    clearing = undefined;
  });
  return clearing;
}

/** Several requests of an ended session are refused at about the same time, and all of them ask for this. */
let clearing: Promise<void> | undefined;

async function clearOnce(): Promise<void> {
  localStorage.removeItem(SIGNED_IN_KEY);
  endFirstRun();
  await call('DELETE', '/app/session').catch(() => undefined);
  // Before the cache is cleared: a signed-in page may still save it.
  isSignedIn.set(false);
  forgetDrafts();
  await localDatabase.clear('cache');
}
