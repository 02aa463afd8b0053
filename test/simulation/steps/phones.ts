/** Phones go offline, get new tokens, are removed and added. */
import type { DeviceRegistration } from '../../../src/devices/device-input.ts';
import type { Platform } from '../../../src/push/gateway.ts';
import { callerOf } from '../actions.ts';
import type { Person } from '../person.ts';
import { Phone } from '../phones.ts';
import type { StepKind } from '../plan.ts';
import type { Random } from '../random.ts';
import type { World } from '../world.ts';

const newToken = (random: Random): string => Array.from({ length: 64 }, () => random.below(16).toString(16)).join('');

export async function addPhone(world: World, owner: Person, platform: Platform, random: Random): Promise<void> {
  const phone = new Phone(owner.id, platform, newToken(random));
  world.phones.push(phone);
  owner.reachChangedMs = world.elapsedMs;
  await register(world, owner, phone);
  if (platform !== 'ios' || random.chance(0.5)) return;
  await world.call(({ devices }) => devices.saveStartToken(callerOf(owner), phone.token, phone.startToken));
}

export async function register(world: World, owner: Person, phone: Phone): Promise<void> {
  const { platform, token } = phone;
  const keys = { p256dh: 'key', auth: 'auth' };
  const registration: DeviceRegistration = {
    platform,
    push_env: 'production',
    ...(platform === 'ios' && { ios_push_token: token }),
    ...(platform === 'android' && { android_push_token: token }),
    ...(platform === 'web' && { web_push_subscription: { endpoint: token, keys } }),
  };
  const answer = await world.call(({ devices }) => devices.register(callerOf(owner), registration));
  if (answer === 'no answer') phone.deviceId = storedId(world, token);
  else if ('value' in answer) phone.deviceId = answer.value.id;
  else world.fail('answers', `Registering a device was refused: ${answer.refusal}.`);
  phone.isTokenDead = false;
  phone.registeredMs = world.elapsedMs;
  owner.reachChangedMs = world.elapsedMs;
}

const storedId = (world: World, token: string): string | undefined =>
  world.query('select id from devices where token = ?', token)[0]?.id as string | undefined;

const own = (world: World, actor: Person, random: Random): Phone | undefined => {
  const phones = world.phones.filter(({ owner }) => owner === actor.id);
  return phones.length > 0 ? random.pick(phones) : undefined;
};

const add: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    if (world.phones.filter(({ owner }) => owner === actor.id).length > 3) return;
    world.tell(`${actor.name} adds a device`);
    await addPhone(world, actor, random.pick(['ios', 'android', 'web']), random);
  },
};

const remove: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const phone = own(world, actor, random);
    const id = phone?.deviceId;
    if (!phone || id === undefined) return;
    world.tell(`${actor.name} removes a device`);
    await world.call(({ devices }) => devices.remove(callerOf(actor), id));
    actor.reachChangedMs = world.elapsedMs;
    phone.deviceId = storedId(world, phone.token);
    if (phone.deviceId === undefined) phone.removedMs = world.elapsedMs;
  },
};

/** The old token is dead from now on, and the app registers the new one a little later. */
const changeToken: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const phone = own(world, actor, random);
    if (!phone) return;
    world.tell(`${actor.name}'s device gets a new token`);
    const replaced = new Phone(actor.id, phone.platform, newToken(random));
    world.phones.splice(world.phones.indexOf(phone), 1, replaced);
    actor.reachChangedMs = world.elapsedMs;
    await register(world, actor, replaced);
  },
};

const goOffline: StepKind = {
  weight: 2,
  async run(world, actor, random) {
    const phone = own(world, actor, random);
    if (!phone) return;
    phone.isOnline = false;
    world.runtime.after(random.pick([5, 60, 900]) * 60_000, () => phone.goOnline(world.runtime.wallNow()), null);
  },
};

export const steps = { addDevice: add, removeDevice: remove, changeToken, goOffline };
