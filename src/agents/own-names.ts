/**
 * Guards against a page that makes a browser on this machine or in this network call the service
 * under a name of the attacker's (DNS rebinding): the name must be one that the service is known by,
 * and a page that calls it must come from the service itself. An IP address as the name is no such
 * attack, since nobody can point it elsewhere.
 */
import { isIP } from 'node:net';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** By which the service is reached, from where it listens and what it calls itself. */
export function ownNames(baseUrl: string | undefined, listensOn: string): ReadonlySet<string> {
  return new Set([...LOOPBACK, listensOn, ...(baseUrl ? [new URL(baseUrl).hostname] : [])]);
}

export function isOwnName(host: string, names: ReadonlySet<string>): boolean {
  if (names.has(host.replace(/:\d{1,5}$/, ''))) return true;
  const name = URL.parse(`http://${host}`)?.hostname ?? '';
  return names.has(name) || name.endsWith('.localhost') || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** Programs send no Origin. Of pages only our own may call, and on one machine those of its own tools. */
export function isOwnOrigin(origin: string | undefined, host: string, baseUrl: string | undefined): boolean {
  if (origin === undefined || origin === baseUrl) return true;
  const page = URL.parse(origin);
  if (page?.protocol !== 'http:' && page?.protocol !== 'https:') return false;
  const own = URL.parse(`http://${host}`);
  return page.host === own?.host || (LOOPBACK.includes(page.hostname) && LOOPBACK.includes(own?.hostname ?? ''));
}
