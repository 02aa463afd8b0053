/** What a hook returns when a component is first drawn, for tests without a browser. Nothing is subscribed to. */
import { type QueryClient, QueryClientContext } from '@tanstack/react-query';
import * as react from 'react';

const INTERNALS = '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE';
const internals = Reflect.get(react, INTERNALS) as { H: unknown };

const firstOf = (initial: unknown) => (typeof initial === 'function' ? initial() : initial);

/** What React calls while it draws. */
const dispatcherFor = (client: QueryClient | undefined) => ({
  useState: (initial: unknown) => [firstOf(initial), () => undefined],
  useRef: (current: unknown) => ({ current }),
  useMemo: (make: () => unknown) => make(),
  useCallback: (callback: unknown) => callback,
  useEffect: () => undefined,
  useSyncExternalStore: (_: unknown, read: () => unknown) => read(),
  useDebugValue: () => undefined,
  useContext: (context: { readonly _currentValue: unknown }) =>
    Object.is(context, QueryClientContext) ? client : context._currentValue,
});

/** With the client of its queries, if it has any: they are there afterwards, but nothing was asked. */
export function readHook<T>(hook: () => T, client?: QueryClient): T {
  internals.H = dispatcherFor(client);
  try {
    return hook();
  } finally {
    internals.H = null;
  }
}
