/**
 * The name under which authenticators keep the passkeys of this service, and the one origin on which pages may use
 * them. Browsers require https and a host name, or localhost. A service at any other address has no passkeys.
 */
import { isIP } from 'node:net';
import { AppError } from '../../lib/errors.ts';

export interface PasskeyOrigin {
  readonly id: string;
  readonly origin: string;
}

const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|\[::1\])$/;

export function findPasskeyOrigin(baseUrl: string): PasskeyOrigin | undefined {
  const url = new URL(baseUrl);
  // The same machine by its name: an address cannot have passkeys.
  if (LOOPBACK_ADDRESS.test(url.hostname)) url.hostname = 'localhost';
  const { protocol, hostname, origin } = url;
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isName = !hostname.startsWith('[') && isIP(hostname) === 0;
  return isLocal || (protocol === 'https:' && isName) ? { id: hostname, origin } : undefined;
}

export function requirePasskeyOrigin(origin: PasskeyOrigin | undefined): PasskeyOrigin {
  if (!origin) throw new AppError('passkeys_unavailable');
  return origin;
}
