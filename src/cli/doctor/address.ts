/** Checks BASE_URL, and whether the service answers there. */
import { baseUrlOf, type Config } from '../../config.ts';
import { isOwnMachine } from '../../lib/public-address.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const address: Check = {
  name: 'address',
  settings: ['BASE_URL', 'HOST', 'PORT', 'TRUST_PROXY'],
  run: async ({ config }) => {
    const { BASE_URL, HOST, TRUST_PROXY } = config;
    if (BASE_URL === undefined) {
      return HOST === '0.0.0.0' || HOST === '::' || TRUST_PROXY !== false
        ? warning(
            'BASE_URL is not set, and other machines can reach the service',
            'Set BASE_URL to the address that users open: links in mails use it, and other public names are refused.',
          )
        : fine(`${baseUrlOf(config, config.PORT)}, for this machine only, and so are links and buttons in messages`);
    }
    const { protocol, hostname } = new URL(BASE_URL);
    if (protocol === 'https:' || isOwnMachine(hostname)) return fine(BASE_URL);
    return warning(
      `${BASE_URL} has no TLS: tokens can be read in transit`,
      'Put a proxy with TLS in front of the service, and write https:// in BASE_URL.',
    );
  },
};

const TIMEOUT_MS = 8_000;

const health: Check = {
  name: 'service',
  settings: ['BASE_URL', 'HOST', 'PORT'],
  run: async ({ config, version }, signal) => {
    if (config.BASE_URL === undefined && config.PORT === 0) return undefined;
    const url = `${baseUrlOf(config, config.PORT)}/health`;
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await fetch(url, { redirect: 'manual', signal: limited });
      const body = (await response.json().catch(() => undefined)) as Envelope | undefined;
      const finding = describeAnswer(url, response.status, body, version);
      return finding.verdict === 'fault' ? finding : ((await findForeignHost(url, limited)) ?? finding);
    } catch (error) {
      return describeNoAnswer(config, url, error);
    }
  },
};

/** Monitoring is answered under every host name. Other requests are refused if a proxy passes on a name that is not ours. */
async function findForeignHost(healthUrl: string, signal: AbortSignal): Promise<Finding | undefined> {
  const response = await fetch(new URL('/robots.txt', healthUrl), { redirect: 'manual', signal });
  const text = await response.text();
  if (response.status !== 403 || !text.includes('host_not_allowed')) return undefined;
  return fault(
    `requests to ${new URL(healthUrl).origin} reach the service under another host name and are refused`,
    'Let the proxy pass on the Host header, or add the name that it sends to ALLOWED_HOSTS: the log names it.',
  );
}

/** The server at this address may not be ours, so every field may have any type. */
interface Envelope {
  readonly ok?: unknown;
  readonly data?: { readonly version?: unknown } | null;
  readonly error?: unknown;
}

function describeAnswer(url: string, status: number, body: Envelope | undefined, version: string): Finding {
  if (body?.ok === false && typeof body.error === 'string' && status === 503)
    return fault(`the service answers that it is not healthy: ${body.error}`, 'See its log.');
  const running = body?.data?.version;
  if (status !== 200 || body?.ok !== true || typeof running !== 'string') {
    return fault(
      `the server at ${url} is not Crescendo (status ${status})`,
      'Check BASE_URL, and where the proxy forwards requests to.',
    );
  }
  if (running === version) return fine(`Crescendo ${running} is running and healthy`);
  return warning(
    `the service is Crescendo ${running}, and this command line is ${version}`,
    'Restart the service with this release, or use the command line of its release.',
  );
}

/** Without BASE_URL the doctor asks this machine, where the service does not have to run. */
function describeNoAnswer({ BASE_URL }: Config, url: string, error: unknown): Finding {
  if (BASE_URL === undefined) return fine('not running on this machine');
  return warning(
    `no answer from ${url}: ${reasonOf(error)}`,
    'Start the service. If it runs, check the proxy, the host name and the certificate.',
  );
}

export const addressChecks: readonly Check[] = [address, health];
