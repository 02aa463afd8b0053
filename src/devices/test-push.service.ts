/**
 * Sends a real push to each of the caller's valid devices, through the gateways that nudges use and
 * with the same handling of results, so that the user sees what would happen to a nudge. Their number is
 * limited, because each one takes capacity of the providers from everybody's nudges.
 */
import { setMaxListeners } from 'node:events';
import type { Db } from '../db/schema.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { type Gateways, type PushResult, providerOf } from '../push/gateway.ts';
import { type Device, invalidateDevice, listDevices } from './devices.store.ts';

export interface TestResult {
  readonly device_id: string;
  readonly platform: Device['platform'];
  readonly status: 'sent' | 'failed_transient' | 'failed_permanent';
  readonly reason: string | null;
}

/** Short, because the caller waits for the result. */
const TIMEOUT_MS = 8_000;
const LIFETIME_MS = 300_000;

const STATUS_OF: Readonly<Record<PushResult['kind'], TestResult['status']>> = {
  accepted: 'sent',
  retry: 'failed_transient',
  misconfigured: 'failed_transient',
  gone: 'failed_permanent',
  rejected: 'failed_permanent',
};

export class TestPushService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #gateways: Gateways;
  readonly #limitTestPushes: (userId: string) => Promise<void>;

  /** `limitTestPushes` throws if the account has asked for too many. */
  constructor(db: Db, clock: Clock, gateways: Gateways, limitTestPushes: (userId: string) => Promise<void>) {
    this.#db = db;
    this.#clock = clock;
    this.#gateways = gateways;
    this.#limitTestPushes = limitTestPushes;
  }

  /** As strong as a nudge of the stage. */
  async send({ userId }: SessionCaller, stage?: number): Promise<TestResult[]> {
    await this.#limitTestPushes(userId);
    const devices = (await listDevices(this.#db, userId)).filter(({ valid }) => valid);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    setMaxListeners(0, signal);
    return Promise.all(devices.map((device) => this.#sendTo(device, stage, signal)));
  }

  async #sendTo(device: Device, stage: number | undefined, signal: AbortSignal): Promise<TestResult> {
    const { id: device_id, platform, token, push_env, keys } = device;
    const gateway = this.#gateways[providerOf(platform, push_env)];
    if (!gateway) return { device_id, platform, status: 'failed_transient', reason: 'not_configured' };
    const sentAt = this.#clock.now();
    const target = { platform, token, environment: push_env, keys: keys === null ? null : JSON.parse(keys) };
    const expiresAt = new Date(sentAt.getTime() + LIFETIME_MS);
    const result = await gateway.send({ kind: 'test', target, stage, expiresAt }, signal);
    if (result.kind === 'gone') await invalidateDevice(this.#db, device_id, result.reason, result.since ?? sentAt);
    return {
      device_id,
      platform,
      status: STATUS_OF[result.kind],
      reason: result.kind === 'accepted' ? null : result.reason,
    };
  }
}
