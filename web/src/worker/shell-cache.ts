/** Caches the app's own files, so that it opens offline. API answers are not cached here; the pages save those. */
declare const __SHELL__: readonly string[];
declare const __BUILD__: string;

const CACHE = `shell-${__BUILD__}`;
const PAGE = '/app';
/** A slower answer is not awaited: the cached page is shown. */
const NETWORK_TIMEOUT_MS = 3_000;

export async function cacheShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll([PAGE, ...__SHELL__]);
}

/** The previous shell stays: a page that is still open may request more of its files. */
export async function deleteOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith('shell-') && name !== CACHE).slice(0, -1);
  await Promise.all(old.map((name) => caches.delete(name)));
}

export function respondFromCache(request: Request): Promise<Response> | undefined {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || !/^\/app(\/|$)/.test(pathname)) return undefined;
  // The cached page has other headers, which would cut the window off from the assistant that opened it.
  if (pathname === '/app/connect') return undefined;
  if (request.mode === 'navigate') return fetchPage(request);
  const isFile = /\.\w+$/.test(pathname) && pathname !== '/app/sw.js';
  return isFile ? findFile(request) : undefined;
}

/** Network first: the cached page is used when the service is slow, unreachable or failing. */
async function fetchPage(request: Request): Promise<Response> {
  const fetched = fetch(request);
  const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, NETWORK_TIMEOUT_MS));
  const response = await Promise.race([fetched.catch(() => undefined), timeout]);
  if (response && response.status < 500) return response;
  return (await caches.match(PAGE)) ?? response ?? fetched;
}

const findFile = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);
