/** Checks BASE_URL, and whether this service and no other answers there. */
import { setTimeout as delay } from 'node:timers/promises';
import { findSettingWarnings } from '../../compose/start-warnings.ts';
import { baseUrlOf, type Config, ownUrlOf } from '../../config.ts';
import { findFact } from '../../db/installation.ts';
import { INSTANCE_HEADER, RELEASE_HEADER } from '../../http/health.routes.ts';
import { isOwnMachine } from '../../lib/public-address.ts';
import { type Check, type DoctorContext, type Finding, fault, fine, reasonOf, warning } from './check.ts';
import { withDatabase } from './database.ts';

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
/** So long a service that was just started may need until its proxy reaches it. */
const STARTED_WITHIN_S = 10;
/** What a proxy answers that reaches nobody. */
const BAD_GATEWAY = 502;

const health: Check = {
  name: 'service',
  settings: ['BASE_URL', 'HOST', 'PORT', 'TRUST_PROXY', 'DATABASE_URL', 'DATA_DIR'],
  // Two addresses may be asked.
  limitMs: 2 * TIMEOUT_MS + STARTED_WITHIN_S * 1_000 + 4_000,
  run: async (context, signal) => {
    const { config } = context;
    if (config.BASE_URL === undefined && config.PORT === 0) return undefined;
    const origin = baseUrlOf(config, config.PORT);
    const expected = await readInstance(context);
    try {
      const answer = await askStarted(origin, signal);
      const finding = describeAnswer(origin, answer, expected, context.version);
      if (finding.verdict === 'fault') return finding;
      return (await findForeignHost(origin, signal)) ?? describeHost(config) ?? finding;
    } catch (error) {
      return describeNoAnswer(config, origin, error, await isServiceHere(config, expected, signal));
    }
  },
};

/** The server at this address may not be ours, so every field may have any type. */
interface Envelope {
  readonly ok?: unknown;
  readonly data?: { readonly version?: unknown } | null;
  readonly error?: unknown;
}

interface Answer {
  readonly status: number;
  readonly body: Envelope | undefined;
  readonly instance: string | null;
  readonly release: string | null;
}

/** Documents run the doctor right after the start. */
async function askStarted(origin: string, signal: AbortSignal): Promise<Answer> {
  for (let second = 0; ; second += 1) {
    const answer = await askHealth(origin, signal);
    if (answer.status !== BAD_GATEWAY || second === STARTED_WITHIN_S) return answer;
    await delay(1_000, undefined, { signal });
  }
}

async function askHealth(origin: string, signal: AbortSignal): Promise<Answer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(`${origin}/health`, { redirect: 'manual', signal: limited });
  const body = (await response.json().catch(() => undefined)) as Envelope | undefined;
  const { headers, status } = response;
  return { status, body, instance: headers.get(INSTANCE_HEADER), release: headers.get(RELEASE_HEADER) };
}

/** `none` if no service has started on this database yet; undefined if it cannot be read, which its own check reports. */
async function readInstance(context: DoctorContext): Promise<string | undefined> {
  const read = withDatabase(context, async (db) => (await findFact(db, 'instance'))?.value);
  return read.then(
    (instance) => instance ?? 'none',
    () => undefined,
  );
}

function describeAnswer(
  origin: string,
  { status, body, instance, release }: Answer,
  expected: string | undefined,
  version: string,
): Finding {
  // Releases before 0.3.0 do not say which they are.
  const running = release ?? 'of a release before 0.3.0';
  const isHealthy = status === 200 && body?.ok === true && typeof body.data?.version === 'string';
  const isUnwell = status === 503 && body?.ok === false && typeof body.error === 'string';
  if (status === BAD_GATEWAY) {
    return fault(
      `the proxy at ${origin} does not reach the service (status ${status})`,
      'Start the service and see its log. If it runs, check where the proxy forwards requests to.',
    );
  }
  if (!isHealthy && !isUnwell) {
    return fault(
      `the server at ${origin}/health is not Crescendo (status ${status})`,
      'Check BASE_URL, and where the proxy forwards requests to.',
    );
  }
  if (instance !== null && expected !== undefined && instance !== expected) {
    return fault(
      `another Crescendo answers at ${origin}: it uses another database than this command`,
      'Check BASE_URL, and where the proxy forwards requests to. Run this command with the settings of the service.',
    );
  }
  if (isUnwell) return fault(`the service answers that it is not healthy: ${body.error}`, 'See its log.');
  if (running !== version) {
    return warning(
      `the service is Crescendo ${running}, and this command line is ${version}`,
      'Restart the service with this release, or use the command line of its release.',
    );
  }
  if (instance !== null) return fine(`Crescendo ${running} is running and healthy`);
  return warning(
    `a Crescendo answers at ${origin} and does not say which database it uses`,
    `Restart it with this release. If it has it, let the proxy pass on the header ${INSTANCE_HEADER}.`,
  );
}

/** Monitoring is answered under every host name. Other requests are refused if a proxy passes on a name that is not ours. */
async function findForeignHost(origin: string, signal: AbortSignal): Promise<Finding | undefined> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(`${origin}/robots.txt`, { redirect: 'manual', signal: limited });
  const text = await response.text();
  if (response.status !== 403 || !text.includes('host_not_allowed')) return undefined;
  return fault(
    `requests to ${origin} reach the service under another host name and are refused`,
    'Let the proxy pass on the Host header, or add the name that it sends to ALLOWED_HOSTS: the log names it.',
  );
}

/** This machine may know a name of its own that leads others to an address where nobody listens. */
function describeHost(config: Config): Finding | undefined {
  const unreachable = findSettingWarnings(config).find(({ setting }) => setting === 'HOST');
  return unreachable && warning(unreachable.says, unreachable.remedy);
}

/** Whether the service answers on this machine, past every proxy. */
async function isServiceHere(config: Config, expected: string | undefined, signal: AbortSignal): Promise<boolean> {
  if (config.PORT === 0) return false;
  const answer = await askHealth(ownUrlOf(config, config.PORT), signal).catch(() => undefined);
  return answer?.instance != null && answer.instance === expected;
}

/** Without BASE_URL the doctor asks this machine, where the service does not have to run. */
function describeNoAnswer(config: Config, origin: string, error: unknown, isHere: boolean): Finding {
  if (config.BASE_URL === undefined) return fine('not running on this machine');
  const says = `no answer from ${origin}/health: ${reasonOf(error)}`;
  const unreachable = describeHost(config);
  if (!isHere) {
    return warning(
      says,
      unreachable?.remedy
        ? `Start the service. Other machines cannot reach it, because HOST is ${config.HOST}. ${unreachable.remedy}`
        : 'Start the service. If it runs, check the proxy, the host name and the certificate.',
    );
  }
  const own = ownUrlOf(config, config.PORT);
  const found = `the service runs and answers at ${own}, but not at BASE_URL; ${says}`;
  if (unreachable?.remedy) return fault(found, unreachable.remedy);
  return warning(
    found,
    `Let the proxy forward to ${own}, and check the host name and the certificate. Some routers keep a machine from its ` +
      'own public address: then try it from another network.',
  );
}

export const addressChecks: readonly Check[] = [address, health];
