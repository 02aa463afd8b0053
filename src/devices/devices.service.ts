/**
 * Where nudges go. A token is one device of one account: registered again it is the same device and
 * valid once more; registered by another account it leaves the first, since a phone that changed
 * hands must not show its former owner's tasks.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken } from '../lib/secrets.ts';
import type { Platform } from '../push/gateway.ts';
import { type DeviceRegistration, type PushAddress, readAddress, spell } from './device-input.ts';
import {
  countDevices,
  type Device,
  deleteDevice,
  findByTokenHash,
  findDevice,
  insertDevice,
  listDevices,
  lockByTokenHash,
  updateDevice,
} from './devices.store.ts';

/** More than anybody carries, and few enough that a nudge to all of them stays a small thing. */
const MOST_DEVICES = 100;

interface Registered extends PushAddress {
  readonly platform: Platform;
  readonly changes: Partial<Pick<Device, 'push_env' | 'start_token'>>;
}

export class DevicesService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #isAllowedEndpoint: (endpoint: string) => boolean;

  /** The clock is the wall's: what providers say about a token is said in real time. */
  constructor(db: Kysely<Database>, clock: Clock, isAllowedEndpoint: (endpoint: string) => boolean) {
    this.#db = db;
    this.#clock = clock;
    this.#isAllowedEndpoint = isAllowedEndpoint;
  }

  async register(caller: SessionCaller, input: DeviceRegistration): Promise<Device> {
    const address = readAddress(input);
    if (input.platform === 'web' && !this.#isAllowedEndpoint(address.token)) {
      const msg = 'Input should be the endpoint of a known push service';
      throw new InvalidInput({ type: 'value_error', loc: ['body', 'web_push_subscription', 'endpoint'], msg });
    }
    return this.#upsert(caller, { ...address, platform: input.platform, changes: { push_env: input.push_env } });
  }

  /** The token that starts a Live Activity. It may arrive before the device itself is registered. */
  async keepStartToken(caller: SessionCaller, token: string, startToken: string): Promise<Device> {
    return this.#upsert(caller, { token, keys: null, platform: 'ios', changes: { start_token: startToken } });
  }

  /** The app is in the foreground. Null where the caller has no such device. */
  async ping({ userId }: SessionCaller, token: string): Promise<Device | null> {
    const device = await findByTokenHash(this.#db, hashOf('ios', token));
    if (!device || device.user_id !== userId) return null;
    return updateDevice(this.#db, device.id, { last_seen_at: this.#clock.now() });
  }

  async list({ userId }: SessionCaller): Promise<Device[]> {
    return listDevices(this.#db, userId);
  }

  async remove({ userId }: SessionCaller, id: string): Promise<void> {
    const device = await findDevice(this.#db, userId, id);
    if (!device) throw new AppError('not_found', { sentence: 'There is no such device.' });
    await deleteDevice(this.#db, id);
  }

  async #upsert(caller: SessionCaller, registered: Registered): Promise<Device> {
    return transact(this.#db, async (trx) => {
      const { token, keys, platform, changes } = registered;
      const token_hash = hashOf(platform, token);
      const now = this.#clock.now();
      const known = await lockByTokenHash(trx, token_hash);
      const renewed = {
        token,
        keys: keys && JSON.stringify(keys),
        valid: true,
        invalid_reason: null,
        registered_at: now,
      };
      if (known?.user_id === caller.userId) return updateDevice(trx, known.id, { ...renewed, ...changes });
      if (known) await deleteDevice(trx, known.id);
      if ((await countDevices(trx, caller.userId)) >= MOST_DEVICES) throw new AppError('too_many_devices');
      const device = await insertDevice(trx, {
        ...{ id: newId(), user_id: caller.userId, platform, token_hash, ...renewed },
        ...{ push_env: 'sandbox', start_token: null, last_seen_at: null, created_at: now, ...changes },
      });
      // Two registrations of one token at the same moment: the other was first, and the token is its device's.
      return (
        device ?? updateDevice(trx, (await lockByTokenHash(trx, token_hash))?.id ?? '', { ...renewed, ...changes })
      );
    });
  }
}

const hashOf = (platform: Platform, token: string) => hashToken(`${platform} ${spell(token)}`);
