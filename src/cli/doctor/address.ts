/** Where the service says it is, and whether it is there. */
import { baseUrlOf, type Config } from '../../config.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const address: Check = {
  name: 'address',
  settings: ['BASE_URL', 'HOST', 'PORT'],
  look: async ({ config }) => {
    const { BASE_URL, HOST } = config;
    if (BASE_URL === undefined) {
      return HOST === '0.0.0.0' || HOST === '::'
        ? warning(
            'BASE_URL is not set while others can reach the service',
            'Set BASE_URL to how they do: links in mails go there.',
          )
        : fine(`${baseUrlOf(config, config.PORT)}, for this machine alone`);
    }
    const { protocol, hostname } = new URL(BASE_URL);
    if (protocol === 'https:' || LOCAL.test(hostname)) return fine(BASE_URL);
    return warning(
      `${BASE_URL} is without TLS: tokens can be read on the way`,
      'Put a proxy with TLS in front, and write https:// in BASE_URL.',
    );
  },
};

const PATIENCE_MS = 8_000;

const health: Check = {
  name: 'service',
  settings: ['BASE_URL', 'HOST', 'PORT'],
  look: async ({ config, version }, signal) => {
    if (config.BASE_URL === undefined && config.PORT === 0) return undefined;
    const url = `${baseUrlOf(config, config.PORT)}/health`;
    try {
      const within = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const response = await fetch(url, { redirect: 'manual', signal: within });
      const body = (await response.json().catch(() => undefined)) as Envelope | undefined;
      return judge(url, response.status, body, version);
    } catch (error) {
      return describeSilence(config, url, error);
    }
  },
};

/** Whatever answers there may have sent anything. */
interface Envelope {
  readonly ok?: unknown;
  readonly data?: { readonly version?: unknown } | null;
  readonly error?: unknown;
}

function judge(url: string, status: number, body: Envelope | undefined, version: string): Finding {
  if (body?.ok === false && typeof body.error === 'string' && status === 503)
    return fault(`it answers, and is not well: ${body.error}`, 'See its log.');
  const theirs = body?.data?.version;
  if (status !== 200 || body?.ok !== true || typeof theirs !== 'string') {
    return fault(
      `something that is not Crescendo answers at ${url} (${status})`,
      'Look at BASE_URL, and where the proxy leads to.',
    );
  }
  if (theirs === version) return fine(`Crescendo ${theirs} is running and well`);
  return warning(
    `Crescendo ${theirs} is running, and this is ${version}`,
    'Restart the service with this release, or use its own command line.',
  );
}

/** Without BASE_URL it is asked on this machine, where nobody has to have started it. */
function describeSilence({ BASE_URL }: Config, url: string, error: unknown): Finding {
  if (BASE_URL === undefined) return fine('it is not running here');
  return warning(
    `nobody answers at ${url}: ${reasonOf(error)}`,
    'Start the service; where it runs, look at the proxy, the name and the certificate.',
  );
}

export const addressChecks: readonly Check[] = [address, health];
