/** Failures that seeds have found, as fixed lists of steps: once a kind of step is added, a seed draws another plan. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { callerOf, doAction, doEdit } from './actions.ts';
import { learnAnswers } from './channels.ts';
import { loadParts, type Plan, type StepKind } from './plan.ts';
import type { Services } from './process.ts';
import { Random } from './random.ts';
import { runPlan } from './run-plan.ts';
import { createDatabase } from './shared-database.ts';
import { change, setQuietHours } from './steps/settings.ts';
import { deleteAccount, steps as ofSpaces } from './steps/spaces.ts';
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

/** Runs these steps in this order, each at its moment and by the first person. */
async function tell(
  seed: number,
  days: number,
  tiers: readonly number[],
  steps: readonly (readonly [at: number, run: StepKind['run']])[],
  names: readonly string[] = ['Cleo'],
) {
  const person = { zone: 'UTC', quiet: null, dayStart: '09:00', fallbackMinutes: 3, tiers };
  const plan: Plan = {
    seed,
    startsAt: Date.UTC(2026, 5, 15),
    days,
    rowsAtOnce: 2,
    people: names.map((name) => ({ ...person, name, platforms: ['ios'] })),
    steps: steps.map(([at], index) => ({ at, kind: String(index), who: 0, pick: 1 })),
  };
  const kinds = Object.fromEntries(steps.map(([, run], index) => [String(index), { weight: 0, run }]));
  const { invariants } = await loadParts();
  return runPlan(plan, { database: await createDatabase(), kinds, invariants });
}

const first = (world: World) => [...world.tasks.values()][0] ?? assert.fail('There is no task.');
const secondOf = ({ people }: World) => [...people.values()][1] ?? assert.fail('There is nobody else.');

/** A message is shown after a minute, and the provider delays its retraction by another minute. */
const retractionWaits: readonly (readonly [at: number, run: StepKind['run']])[] = [
  [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
  [
    3 * MINUTE_MS,
    async (world, actor) => {
      world.gateways.ntfy.mood = 'throttles';
      await doAction(world, actor, first(world), { name: 'complete' });
    },
  ],
  [3 * MINUTE_MS + 5_000, async (world) => world.gateways.ntfy.heal()],
];

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

  test('a message that is accepted after its task was dealt with is taken back without a poll (seed 18570)', async () => {
    let shown = 1;
    const { violation } = await tell(
      18570,
      0.1,
      [0],
      [
        [
          0,
          (world, actor) =>
            createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + MINUTE_MS }),
        ],
        [MINUTE_MS + 30, (world, actor) => doAction(world, actor, first(world), { name: 'complete' })],
        [
          MINUTE_MS + 1_000,
          async (world) => {
            shown = world.channels[0]?.shown.size ?? 1;
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.equal(shown, 0);
  });

  test('a ladder that begins anew at a moment that the clock shows twice may fall (seed 17023)', async () => {
    const { violation, story } = await tell(
      17023,
      0.1,
      [],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + 10 * MINUTE_MS })],
        [10 * MINUTE_MS + 8_000, (world, actor) => setQuietHours(world, actor, ['00:10', '00:25'])],
        [25 * MINUTE_MS + 5_000, async (world) => world.setClock(-45 * MINUTE_MS)],
      ],
    );
    assert.equal(violation, undefined);
    assert.match(story.join('\n'), /00:25:00.000 {2}.*stage 1\n.*00:25:00.000 {2}.*stage 0/);
  });

  test('a push that has just failed is sent again as soon as an outage ends (seed 16808)', async () => {
    let soonest = Number.POSITIVE_INFINITY;
    const { violation } = await tell(
      16808,
      0.1,
      [],
      [
        [
          0,
          async (world, actor) => {
            world.gateways.apns.mood = 'retry';
            for (let count = 0; count < 20; count += 1)
              await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + MINUTE_MS });
          },
        ],
        [MINUTE_MS + 50_000, async (world) => world.gateways.apns.heal()],
        [
          5 * MINUTE_MS,
          async (world) => {
            for (const sent of world.sent.values()) {
              const [last, before] = sent.filter(({ push }) => push.kind === 'nudge').toReversed();
              soonest = Math.min(soonest, (last?.ms ?? 0) - (before?.ms ?? 0));
            }
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(soonest < 1_000, `after ${soonest} ms`);
  });

  test('one commit may hold a nudge and the deletion of its account (seed 17219)', async () => {
    const { violation, story } = await tell(
      // The first seed with an order of turns that brings both into one commit.
      20,
      0.1,
      [],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
        [
          MINUTE_MS / 2,
          async (world, actor) => {
            await world.pass(MINUTE_MS - world.elapsedMs);
            await deleteAccount(world, actor);
          },
        ],
      ],
      ['Cleo', 'Ada', 'Ben'],
    );
    assert.equal(violation, undefined);
    assert.match(story.join('\n'), /deletes their account\n.*nudges Cleo/);
  });

  test('a run that begins in the moment of a nudge owes nothing to it (seed 21627)', async () => {
    const { violation, story } = await tell(
      21627,
      0.1,
      [1],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now - MINUTE_MS })],
        [5_000, (world, actor) => doAction(world, actor, first(world), { name: 'drop' })],
        [10_000, (world, actor) => doAction(world, actor, first(world), { name: 'reopen' })],
        [
          10_000,
          (world, actor) => doAction(world, actor, first(world), { name: 'snooze', until: world.now + 60 * MINUTE_MS }),
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.match(story.join('\n'), /reopen.*\n.*nudges Cleo.*\n.*snooze/);
  });

  test('nobody finds the tasks of an account that is being deleted (seed 22996)', async () => {
    const { violation, story } = await tell(
      22996,
      0.1,
      [],
      [
        [
          0,
          async (world, actor) => {
            // More than the request itself deletes.
            for (let count = 0; count < 4; count += 1)
              await createTask(world, secondOf(world), actor, { ...task, due: world.now + DAY_MS });
          },
        ],
        [
          MINUTE_MS,
          async (world, actor) => {
            world.delayFollowUps(10 * MINUTE_MS);
            await deleteAccount(world, actor);
            await doAction(world, secondOf(world), first(world), { name: 'skip' });
          },
        ],
      ],
      ['Cleo', 'Ada', 'Ben'],
    );
    assert.equal(violation, undefined);
    assert.match(story.join('\n'), /Ada asks to skip.*\n.*refused: not_found/);
  });

  test('a nudge that a set clock has made due in a hold is planned again (seed 24049)', async () => {
    const { violation, nudges } = await tell(
      24049,
      1,
      [],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
        [2 * MINUTE_MS, (world, actor) => setQuietHours(world, actor, ['06:00', '18:00'])],
        [
          3 * MINUTE_MS,
          async (world, actor) => {
            world.setClock(600 * MINUTE_MS);
            await doAction(world, actor, first(world), { name: 'reopen' });
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 1);
  });

  test('a nudge that a set clock has led into a hold is due when the hold ends (seed 643169)', async () => {
    const { violation, nudges } = await tell(
      643169,
      0.5,
      [],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
        [2 * MINUTE_MS, (world, actor) => setQuietHours(world, actor, ['01:00', '03:00'])],
        [
          3 * MINUTE_MS,
          async (world) => {
            world.setClock(90 * MINUTE_MS);
            // Long enough for the engine to notice it. The next that happens is the end of the quiet hours.
            world.runtime.pollUntilMs = world.elapsedMs + 2_500;
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 1);
  });

  test('a nudge that is being stored is not followed twice after a set-back clock (seed 35260)', async () => {
    const setBackMs = 45 * MINUTE_MS;
    const { violation, nudges } = await tell(
      35260,
      0.3,
      [],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
        [
          // The last nudge, two hours after the first, lies seconds ahead.
          121 * MINUTE_MS + setBackMs - 18_000,
          async (world) => {
            world.restartAfter(1_000);
            world.setClock(-setBackMs);
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 7, `${nudges} nudges`);
  });

  test('a clock that was set back delays what takes a message back by no more than that (seed 38070)', async () => {
    let shown = 1;
    const { violation } = await tell(
      38070,
      0.1,
      [0],
      [
        ...retractionWaits,
        [3 * MINUTE_MS + 10_000, async (world) => world.setClock(-14 * MINUTE_MS)],
        [
          20 * MINUTE_MS,
          async (world) => {
            shown = world.channels[0]?.shown.size ?? 1;
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.equal(shown, 0);
  });

  test('a retraction that is retried leaves the message of a run that began meanwhile (seed 100810)', async () => {
    let shown = 0;
    const { violation } = await tell(
      100810,
      0.1,
      [0],
      [
        ...retractionWaits,
        [3 * MINUTE_MS + 10_000, (world, actor) => doAction(world, actor, first(world), { name: 'reopen' })],
        [
          6 * MINUTE_MS,
          async (world) => {
            shown = world.channels[0]?.shown.size ?? 0;
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.equal(shown, 1);
  });

  test('a task that is dealt with while a set-back clock has moved it is what the engine made of it (seed 106176)', async () => {
    const { violation } = await tell(
      // The first seed with an order of turns that brings the engine's correction and the completion into one commit.
      13,
      0.1,
      [],
      [
        [
          0,
          async (world, actor) => {
            await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
            await createTask(world, actor, actor, { ...task, due: world.now + DAY_MS });
          },
        ],
        [
          2 * MINUTE_MS,
          async (world, actor) => {
            const [climbing, other] = [...world.tasks.values()];
            assert.ok(climbing && other);
            world.setClock(-10 * MINUTE_MS);
            // It wakes the engine, which notices what the clock shows.
            await doAction(world, actor, other, { name: 'snooze', until: world.now + 30 * MINUTE_MS });
            await world.pass(0);
            await world.pass(0);
            await doAction(world, actor, climbing, { name: 'complete' });
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
  });

  test('the end of an outage in quiet hours ends (seed 123086)', async () => {
    const { violation, nudges } = await tell(
      123086,
      0.1,
      [],
      [
        [
          0,
          async (world, actor) => {
            world.gateways.apns.mood = 'retry';
            for (let count = 0; count < 4; count += 1)
              await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + MINUTE_MS });
            await createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + 5 * MINUTE_MS });
          },
        ],
        [1.5 * MINUTE_MS, (world, actor) => setQuietHours(world, actor, ['00:01', '00:20'])],
        [
          4 * MINUTE_MS,
          async (world) => {
            world.gateways.apns.heal();
            world.gateways.apns.places = 2;
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 5);
  });

  test('a hold that begins with an edit keeps a message for the next tier (seed 205757)', async () => {
    const { violation } = await tell(
      205757,
      0.1,
      [1],
      [
        [
          0,
          async (world, actor) => {
            await setQuietHours(world, actor, ['00:00', '00:20']);
            await createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + MINUTE_MS });
          },
        ],
        [2 * MINUTE_MS, (world, actor) => doEdit(world, actor, first(world), { isMustNotMiss: false })],
      ],
    );
    assert.equal(violation, undefined);
  });

  test('a nudge of a clock that was set back since delays no tier (seed 212240)', async () => {
    const { violation, nudges } = await tell(
      212240,
      0.15,
      [1],
      [
        [
          0,
          async (world, actor) => {
            await setQuietHours(world, actor, ['00:00', '02:00']);
            await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
            world.setClock(180 * MINUTE_MS);
          },
        ],
        [MINUTE_MS, async (world) => world.setClock(-180 * MINUTE_MS)],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 1);
  });

  /** The second person asks the first one for a task of a space that both are in. */
  const request: StepKind['run'] = async (world, actor) => {
    await ofSpaces.share.run(world, actor, new Random(3));
    const [space = null] = world.spaces.keys();
    assert.equal(world.spaces.get(space ?? '')?.size, 2);
    await createTask(world, secondOf(world), actor, { ...task, space, due: world.now + DAY_MS });
  };

  test('two departures change a task one after the other (seed 208766)', async () => {
    const { violation } = await tell(
      208766,
      0.5,
      [],
      [
        [0, request],
        [
          MINUTE_MS,
          async (world, actor) => {
            const leaver = secondOf(world);
            // The first slice of the departure takes these.
            for (let count = 0; count < 4; count += 1)
              await createTask(world, leaver, leaver, { ...task, due: world.now + DAY_MS });
            world.delayFollowUps(60 * MINUTE_MS);
            await deleteAccount(world, leaver);
            await ofSpaces.leave.run(world, actor, new Random(1));
          },
        ],
      ],
      ['Ada', 'Cleo'],
    );
    assert.equal(violation, undefined);
  });

  test('who has left a space cannot reopen a request that was dropped there (seed 219510)', async () => {
    const { violation } = await tell(
      219510,
      0.1,
      [],
      [
        [0, request],
        [MINUTE_MS, (world, actor) => doAction(world, actor, first(world), { name: 'drop' })],
        [2 * MINUTE_MS, (world) => ofSpaces.leave.run(world, secondOf(world), new Random(1))],
        [3 * MINUTE_MS, (world) => doAction(world, secondOf(world), first(world), { name: 'reopen' })],
      ],
      ['Cleo', 'Ben'],
    );
    assert.equal(violation, undefined);
  });

  test('a tier that a process used just before it died was not used, for all the service knows (seed 232289)', async () => {
    const { violation, nudges } = await tell(
      232289,
      0.1,
      [1],
      [
        [
          0,
          async (world, actor) => {
            world.gateways.ntfy.latencyMs = 5_000;
            await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
          },
        ],
        [4 * MINUTE_MS + 1_000, (world, actor) => setQuietHours(world, actor, ['00:04', '00:25'])],
        [
          4 * MINUTE_MS + 2_000,
          async (world) => {
            world.restartAfter(5 * MINUTE_MS);
            world.gateways.ntfy.heal();
          },
        ],
        [
          10 * MINUTE_MS,
          async (world, actor) => {
            const { id } = first(world);
            await world.call(({ deliveries }) => deliveries.acknowledge(callerOf(actor), id, 0));
            learnAnswers(world, id);
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 1);
  });

  test('an answer in the moment of a nudge is one to those before it (seed 315253)', async () => {
    const dueMs = 600 * MINUTE_MS;
    const { violation, nudges } = await tell(
      // Of the first seeds, one in which the answer comes first.
      1,
      0.6,
      [1],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, leadDays: 0, due: world.now + dueMs })],
        [
          dueMs - MINUTE_MS,
          async (world, actor) => {
            const { id } = first(world);
            await world.pass(dueMs - world.elapsedMs);
            await world.call(({ deliveries }) => deliveries.acknowledge(callerOf(actor), id, -1));
            learnAnswers(world, id);
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 1);
  });

  test('an answer is none to a later nudge that a set-back clock has dated before it (seed 655733)', async () => {
    const { violation, nudges } = await tell(
      655733,
      0.2,
      [1],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
        [
          62 * MINUTE_MS,
          async (world, actor) => {
            const { id } = first(world);
            await world.call(({ deliveries }) => deliveries.acknowledge(callerOf(actor), id, 2));
            learnAnswers(world, id);
          },
        ],
        [
          120 * MINUTE_MS,
          async (world) => {
            world.gateways.ntfy.mood = 'throttles';
          },
        ],
        [122 * MINUTE_MS, async (world) => world.setClock(-61 * MINUTE_MS)],
        [160 * MINUTE_MS, async (world) => world.gateways.ntfy.heal()],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 6);
  });

  test('a nudge reaches no device if its task is put off in the same moment (seed 401442)', async () => {
    const { violation } = await tell(
      401442,
      0.1,
      [],
      [
        [
          MINUTE_MS,
          async (world, actor) => {
            world.gateways.apns.mood = 'retry';
            await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now - MINUTE_MS });
            while (!world.nudges.has(first(world).id)) await world.pass(0);
            await doAction(world, actor, first(world), { name: 'snooze', until: world.now + 120 * MINUTE_MS });
          },
        ],
        [2 * MINUTE_MS, async (world) => world.gateways.apns.heal()],
        [60 * MINUTE_MS, async () => undefined],
      ],
    );
    assert.equal(violation, undefined);
  });

  test('a push in another zone may be about the day as it was before (seed 504925)', async () => {
    const { violation } = await tell(
      504925,
      0.1,
      [],
      [
        [
          MINUTE_MS,
          async (world, actor) => {
            world.gateways.apns.mood = 'retry';
            const day = { ...task, hasTime: false, mode: 'notify_once' } as const;
            // The first slice plans these again.
            for (const due of [Date.UTC(2026, 6, 1), Date.UTC(2026, 6, 2)])
              await createTask(world, actor, actor, { ...day, due });
            await createTask(world, actor, actor, { ...day, due: Date.UTC(2026, 5, 14) });
            while (world.nudges.size === 0) await world.pass(0);
            world.delayFollowUps(MINUTE_MS);
            const input = { timezone: 'Asia/Kolkata' };
            const request = ({ settings }: Services) => settings.update(callerOf(actor), input);
            await change(world, actor, 'moves', request, (before) => ({ ...before, zone: input.timezone }));
          },
        ],
        [MINUTE_MS + 1_000, async (world) => world.gateways.apns.heal()],
      ],
    );
    assert.equal(violation, undefined);
  });

  test('an edit in the moment of a push does not call it back (seed 506181)', async () => {
    const dueMs = 60 * MINUTE_MS;
    const { violation, nudges } = await tell(
      // Of the first seeds, one in which the edit comes between the nudge and its push.
      5,
      0.1,
      [],
      [
        [
          0,
          async (world, actor) => {
            await setQuietHours(world, actor, ['00:00', '02:00']);
            await createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + dueMs });
          },
        ],
        [
          dueMs - MINUTE_MS,
          async (world, actor) => {
            await world.pass(dueMs - world.elapsedMs);
            await doEdit(world, actor, first(world), { isMustNotMiss: false });
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.ok(nudges > 1);
  });

  test('a message of an ended run is taken back, although a set-back clock shows its moment again (seed 577420)', async () => {
    const { violation } = await tell(
      577420,
      0.1,
      [0],
      [
        [0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })],
        [
          3 * MINUTE_MS,
          async (world, actor) => {
            world.gateways.ntfy.mood = 'throttles';
            await doAction(world, actor, first(world), { name: 'snooze', until: world.now + DAY_MS });
          },
        ],
        [
          3 * MINUTE_MS + 5_000,
          async (world) => {
            world.gateways.ntfy.heal();
            world.setClock(-10 * MINUTE_MS);
          },
        ],
        [100 * MINUTE_MS, async () => undefined],
      ],
    );
    assert.equal(violation, undefined);
  });

  test('a message is taken back although its run ends when a set-back clock shows its moment again (seed 628105)', async () => {
    let shown: number | undefined;
    const { violation } = await tell(
      628105,
      0.1,
      [0],
      [
        [
          0,
          (world, actor) =>
            createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + 10 * MINUTE_MS }),
        ],
        [20 * MINUTE_MS, async (world) => world.setClock(-15 * MINUTE_MS)],
        [
          24 * MINUTE_MS,
          async (world, actor) => {
            await world.pass(Number(first(world).due) - world.now);
            await doAction(world, actor, first(world), { name: 'snooze', until: world.now + DAY_MS });
          },
        ],
        [
          120 * MINUTE_MS,
          async (world) => {
            shown = world.channels[0]?.shown.size;
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
    assert.equal(shown, 0);
  });

  test('a pause that a dying process did not store differs from the one before it in any of its parts (seed 629838)', async () => {
    const { violation } = await tell(
      629838,
      0.1,
      [],
      [
        [
          0,
          (world, actor) =>
            createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + 10 * MINUTE_MS }),
        ],
        [
          5 * MINUTE_MS,
          async (world, actor) => {
            const until = world.now + 30 * MINUTE_MS;
            const pause = (keepMustNotMiss: boolean) =>
              change(
                world,
                actor,
                'pauses',
                ({ settings }) => settings.pause(callerOf(actor), new Date(until).toISOString(), keepMustNotMiss),
                (before) => ({ ...before, pause: [world.now, until], keepMustNotMiss }),
              );
            await pause(false);
            const { process } = world;
            process.onDeath(() => world.restartAfter(1_000));
            process.dieAfter(1);
            await pause(true);
          },
        ],
      ],
    );
    assert.equal(violation, undefined);
  });
});
