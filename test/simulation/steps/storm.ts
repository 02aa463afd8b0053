/** One account has many tasks due at once, and another one has a single task due while their pushes wait. */
import { isHeldAt } from '../model/ladder.ts';
import { GATEWAY } from '../phones.ts';
import type { StepKind } from '../plan.ts';
import { addPhone } from './phones.ts';
import { createTask } from './tasks.ts';

const LOUD_TASKS = 20;
const IN_MS = 60_000;
const BEHIND_MS = 500;

const storm: StepKind = {
  weight: 1,
  async run(world, actor, random) {
    const other = random.pick([...world.people.values()]);
    const phone = world.phones.find(
      ({ owner, deviceId, isTokenDead }) => owner === other.id && deviceId && !isTokenDead,
    );
    if (!phone || other === actor || other.isGone || world.process.isDoomed) return;
    // What stand-ins are told counts for them, so that these would be loud as well.
    if (world.standIns.all.some(({ owner, hasAgreed }) => owner === actor.id && hasAgreed)) return;
    if (isHeldAt(world.now, true, other.settings) || isHeldAt(world.now, true, actor.settings)) return;
    await addPhone(world, actor, phone.platform, random);
    const gateway = world.gateways[GATEWAY[phone.platform]];
    gateway.heal();
    gateway.latencyMs = 900;
    gateway.places = 4;
    const task = {
      due: world.now + world.taskMs(IN_MS),
      hasTime: true,
      leadDays: null,
      mode: 'notify_once' as const,
      isMustNotMiss: true,
      rule: null,
      space: null,
    };
    for (let index = 0; index < LOUD_TASKS; index += 1)
      await createTask(world, actor, actor, { ...task, title: `loud ${index}` });
    await createTask(world, other, other, { ...task, due: task.due + world.taskMs(BEHIND_MS), title: 'quiet' });
    const quiet = [...world.tasks.values()].findLast(({ title, owner }) => title === 'quiet' && owner === other.id);
    if (quiet) world.waitsInStorm = { taskId: quiet.id, dueMs: world.elapsedMs + IN_MS + BEHIND_MS };
    await world.pass(IN_MS + 20_000);
    gateway.heal();
  },
};

export const steps = { storm };
