/**
 * The devices that nudges are sent to. A token is one device of one account. Registering it again makes
 * the same device valid again. If another account registers it, the first account loses the device,
 * because a phone that changed hands must not show its former owner's tasks.
 *
 * An account has a limited number of valid devices. A new one replaces the one that was not seen for the longest time:
 * a person with a new phone must never be told to remove an old one first.
 */

import { requireLiveSession } from '../db/live-session.ts';
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken } from '../lib/secrets.ts';
import type { Platform } from '../push/gateway.ts';
import { endActivity, listActivitiesOn } from './activities.store.ts';
import { type DeviceRegistration, normalizeToken, type PushAddress, readPushAddress } from './device-input.ts';
import {
  type Device,
  deleteDevice,
  findDevice,
  insertDevice,
  listDevices,
  listLongestUnseen,
  lockByTokenHash,
  touchDevice,
  updateDevice,
} from './devices.store.ts';

interface Registered extends PushAddress {
  readonly platform: Platform;
  readonly changes: Partial<Pick<Device, 'push_env' | 'start_token' | 'client_name'>>;
}

interface DeviceRules {
  readonly isAllowedEndpoint: (endpoint: string) => boolean;
  readonly maxDevices: number;
}

/** Called after the commit of a token that the account did not have. */
type DeviceAdded = (caller: SessionCaller, device: Device) => void;

export class DevicesService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #rules: DeviceRules;
  readonly #wakeUp: () => void;
  readonly #added: DeviceAdded;

  /** `clock` is the wall clock, because providers report on tokens in real time. */
  constructor(db: Db, clock: Clock, rules: DeviceRules, wakeUp: () => void, added: DeviceAdded) {
    this.#db = db;
    this.#clock = clock;
    this.#rules = rules;
    this.#wakeUp = wakeUp;
    this.#added = added;
  }

  async register(caller: SessionCaller, input: DeviceRegistration, clientName: string | null = null): Promise<Device> {
    const address = readPushAddress(input);
    if (input.platform === 'web' && !this.#rules.isAllowedEndpoint(address.token)) {
      const msg = 'Input should be the endpoint of a known push service';
      throw new InvalidInput({ type: 'value_error', loc: ['body', 'web_push_subscription', 'endpoint'], msg });
    }
    const changes = { push_env: input.push_env, client_name: clientName };
    return this.#upsert(caller, { ...address, platform: input.platform, changes });
  }

  /** Saves the token that starts a Live Activity. It may arrive before the device itself is registered. */
  async saveStartToken(caller: SessionCaller, token: string, startToken: string): Promise<Device> {
    return this.#upsert(caller, { token, keys: null, platform: 'ios', changes: { start_token: startToken } });
  }

  /** Records that the app is in the foreground. Returns null if the caller has no such device. */
  async ping({ userId }: SessionCaller, token: string): Promise<Device | null> {
    return touchDevice(this.#db, userId, hashOf('ios', token), this.#clock.now());
  }

  async list({ userId }: Pick<SessionCaller, 'userId'>, db = this.#db): Promise<Device[]> {
    return listDevices(db, userId);
  }

  async remove({ userId }: SessionCaller, id: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const device = await findDevice(trx, userId, id);
      if (!device) throw new AppError('not_found', { sentence: 'There is no such device.' });
      await this.#delete(trx, id);
      announce(trx, [userId]);
    });
    this.#wakeUp();
  }

  /** In the transaction of signing out everywhere. Returns how many were removed. The caller wakes the engine up. */
  async end(trx: Db, userId: string, ids: readonly string[]): Promise<number> {
    const chosen = (await listDevices(trx, userId)).filter(({ id }) => ids.includes(id));
    for (const { id } of chosen) await this.#delete(trx, id);
    announce(trx, [userId]);
    return chosen.length;
  }

  /** Also ends the device's Live Activities, which show task titles to the holder of the phone. */
  async #delete(trx: Db, deviceId: string): Promise<void> {
    for (const activity of await listActivitiesOn(trx, deviceId)) {
      await endActivity(trx, activity, newId(), this.#clock.now());
    }
    await deleteDevice(trx, deviceId);
  }

  async #upsert(caller: SessionCaller, registered: Registered): Promise<Device> {
    const { platform, token } = registered;
    const tokenHash = hashOf(platform, token);
    const { device, isNew, isAnyLost } = await transact(this.#db, async (trx) => {
      await requireLiveSession(trx, caller);
      announce(trx, [caller.userId]);
      for (;;) {
        const known = await lockByTokenHash(trx, tokenHash);
        const isOwn = known?.user_id === caller.userId;
        const isTaken = known !== undefined && !isOwn;
        if (isTaken) {
          await this.#delete(trx, known.id);
          announce(trx, [known.user_id]);
        }
        const device = isOwn
          ? await updateDevice(trx, known.id, this.#registrationFields(registered))
          : await this.#insert(trx, caller, registered, tokenHash);
        // A concurrent request registered the same token, which the next iteration then finds.
        if (!device) continue;
        const isOneMore = !isOwn || !known.valid;
        const isAnyReplaced = isOneMore && (await this.#replaceUnseen(trx, device));
        return { device, isNew: !isOwn, isAnyLost: isTaken || isAnyReplaced };
      }
    });
    if (isAnyLost) this.#wakeUp();
    if (isNew) this.#added(caller, device);
    return device;
  }

  /** The registered device itself is the most recent one, so it stays. */
  async #replaceUnseen(trx: Db, { user_id }: Device): Promise<boolean> {
    const beyond = await listLongestUnseen(trx, user_id, this.#rules.maxDevices);
    for (const { id } of beyond) await this.#delete(trx, id);
    return beyond.length > 0;
  }

  #registrationFields({ token, keys, changes }: Registered) {
    return {
      token,
      keys: keys && JSON.stringify(keys),
      valid: true,
      invalid_reason: null,
      registered_at: this.#clock.now(),
      ...changes,
    };
  }

  async #insert(
    trx: Db,
    { userId }: SessionCaller,
    registered: Registered,
    token_hash: string,
  ): Promise<Device | undefined> {
    return insertDevice(trx, {
      id: newId(),
      user_id: userId,
      platform: registered.platform,
      token_hash,
      push_env: 'sandbox',
      start_token: null,
      last_seen_at: null,
      created_at: this.#clock.now(),
      ...this.#registrationFields(registered),
    });
  }
}

const hashOf = (platform: Platform, token: string) => hashToken(`${platform} ${normalizeToken(token)}`);
