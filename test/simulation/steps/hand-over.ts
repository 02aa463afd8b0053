/** A phone changes hands while a push to its former owner waits for its retry. */
import { GATEWAY, Phone } from '../phones.ts';
import type { StepKind } from '../plan.ts';
import { isSoon } from './faults.ts';
import { register } from './phones.ts';

const MINUTE_MS = 60_000;

const handOver: StepKind = {
  // Worlds in which phones change hands have their own number of these.
  weight: 0,
  async run(world, actor, random) {
    const phone = world.phones.find(({ owner, deviceId }) => owner === actor.id && deviceId !== undefined);
    const others = [...world.people.values()].filter(
      (other) => other !== actor && !other.isGone && !other.settings.isSuspended,
    );
    const task = [...world.tasks.values()].find(({ id, owner }) => owner === actor.id && isSoon(world, id));
    if (!phone || others.length === 0 || !task) return;
    const other = random.pick(others);
    await world.passUntil((world.expected.get(task.id)?.at ?? 0) - 1_000);
    const gateway = world.gateways[GATEWAY[phone.platform]];
    gateway.mood = random.pick(['retry', 'timeout', 'throttles', 'crowded']);
    const minutes = random.pick([1, 2, 4]);
    world.tell(`${GATEWAY[phone.platform]} fails for ${minutes} minutes: ${gateway.mood}`);
    world.runtime.after(minutes * MINUTE_MS, () => gateway.heal(), null);
    await world.pass(random.between(1_000, 50_000));
    if (actor.isGone || other.isGone || !world.phones.includes(phone)) return;
    world.tell(`${other.name} takes over a device of ${actor.name}`);
    const handed = new Phone(other.id, phone.platform, phone.token);
    await register(world, other, handed);
    const [row] = world.query('select user_id from devices where token = ?', phone.token);
    // The process may have died before it stored that.
    if (row?.user_id !== other.id) return;
    world.phones.splice(world.phones.indexOf(phone), 1, handed);
    phone.deviceId = undefined;
    phone.removedMs = world.elapsedMs;
    for (const person of [actor, other]) person.reachChangedMs = world.elapsedMs;
    await world.pass(random.between(0, 5) * MINUTE_MS);
  },
};

export const steps = { handOver };
