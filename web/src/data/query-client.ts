/** What was read from the service, kept in the browser so that the last state is there without a network. */
import { type DehydratedState, dehydrate, hydrate, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { Problem } from '../api/problem.ts';
import { kept } from './kept.ts';
import { reachable } from './reachable.ts';
import { forgetSession, signedIn } from './session.ts';

const CACHE_KEY = 'queries';
const SAVE_AFTER_MS = 100;
/** A timer takes at most 24 days, and fires at once for more. */
const KEPT_MS = 14 * 86_400_000;
/** Written by a version that read other shapes: not to be believed. */
const SHAPE = 1;

interface Saved {
  readonly shape: number;
  readonly state: DehydratedState;
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      gcTime: KEPT_MS,
      staleTime: 10_000,
      retry: (count, error) => count < 2 && error instanceof Problem && error.isPassing && error.code !== 'offline',
    },
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({
    onSuccess: () => reachable.set(true),
    onError: (error) => {
      if (error instanceof Problem && error.code === 'offline') reachable.set(false);
      leaveIfSignedOut(error);
    },
  }),
});

export function leaveIfSignedOut(error: unknown): void {
  if (error instanceof Problem && error.code === 'unauthenticated' && signedIn.value) void forgetSession();
}

export async function restoreQueries(): Promise<void> {
  const saved = await kept.get<Saved>('cache', CACHE_KEY).catch(() => undefined);
  if (saved?.shape !== SHAPE) return;
  hydrate(queryClient, saved.state);
  // Good enough to be shown, never to be believed.
  await queryClient.invalidateQueries({ refetchType: 'none' });
}

export function saveQueries(): void {
  let isPlanned = false;
  queryClient.getQueryCache().subscribe(({ type }) => {
    if (type !== 'updated' && type !== 'removed') return;
    // Not put off by what follows: a page that is busy is saved as well.
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      void save();
    }, SAVE_AFTER_MS);
  });
  addEventListener('pagehide', () => void save());
  signedIn.follow(() => {
    if (!signedIn.value) queryClient.clear();
  });
}

/** What is secret is shown once and kept nowhere. */
const isKept = ({ state, meta }: Query) =>
  state.data !== undefined && meta?.secret !== true && state.dataUpdatedAt > Date.now() - KEPT_MS;

/** Both writes are begun before anything is waited for: the page may be going. */
async function save(): Promise<void> {
  if (!signedIn.value) return;
  const state = dehydrate(queryClient, { shouldDehydrateQuery: isKept });
  const userId = queryClient.getQueryData<{ settings: { id: string } }>(['sync'])?.settings.id;
  await Promise.allSettled([
    kept.put('cache', CACHE_KEY, { shape: SHAPE, state } satisfies Saved),
    // The service worker writes down whose deeds it does.
    userId === undefined ? undefined : kept.put('cache', 'user', userId),
  ]);
}
