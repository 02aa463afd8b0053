/**
 * Asks the service without its description: for pages and the service worker alike. The session lives
 * in a cookie that scripts cannot read; the header tells the service that the app itself is asking.
 */
import { offline, problemOf } from './problem.ts';

export const APP_HEADERS = { 'X-Crescendo-App': '1' };

/** For a call that the description does not name: one that is queued, or one that an older service lacks. */
export async function call<T>(method: string, path: string, body?: object, headers: HeadersInit = {}): Promise<T> {
  const withBody = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
  return dataOf(await ask(path, { method, headers, ...withBody }));
}

/** The answer to a call that succeeded, whatever it holds. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...APP_HEADERS, ...init.headers };
  const response = await fetch(path, { ...init, credentials: 'same-origin', headers }).catch(() => {
    throw offline();
  });
  if (response.ok) return response;
  throw problemOf(response, await response.json().catch(() => undefined));
}

export async function dataOf<T>(response: Response): Promise<T> {
  const answer = (await response.json().catch(() => undefined)) as { readonly data: T } | undefined;
  if (answer === undefined) throw offline();
  return answer.data;
}
