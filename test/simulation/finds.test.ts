/** Stories that seeds have told, written down because a seed tells another one once a kind of step is added. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { callerOf, doAction } from './actions.ts';
import { loadParts, type Plan, type StepKind } from './plan.ts';
import { runPlan } from './run-plan.ts';
import { createDatabase } from './shared-database.ts';
import { createTask } from './steps/tasks.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

const task = {
  title: 'T1',
  hasTime: true,
  leadDays: null,
  mode: 'escalate',
  isMustNotMiss: false,
  rule: null,
  space: null,
} as const;

/** Runs these steps in this order, each at its moment. */
async function tell(
  seed: number,
  days: number,
  tiers: readonly number[],
  steps: readonly (readonly [at: number, run: StepKind['run']])[],
) {
  const person = { name: 'Cleo', zone: 'UTC', quiet: null, dayStart: '09:00', fallbackMinutes: 3, tiers };
  const plan: Plan = {
    seed,
    startsAt: Date.UTC(2026, 5, 15),
    days,
    rowsAtOnce: 100,
    people: [{ ...person, platforms: ['ios'] }],
    steps: steps.map(([at], index) => ({ at, kind: String(index), who: 0, pick: 1 })),
  };
  const kinds = Object.fromEntries(steps.map(([, run], index) => [String(index), { weight: 0, run }]));
  const { invariants } = await loadParts();
  return runPlan(plan, { database: await createDatabase(), kinds, invariants });
}

const first = (world: World) => [...world.tasks.values()][0] ?? assert.fail('There is no task.');

onlyOn('sqlite', () => {
  test('a Live Activity outlives a correction of the clock, and ends with its task days later (seed 180)', async () => {
    let shown = 0;
    const { violation, nudges } = await tell(
      180,
      4,
      [],
      [
        [
          0,
          async (world, actor) => {
            const { token, startToken } = world.phones[0] ?? assert.fail('There is no phone.');
            await world.call(({ devices }) => devices.saveStartToken(callerOf(actor), token, startToken));
            await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
          },
        ],
        [20 * MINUTE_MS, async (world) => world.setClock(-45 * MINUTE_MS)],
        [3 * DAY_MS, async (world) => world.restartAfter(0)],
        [
          3 * DAY_MS + 2 * MINUTE_MS,
          (world, actor) => {
            shown = world.phones[0]?.activities.size ?? 0;
            return doAction(world, actor, first(world), { name: 'complete' });
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.equal(shown, 1);
    assert.ok(nudges > 70);
  });

  test('two nudges at a moment that a set-back clock shows twice are not taken for one (seed 474)', async () => {
    const { violation, story } = await tell(
      474,
      0.1,
      [1, 2],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + 10 * MINUTE_MS })],
        [
          10 * MINUTE_MS,
          async (world) => {
            world.runtime.pollUntilMs = world.elapsedMs + 5_000;
          },
        ],
        [10 * MINUTE_MS + 4_300, async (world) => world.setClock(-10 * MINUTE_MS)],
      ],
    );
    assert.equal(violation, undefined);
    const nudges = story.filter((line) => line.includes('nudges Cleo: “T1”, stage 0'));
    assert.equal(nudges.length, 2);
    assert.equal(nudges[0], nudges[1]);
  });

  test('a second nudge at such a moment counts when its pushes are sent, whatever is being stored then (seed 10262)', async () => {
    const { violation, story } = await tell(
      10262,
      0.2,
      [1, 2],
      [
        [
          0,
          async (world, actor) => {
            world.gateways.apns.mood = 'retry';
            await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + 90 * MINUTE_MS });
          },
        ],
        [90 * MINUTE_MS + 4_300, async (world) => world.setClock(-90 * MINUTE_MS)],
        [91 * MINUTE_MS, async (world) => world.gateways.apns.heal()],
      ],
    );
    assert.equal(violation, undefined);
    assert.equal(story.filter((line) => line.includes('nudges Cleo: “T1”, stage 0')).length, 2);
  });

  test('a message stays that its provider refuses to take back for good (seed 10895)', async () => {
    const { violation, story } = await tell(
      10895,
      0.1,
      [0],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
        [
          3 * MINUTE_MS,
          async (world, actor) => {
            world.gateways.ntfy.mood = 'rejected';
            await doAction(world, actor, first(world), { name: 'complete' });
          },
        ],
        [10 * MINUTE_MS, async (world) => world.gateways.ntfy.heal()],
      ],
    );
    assert.equal(violation, undefined);
    assert.match(story.join(), /nudges Cleo.*asks to complete/);
  });

  test('a task that a set-back clock has moved by seconds is right again without a correction (seed 3771)', async () => {
    const setBackMs = 45 * MINUTE_MS;
    const { violation, nudges } = await tell(
      3771,
      0.1,
      [],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, leadDays: 1, due: world.now + DAY_MS / 4 })],
        [
          setBackMs - 4_000,
          async (world) => {
            world.restartAfter(1_000);
            world.setClock(-setBackMs);
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.equal(nudges, 1);
  });
});
