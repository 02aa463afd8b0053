/**
 * The app's own files, kept so that it opens without a network. What the API says is not kept here:
 * the pages keep what they have read themselves.
 */
declare const __SHELL__: readonly string[];
declare const __BUILD__: string;

const CACHE = `shell-${__BUILD__}`;
const PAGE = '/app';
/** After that long the kept page is better than none. */
const PATIENCE_MS = 3_000;

export async function keepShell(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll([PAGE, ...__SHELL__]);
}

/** The shell before this one stays: a page that is still open may ask for the rest of it. */
export async function forgetOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith('shell-') && name !== CACHE).slice(0, -1);
  await Promise.all(old.map((name) => caches.delete(name)));
}

export function answerFromShell(request: Request): Promise<Response> | undefined {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || !/^\/app(\/|$)/.test(pathname)) return undefined;
  if (request.mode === 'navigate') return freshPage(request);
  const isFile = /\.\w+$/.test(pathname) && pathname !== '/app/sw.js';
  return isFile ? keptFile(request) : undefined;
}

async function freshPage(request: Request): Promise<Response> {
  const fresh = fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
  const answer = await Promise.race([fresh.catch(() => undefined), late]);
  // A page that could not be built or served is no page: the kept one works.
  if (answer && answer.status < 500) return answer;
  return (await caches.match(PAGE)) ?? answer ?? fresh;
}

const keptFile = async (request: Request): Promise<Response> => (await caches.match(request)) ?? fetch(request);
