/**
 * Turns DATABASE_URL into the options of a connection, TLS above all. Without `sslmode` a connection that leaves this machine
 * is encrypted and the server's certificate is checked, because the password and every task cross the network.
 *
 *   sslmode                     encrypted   certificate checked against
 *   (unset), local address      no
 *   (unset), any other          yes         known authorities or sslrootcert, and the host name
 *   disable                     no
 *   no-verify                   yes         nothing
 *   verify-ca with sslrootcert  yes         sslrootcert
 *   any other value             yes         known authorities or sslrootcert, and the host name
 *
 * `require` and `prefer` do more here than in libpq, where both accept any certificate.
 */
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type pg from 'pg';

/** Read here and removed from the URL, because `pg` gives some of the modes another meaning. */
const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl'] as const;

/** How long connecting may take. */
export const CONNECT_TIMEOUT_MS = 5_000;
/** TCP then probes an idle connection every second and gives it up after ten unanswered probes. */
const KEEP_ALIVE_AFTER_MS = 5_000;

/** The options of every connection, in the pool or not. */
export function connectionOptions(databaseUrl: string, sessionName: string): pg.ClientConfig {
  const url = new URL(databaseUrl);
  const ssl = decideTls(url);
  for (const name of TLS_PARAMETERS) url.searchParams.delete(name);
  return {
    connectionString: url.href,
    ssl,
    application_name: sessionName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

function decideTls(url: URL): false | ConnectionOptions {
  const { searchParams } = url;
  const read = (name: string) => {
    const file = searchParams.get(name);
    return file === null ? undefined : readFileSync(file, 'utf8');
  };
  const asksForTls = searchParams.has('sslrootcert') || searchParams.has('ssl');
  const mode = searchParams.get('sslmode') ?? (isLocal(url) && !asksForTls ? 'disable' : 'verify-full');
  if (mode === 'disable') return false;
  const options: ConnectionOptions = { ca: read('sslrootcert'), cert: read('sslcert'), key: read('sslkey') };
  if (mode === 'no-verify') return { ...options, rejectUnauthorized: false };
  // Any server could show a certificate of a public authority, so without sslrootcert the name is checked as well.
  if (mode === 'verify-ca' && options.ca !== undefined) return { ...options, checkServerIdentity: () => undefined };
  return options;
}

/** A socket file or a loopback address: the connection does not leave the machine. */
function isLocal({ hostname, searchParams }: URL): boolean {
  const host = decodeURIComponent(searchParams.get('host') ?? hostname).replace(/^\[(.+)\]$/, '$1');
  if (host === '' || host.startsWith('/') || host === '::1') return true;
  return isIPv4(host) ? host.startsWith('127.') : /(^|\.)localhost\.?$/i.test(host);
}
