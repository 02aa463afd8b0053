import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { currentUserId } from './data/actions.ts';
import { openDeedBook } from './data/deed-book.ts';
import { leaveIfSignedOut, queryClient, restoreQueries, saveQueries } from './data/query-client.ts';
import { reachable, watchReachable } from './data/reachable.ts';
import { left, signedIn } from './data/session.ts';
import { mergeTask, refresh } from './data/sync.ts';
import { router } from './router.tsx';
import { catchInstallPrompt } from './shell/install-prompt.ts';
import { registerWorker } from './shell/register-worker.ts';
import './styles.css';

if (signedIn.value) await restoreQueries();
saveQueries();
watchReachable();
catchInstallPrompt();

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

// Whoever is signed out while the app is open is told so, and comes back to the same place afterwards.
signedIn.follow(() => {
  if (!signedIn.value)
    void router.navigate({ to: '/sign-in', search: left.byChoice ? {} : { ended: true }, replace: true });
});
addEventListener('online', () => void refresh());

await openDeedBook({
  userId: () => (signedIn.value ? currentUserId() || undefined : undefined),
  told: (task) => mergeTask(task),
  replayed: (stoppedBy, anyTold) => {
    if (stoppedBy) leaveIfSignedOut(stoppedBy);
    reachable.set(stoppedBy?.code !== 'offline');
    if (anyTold) void refresh();
  },
});
registerWorker();
