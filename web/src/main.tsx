import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { sendQueuedActions, startActionQueue } from './data/action-queue.ts';
import { captureInstallPrompt } from './data/install-prompt.ts';
import { startLiveUpdates } from './data/live.ts';
import { startPushChecks } from './data/push-health.ts';
import {
  clearSessionIfExpired,
  isServiceReachable,
  queryClient,
  restoreQueries,
  saveQueriesOnChange,
} from './data/query-client.ts';
import { isSignedIn, lastSignOut } from './data/session.ts';
import { currentUserId, mergeTask, refresh } from './data/sync.ts';
import { hasColoursToSend } from './find/labels.ts';
import { router } from './router.tsx';
import './styles.css';

if (isSignedIn.value) await restoreQueries();
saveQueriesOnChange();
captureInstallPrompt();

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

// A user whose session ends while the app is open sees why on the sign-in screen.
isSignedIn.subscribe(() => {
  if (isSignedIn.value) return;
  // An assistant's request is not lost with the session; the user finds other screens again.
  const { pathname, href } = router.state.location;
  const next = pathname === '/connect' ? { next: href } : {};
  const search = lastSignOut.byChoice ? { stay: true } : { ended: true, ...next };
  void router.navigate({ to: '/sign-in', search, replace: true });
});
addEventListener('offline', () => isServiceReachable.set(false));
addEventListener('online', () => void refresh());

await startActionQueue({
  userId: () => (isSignedIn.value ? currentUserId() || undefined : undefined),
  onTaskChanged: mergeTask,
  onReplayed: (stoppedBy, anyAnswered) => {
    if (stoppedBy) void clearSessionIfExpired(stoppedBy);
    // A round that asked nothing has learned nothing.
    if (stoppedBy || anyAnswered) isServiceReachable.set(stoppedBy?.code !== 'offline');
    if (anyAnswered) void refresh();
  },
});

// Actions that an account queued before it signed out are sent when it signs in again.
let knownUserId = '';
queryClient.getQueryCache().subscribe(() => {
  if (currentUserId() === knownUserId) return;
  knownUserId = currentUserId();
  sendQueuedActions();
  if (knownUserId && hasColoursToSend()) void import('./find/send-colours.ts').then(({ send }) => send());
});

// Last, so that caching the app for offline use does not slow down the first screen.
if ('serviceWorker' in navigator && !import.meta.env.DEV)
  void navigator.serviceWorker.register('/app/sw.js', { scope: '/app' }).catch(() => undefined);
startPushChecks();
startLiveUpdates();
