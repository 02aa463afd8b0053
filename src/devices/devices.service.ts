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
import { endActivity, listCardsOn } from './activities.store.ts';
import { type DeviceRegistration, type PushAddress, readAddress, spell } from './device-input.ts';
import {
  countValidDevices,
  type Device,
  deleteDevice,
  findDevice,
  insertDevice,
  listDevices,
  lockByTokenHash,
  touchDevice,
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
  readonly #wakeUp: () => void;

  /** The clock is the wall's: what providers say about a token is said in real time. */
  constructor(
    db: Kysely<Database>,
    clock: Clock,
    isAllowedEndpoint: (endpoint: string) => boolean,
    wakeUp: () => void,
  ) {
    this.#wakeUp = wakeUp;
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
    return touchDevice(this.#db, userId, hashOf('ios', token), this.#clock.now());
  }

  async list({ userId }: SessionCaller): Promise<Device[]> {
    return listDevices(this.#db, userId);
  }

  async remove({ userId }: SessionCaller, id: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const device = await findDevice(trx, userId, id);
      if (!device) throw new AppError('not_found', { sentence: 'There is no such device.' });
      await this.#forget(trx, id);
    });
    this.#wakeUp();
  }

  /** Its cards go too: they show the task's title to whoever holds the phone. */
  async #forget(trx: Kysely<Database>, deviceId: string): Promise<void> {
    for (const card of await listCardsOn(trx, deviceId)) await endActivity(trx, card, newId(), this.#clock.now());
    await deleteDevice(trx, deviceId);
  }

  async #upsert(caller: SessionCaller, registered: Registered): Promise<Device> {
    const { platform, token } = registered;
    const tokenHash = hashOf(platform, token);
    return transact(this.#db, async (trx) => {
      for (;;) {
        const known = await lockByTokenHash(trx, tokenHash);
        if (known?.user_id === caller.userId) return updateDevice(trx, known.id, this.#renewed(registered));
        if (known) await this.#forget(trx, known.id);
        // Undefined where the same token was registered at the same moment: then it is known now.
        const device = await this.#insert(trx, caller, registered, tokenHash);
        if (device) return device;
      }
    });
  }

  #renewed({ token, keys, changes }: Registered) {
    const registered_at = this.#clock.now();
    return { token, keys: keys && JSON.stringify(keys), valid: true, invalid_reason: null, registered_at, ...changes };
  }

  async #insert(
    trx: Kysely<Database>,
    { userId }: SessionCaller,
    registered: Registered,
    token_hash: string,
  ): Promise<Device | undefined> {
    if ((await countValidDevices(trx, userId)) >= MOST_DEVICES) throw new AppError('too_many_devices');
    return insertDevice(trx, {
      ...{ id: newId(), user_id: userId, platform: registered.platform, token_hash, push_env: 'sandbox' },
      ...{ start_token: null, last_seen_at: null, created_at: this.#clock.now(), ...this.#renewed(registered) },
    });
  }
}

const hashOf = (platform: Platform, token: string) => hashToken(`${platform} ${spell(token)}`);
