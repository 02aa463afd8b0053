/** The cache of what was read from the service, saved in the browser so that the app shows its last state offline. */
import { type DehydratedState, dehydrate, hydrate, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { Problem } from '../api/problem.ts';
import { localDatabase } from './local-database.ts';
import { clearSession, isSignedIn } from './session.ts';
import { storeSignedInUser } from './signed-in-user.ts';
import { Store } from './store.ts';

const CACHE_KEY = 'queries';
const SAVE_AFTER_MS = 100;
/** Browsers limit a timer to 24 days and fire a longer one at once, so `gcTime` must stay below that. */
const MAX_AGE_MS = 14 * 86_400_000;
/** Raised when the cached data changes its shape; a cache of another shape is ignored. */
const SHAPE = 3;

interface SavedCache {
  readonly shape: number;
  readonly state: DehydratedState;
}

/** Whether the last request reached the service. */
export const isServiceReachable = new Store(navigator.onLine);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      gcTime: MAX_AGE_MS,
      staleTime: 10_000,
      retry: (count, error) => count < 2 && error instanceof Problem && error.isTemporary && error.code !== 'offline',
    },
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({
    onSuccess: () => isServiceReachable.set(true),
    onError: (error) => {
      if (error instanceof Problem && error.code === 'offline') isServiceReachable.set(false);
      void clearSessionIfExpired(error);
    },
  }),
});

const isExpired = (error: unknown) => error instanceof Problem && error.code === 'unauthenticated';
let isAsking = false;

/**
 * Asks again before it ends the session: one that was proven again has a new token, and a request that was under way had
 * the old one.
 */
export async function clearSessionIfExpired(error: unknown): Promise<void> {
  if (isAsking || !isExpired(error) || !isSignedIn.value) return;
  isAsking = true;
  try {
    await call('GET', '/app/session');
    await queryClient.invalidateQueries();
  } catch (again) {
    if (isExpired(again) && isSignedIn.value) await clearSession();
  } finally {
    isAsking = false;
  }
}

export async function restoreQueries(): Promise<void> {
  const saved = await localDatabase.get<SavedCache>('cache', CACHE_KEY).catch(() => undefined);
  if (saved?.shape !== SHAPE) return;
  hydrate(queryClient, saved.state);
  // Saved data is shown, but every query is stale and refetches when it is used.
  await queryClient.invalidateQueries({ refetchType: 'none' });
}

/** The last saved state of each query, by its hash. Saving thousands of unchanged tasks would only cost time. */
const saved = new Map<string, unknown>();

export function saveQueriesOnChange(): void {
  let isPlanned = false;
  queryClient.getQueryCache().subscribe((event) => {
    const isNew = event.type === 'updated' && event.query.state.data !== saved.get(event.query.queryHash);
    if (!isNew && event.type !== 'removed') return;
    // Later changes do not postpone a planned save, so that a busy page is saved too.
    if (isPlanned) return;
    isPlanned = true;
    setTimeout(() => {
      isPlanned = false;
      void save();
    }, SAVE_AFTER_MS);
  });
  addEventListener('pagehide', () => void save());
  isSignedIn.subscribe(() => {
    if (isSignedIn.value) return;
    // The sign-in screen may be asking already, and a query that is removed while it runs never ends.
    const ofSession = { predicate: ({ queryKey }: Query) => queryKey[0] !== 'sign-in-options' };
    // A late 401 to the ended session would end the next one.
    void queryClient.cancelQueries(ofSession, { silent: true });
    queryClient.removeQueries(ofSession);
    saved.clear();
    queryClient.getMutationCache().clear();
  });
}

/** Queries marked `secret` are never saved. */
const isSaved = ({ state, meta }: Query) =>
  state.data !== undefined && meta?.secret !== true && state.dataUpdatedAt > Date.now() - MAX_AGE_MS;

/** Starts both writes before it awaits either of them, because the page may be closing. */
async function save(): Promise<void> {
  if (!isSignedIn.value) return;
  const state = dehydrate(queryClient, { shouldDehydrateQuery: isSaved });
  for (const { queryHash, state: query } of state.queries) saved.set(queryHash, query.data);
  const userId = queryClient.getQueryData<{ settings: { id: string } }>(['sync'])?.settings.id;
  await Promise.allSettled([
    localDatabase.put('cache', CACHE_KEY, { shape: SHAPE, state } satisfies SavedCache),
    userId === undefined ? undefined : storeSignedInUser(userId),
  ]);
}
