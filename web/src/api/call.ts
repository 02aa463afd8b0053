/**
 * Requests without the types of the OpenAPI description, for pages and the service worker. The session
 * is in a cookie that scripts cannot read; `APP_HEADERS` tells the service that the app itself is calling.
 */

import { offlineProblem, toProblem } from './problem.ts';
import { withRecentSignIn } from './recent-sign-in.ts';
import { readServiceClock } from './service-clock.ts';

export const APP_HEADERS = { 'X-Crescendo-App': '1' };

/** Returns the `data` of the answer. For queued actions, and for paths that are not in the description. */
export async function call<T>(method: string, path: string, body?: object, headers: HeadersInit = {}): Promise<T> {
  const withBody = body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } };
  return readData(await request(path, { method, headers, ...withBody }));
}

/** Returns the response of a request that succeeded, and throws a `Problem` otherwise. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...APP_HEADERS, ...init.headers };
  const send = () => fetch(path, { ...init, credentials: 'same-origin', headers });
  const response = await withRecentSignIn(send).catch(() => {
    throw offlineProblem();
  });
  readServiceClock(response.headers);
  if (response.ok) return response;
  throw toProblem(response, await response.json().catch(() => undefined));
}

export async function readData<T>(response: Response): Promise<T> {
  const answer = (await response.json().catch(() => undefined)) as { readonly data: T } | undefined;
  if (answer === undefined) throw offlineProblem();
  return answer.data;
}
