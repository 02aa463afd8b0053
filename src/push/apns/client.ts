/**
 * Sends pushes to Apple over one long-lived HTTP/2 connection for each environment.
 *
 * Every push ends with one result. A full queue, a lost connection, a timeout or wrong credentials never make
 * a device `gone`. A token is validated before it becomes part of a path, because a device can register any text.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Gateway, Push, PushResult, Target } from '../gateway.ts';
import { activityRequest } from '../live-activity/payload.ts';
import type { Timings } from './connection.ts';
import { ApnsEnvironment } from './environment.ts';
import { type ApnsRequest, type AppSettings, nudgeRequest, testRequest } from './payload.ts';
import { type ProviderKey, ProviderToken } from './provider-token.ts';

export interface ApnsOptions extends AppSettings {
  readonly teamId: string;
  /** The sandbox uses the production key unless it has its own. Without a key, an environment is not configured. */
  readonly keys: Readonly<Partial<Record<Target['environment'], ProviderKey>>>;
  /** Replaces both of Apple's hosts; `http://` means HTTP/2 without TLS. */
  readonly origin?: string;
  /** Replaces the certificate authorities that Node trusts. */
  readonly ca?: string;
  readonly timings?: Partial<Timings>;
}

const ORIGINS: Readonly<Record<Target['environment'], string>> = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
};
const TIMINGS: Timings = { connectMs: 5_000, requestMs: 5_000, pingEveryMs: 60_000, pongMs: 5_000 };
/** According to Apple, the length varies. Today a device token has 64 digits and a Live Activity token more. */
const TOKEN = /^[0-9a-f]{2,512}$/i;

export class ApnsGateway implements Gateway {
  readonly #app: AppSettings;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #environments: ReadonlyMap<Target['environment'], ApnsEnvironment>;

  /** `clock` is real time, because Apple checks the age of the token. */
  constructor(options: ApnsOptions, clock: Clock, logger: Logger) {
    this.#app = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#environments = openEnvironments(options, clock, logger);
  }

  send(push: Push, signal: AbortSignal): Promise<PushResult> {
    const { token, environment } = push.target;
    if (!TOKEN.test(token)) return Promise.resolve({ kind: 'gone', reason: 'malformed_token' });
    const target = this.#environments.get(environment);
    if (!target) return Promise.resolve({ kind: 'misconfigured', reason: 'not_configured' });
    try {
      const { headers, body } = this.#buildRequest(push);
      return target.send({ path: `/3/device/${token}`, headers, body }, signal);
    } catch (error) {
      const task = push.kind === 'test' ? {} : { task_id: push.task.id };
      this.#logger.error({ err: error, kind: push.kind, ...task }, 'the payload of a push could not be built');
      return Promise.resolve({ kind: 'rejected', reason: 'unsendable' });
    }
  }

  /** One environment as a gateway; undefined if it has no key. Closing it closes both environments. */
  forEnvironment(environment: Target['environment']): Gateway | undefined {
    const found = this.#environments.get(environment);
    if (!found) return undefined;
    return {
      send: (push: Push, signal) => this.send(push, signal),
      capacity: () => found.capacity,
      isRefused: () => found.isRefused,
      close: () => this.close(),
    };
  }

  /** At least 1 while an environment is not connected, because its first push opens the connection. */
  capacity(): number {
    const connected = [...this.#environments.values()].filter(({ isConnected }) => isConnected);
    const total = connected.reduce((sum, { capacity }) => sum + capacity, 0);
    return connected.length < this.#environments.size ? Math.max(1, total) : total;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#environments.values()].map((environment) => environment.close()));
  }

  #buildRequest(push: Push): ApnsRequest {
    if (push.kind === 'nudge') return nudgeRequest(push, this.#app);
    if (push.kind === 'test') return testRequest(push, this.#app);
    if (push.kind === 'request') throw new Error('Phones get no messages about requests.');
    return activityRequest(push, this.#app, this.#clock.now());
  }
}

function openEnvironments(options: ApnsOptions, clock: Clock, logger: Logger) {
  const timings = { ...TIMINGS, ...options.timings };
  const environments = new Map<Target['environment'], ApnsEnvironment>();
  for (const environment of ['production', 'sandbox'] as const) {
    const key = options.keys[environment] ?? options.keys.production;
    if (!key) continue;
    const connection = { origin: options.origin ?? ORIGINS[environment], ca: options.ca, timings, logger };
    const token = new ProviderToken(key, options.teamId, clock);
    environments.set(environment, new ApnsEnvironment(connection, token, clock));
  }
  return environments;
}
