/**
 * Protects against DNS rebinding: a page makes a browser on this machine or network call the service
 * under a host name that the attacker controls. The Host header must name this service, and a page that
 * calls it must come from the service itself. An IP address as the host is safe, because DNS cannot
 * point it elsewhere.
 */
import { isIP } from 'node:net';

export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The host names of this service: loopback, the address it listens on and the one in BASE_URL. */
export function allowedHosts(baseUrl: string | undefined, listenHost: string): ReadonlySet<string> {
  return new Set([...LOOPBACK, listenHost, ...(baseUrl ? [new URL(baseUrl).hostname] : [])]);
}

export function isAllowedHost(host: string, hosts: ReadonlySet<string>): boolean {
  if (hosts.has(host.replace(/:\d{1,5}$/, ''))) return true;
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return hosts.has(name) || name.endsWith('.localhost') || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/**
 * Programs send no Origin. A page may call if it is our own, or if both it and the service are on loopback. If tokens
 * are accepted over https only, every page may call: it uses the service's public name, and acts with the token it was
 * given.
 */
export function isAllowedOrigin(origin: string | undefined, host: string, baseUrl: string | undefined): boolean {
  if (origin === undefined || origin === baseUrl || baseUrl?.startsWith('https:')) return true;
  const page = URL.parse(origin);
  if (page?.protocol !== 'http:' && page?.protocol !== 'https:') return false;
  const own = URL.parse(`http://${host}`);
  return page.host === own?.host || (LOOPBACK.includes(page.hostname) && LOOPBACK.includes(own?.hostname ?? ''));
}
