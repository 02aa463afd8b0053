/**
 * Sends pushes to Apple: one long-lived HTTP/2 connection for each environment.
 *
 * It promises that every push ends with one result and that a full line, a lost connection, silence
 * or wrong credentials never make a device `gone`. A token is looked at before it becomes part of a
 * path, because it is whatever a device chose to register.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Gateway, Push, PushResult, Target } from '../gateway.ts';
import { activityRequest } from '../live-activity/payload.ts';
import type { Durations, Peer } from './connection.ts';
import { Lane } from './lane.ts';
import { type ApnsRequest, type AppSettings, nudgeRequest, testRequest } from './payload.ts';
import { type ProviderKey, ProviderToken } from './provider-token.ts';

export interface ApnsOptions extends AppSettings {
  readonly teamId: string;
  /** The sandbox takes production's key unless it has its own. An environment without any cannot be sent to. */
  readonly keys: Readonly<Partial<Record<Target['environment'], ProviderKey>>>;
  /** Replaces both of Apple's hosts; http:// means HTTP/2 without TLS. */
  readonly origin?: string;
  /** Replaces the certificate authorities that Node trusts. */
  readonly ca?: string;
  readonly durations?: Partial<Durations>;
}

const ORIGINS: Readonly<Record<Target['environment'], string>> = {
  production: 'https://api.push.apple.com',
  sandbox: 'https://api.sandbox.push.apple.com',
};
const DURATIONS: Durations = { connectMs: 5_000, requestMs: 5_000, pingEveryMs: 60_000, pongMs: 5_000 };
/** Apple says that a token's length varies; today it has 64 digits, that of a Live Activity more. */
const TOKEN = /^[0-9a-f]{2,512}$/i;

export class ApnsGateway implements Gateway {
  readonly #app: AppSettings;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #lanes: ReadonlyMap<Target['environment'], Lane>;

  /** Asks the clock for real time: Apple compares the token's age with its own. */
  constructor(options: ApnsOptions, clock: Clock, logger: Logger) {
    this.#app = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#lanes = openLanes(options, clock, logger);
  }

  send(push: Push, signal: AbortSignal): Promise<PushResult> {
    const { token, environment } = push.target;
    if (!TOKEN.test(token)) return Promise.resolve({ kind: 'rejected', reason: 'malformed_token' });
    const lane = this.#lanes.get(environment);
    if (!lane) return Promise.resolve({ kind: 'misconfigured', reason: 'not_configured' });
    try {
      const { headers, body } = this.#compose(push);
      return lane.send({ path: `/3/device/${token}`, headers, body }, signal);
    } catch (error) {
      const about = push.kind === 'test' ? {} : { task_id: push.task.id };
      this.#logger.error({ err: error, kind: push.kind, ...about }, 'a push could not be put into words');
      return Promise.resolve({ kind: 'rejected', reason: 'unsendable' });
    }
  }

  /** One environment as a gateway of its own; undefined where there is no key for it. Closing it closes both. */
  in(environment: Target['environment']): Gateway | undefined {
    const lane = this.#lanes.get(environment);
    if (!lane) return undefined;
    return {
      send: (push, signal) => this.send(push, signal),
      room: () => lane.room,
      isRefused: () => lane.isRefused,
      close: () => this.close(),
    };
  }

  /** One while nothing is connected: the first push is what connects. */
  room(): number {
    const connected = [...this.#lanes.values()].filter(({ isConnected }) => isConnected);
    const room = connected.reduce((sum, lane) => sum + lane.room, 0);
    return connected.length < this.#lanes.size ? Math.max(1, room) : room;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()));
  }

  #compose(push: Push): ApnsRequest {
    if (push.kind === 'nudge') return nudgeRequest(push, this.#app);
    if (push.kind === 'test') return testRequest(push, this.#app);
    return activityRequest(push, this.#app, this.#clock.now());
  }
}

function openLanes(options: ApnsOptions, clock: Clock, logger: Logger): Map<Target['environment'], Lane> {
  const durations = { ...DURATIONS, ...options.durations };
  const lanes = new Map<Target['environment'], Lane>();
  for (const environment of ['production', 'sandbox'] as const) {
    const key = options.keys[environment] ?? options.keys.production;
    if (!key) continue;
    const peer: Peer = { origin: options.origin ?? ORIGINS[environment], ca: options.ca, durations, logger };
    lanes.set(environment, new Lane(peer, new ProviderToken(key, options.teamId, clock), clock));
  }
  return lanes;
}
