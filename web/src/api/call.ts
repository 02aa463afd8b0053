/**
 * Asks the service without its description: for pages and the service worker alike. The session lives
 * in a cookie that scripts cannot read; the header tells the service that the app itself is asking.
 */
import { offline, problemOf } from './problem.ts';

export const APP_HEADERS = { 'X-Crescendo-App': '1' };

/** For a call that the description does not name: one that is queued, or one that an older service lacks. */
export async function call<T>(method: string, path: string, body?: object, headers: HeadersInit = {}): Promise<T> {
  const init = { method, credentials: 'same-origin' as const, headers: { ...APP_HEADERS, ...headers } };
  const withBody = body && {
    body: JSON.stringify(body),
    headers: { ...init.headers, 'Content-Type': 'application/json' },
  };
  const response = await fetch(path, { ...init, ...withBody }).catch(() => {
    throw offline();
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(response, answer);
  return (answer as { readonly data: T }).data;
}
