/** Stories that seeds have told, written down because a seed tells another one once a kind of step is added. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyOn } from '../support/engines.ts';
import { callerOf, doAction, doEdit } from './actions.ts';
import { changeCopy, sync } from './app-actions.ts';
import { copiesOf } from './app-copies.ts';
import type { AppChange } from './apps.ts';
import { learnAnswers } from './channels.ts';
import { Mailbox } from './mailbox.ts';
import { loadParts, type Plan, type StepKind } from './plan.ts';
import type { Services } from './process.ts';
import { Random } from './random.ts';
import { runPlan, type Told } from './run-plan.ts';
import { createDatabase } from './shared-database.ts';
import { doAgree, doAsk, doAsStandIn } from './stand-in-actions.ts';
import { steps as ofApps } from './steps/apps.ts';
import { change, setQuietHours } from './steps/settings.ts';
import { deleteAccount, steps as ofSpaces } from './steps/spaces.ts';
import { createTask } from './steps/tasks.ts';
import type { World } from './world.ts';

const database = await createDatabase();
const { invariants } = await loadParts();

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

interface Step {
  readonly ms: number;
  readonly run: StepKind['run'];
}

const at = (ms: number, run: Step['run']): Step => ({ ms, run });

/** Runs these steps in this order, each at its moment and by the first person. No invariant may be broken on the way. */
async function tell(
  { seed, days, tiers = [], names = ['Cleo'], hasEngineClock = false }: Setting,
  steps: readonly Step[],
): Promise<Told> {
  const person = { zone: 'UTC', quiet: null, dayStart: '09:00', fallbackMinutes: 3, tiers };
  const plan: Plan = {
    seed,
    startsAt: Date.UTC(2026, 5, 15),
    days,
    rowsAtOnce: 2,
    hasEngineClock,
    people: names.map((name) => ({ ...person, name, platforms: ['ios'] })),
    steps: steps.map(({ ms }, index) => ({ at: ms, kind: String(index), who: 0, pick: 1 })),
  };
  const kinds = Object.fromEntries(steps.map(({ run }, index) => [String(index), { weight: 0, run }]));
  const told = await runPlan(plan, { database, kinds, invariants });
  assert.equal(told.violation, undefined);
  assert.ok(told.days > days, `the story ended after ${told.days} days`);
  return told;
}

interface Setting {
  readonly seed: number;
  readonly days: number;
  readonly tiers?: readonly number[];
  readonly names?: readonly string[];
  readonly hasEngineClock?: boolean;
}

const first = (world: World) => [...world.tasks.values()][0] ?? assert.fail('There is no task.');
const secondOf = ({ people }: World) => [...people.values()][1] ?? assert.fail('There is nobody else.');
const shows = (count: number) => async (world: World) => assert.equal(world.channels[0]?.shown.size, count);

/** A message is shown after a minute, and the provider puts off taking it back for another one. */
const retractionWaits: readonly Step[] = [
  at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })),
  at(3 * MINUTE_MS, async (world, actor) => {
    world.gateways.ntfy.mood = 'throttles';
    await doAction(world, actor, first(world), { name: 'complete' });
  }),
  at(3 * MINUTE_MS + 5_000, async (world) => world.gateways.ntfy.heal()),
];

/** A stand-in presses Done in the message of an occurrence that is settled, when they are told of the next one. */
const linkMeetsNudge = (dueMs: number): readonly Step[] => [
  at(0, async (world, actor, random) => {
    await ofSpaces.share.run(world, actor, random);
    const [space = ''] = world.spaces.keys();
    const rule = { freq: 'daily', interval: 1, from: 'due' } as const;
    await createTask(world, actor, actor, { ...task, rule, due: world.now + dueMs });
    const asked = { person: secondOf(world).id, space, task: first(world).id, label: null, fromRung: 0 };
    await doAsk(world, actor, asked);
    const [standIn = assert.fail('Nobody was asked.')] = world.standIns.all;
    await doAgree(world, secondOf(world), standIn, false);
  }),
  at(dueMs + MINUTE_MS, (world, actor) => doAction(world, actor, first(world), { name: 'complete' })),
  at(dueMs + DAY_MS - MINUTE_MS, async (world) => {
    await world.pass(dueMs + DAY_MS - world.elapsedMs);
    await doAsStandIn(world, secondOf(world), first(world), 'done', true);
  }),
];

onlyOn('sqlite', () => {
  test('a Live Activity outlives a correction of the clock, and ends with its task days later (seed 180)', async () => {
    let shown = 0;
    const { nudges } = await tell({ seed: 180, days: 4 }, [
      at(0, async (world, actor) => {
        const { token, startToken } = world.phones[0] ?? assert.fail('There is no phone.');
        await world.call(({ devices }) => devices.saveStartToken(callerOf(actor), token, startToken));
        await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
      }),
      at(20 * MINUTE_MS, async (world) => world.clocks.set(-45 * MINUTE_MS)),
      at(3 * DAY_MS, async (world) => world.restartAfter(0)),
      at(3 * DAY_MS + 2 * MINUTE_MS, (world, actor) => {
        shown = world.phones[0]?.activities.size ?? 0;
        return doAction(world, actor, first(world), { name: 'complete' });
      }),
    ]);
    assert.equal(shown, 1);
    assert.ok(nudges > 70);
  });

  test('two nudges at a moment that a set-back clock shows twice are not taken for one (seed 474)', async () => {
    const { story } = await tell({ seed: 474, days: 0.1, tiers: [1, 2] }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + 10 * MINUTE_MS })),
      at(10 * MINUTE_MS, async (world) => {
        world.runtime.pollUntilMs = world.elapsedMs + 5_000;
      }),
      at(10 * MINUTE_MS + 4_300, async (world) => world.clocks.set(-10 * MINUTE_MS)),
    ]);
    const nudges = story.filter((line) => line.includes('nudges Cleo: “T1”, stage 0'));
    assert.equal(nudges.length, 2);
    assert.equal(nudges[0], nudges[1]);
  });

  test('a second nudge at such a moment counts when its pushes are sent, whatever is being stored then (seed 10262)', async () => {
    const { story } = await tell({ seed: 10262, days: 0.2, tiers: [1, 2] }, [
      at(0, async (world, actor) => {
        world.gateways.apns.mood = 'retry';
        await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + 90 * MINUTE_MS });
      }),
      at(90 * MINUTE_MS + 4_300, async (world) => world.clocks.set(-90 * MINUTE_MS)),
      at(91 * MINUTE_MS, async (world) => world.gateways.apns.heal()),
    ]);
    assert.equal(story.filter((line) => line.includes('nudges Cleo: “T1”, stage 0')).length, 2);
  });

  test('a message stays that its provider refuses to take back for good (seed 10895)', async () => {
    const { story } = await tell({ seed: 10895, days: 0.1, tiers: [0] }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })),
      at(3 * MINUTE_MS, async (world, actor) => {
        world.gateways.ntfy.mood = 'rejected';
        await doAction(world, actor, first(world), { name: 'complete' });
      }),
      at(10 * MINUTE_MS, async (world) => world.gateways.ntfy.heal()),
    ]);
    assert.match(story.join(), /nudges Cleo.*asks to complete/);
  });

  test('a task that a set-back clock has moved by seconds is right again without a correction (seed 3771)', async () => {
    const setBackMs = 45 * MINUTE_MS;
    const { nudges } = await tell({ seed: 3771, days: 0.1 }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, leadDays: 1, due: world.now + DAY_MS / 4 })),
      at(setBackMs - 4_000, async (world) => {
        world.restartAfter(1_000);
        world.clocks.set(-setBackMs);
      }),
    ]);
    assert.equal(nudges, 1);
  });

  test('a message that is accepted after its task was dealt with is taken back without a poll (seed 18570)', async () => {
    let shown = 1;
    await tell({ seed: 18570, days: 0.1, tiers: [0] }, [
      at(0, (world, actor) =>
        createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + MINUTE_MS }),
      ),
      at(MINUTE_MS + 30, (world, actor) => doAction(world, actor, first(world), { name: 'complete' })),
      at(MINUTE_MS + 1_000, async (world) => {
        shown = world.channels[0]?.shown.size ?? 1;
      }),
    ]);
    assert.equal(shown, 0);
  });

  test('a ladder that begins anew at a moment that the clock shows twice may fall (seed 17023)', async () => {
    const { story } = await tell({ seed: 17023, days: 0.1 }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + 10 * MINUTE_MS })),
      at(10 * MINUTE_MS + 8_000, (world, actor) => setQuietHours(world, actor, ['00:10', '00:25'])),
      at(25 * MINUTE_MS + 5_000, async (world) => world.clocks.set(-45 * MINUTE_MS)),
    ]);
    assert.match(story.join('\n'), /00:25:00.000 {2}.*stage 1\n.*00:25:00.000 {2}.*stage 0/);
  });

  test('a push that has just failed is sent again as soon as an outage ends (seed 16808)', async () => {
    let soonest = Number.POSITIVE_INFINITY;
    await tell({ seed: 16808, days: 0.1 }, [
      at(0, async (world, actor) => {
        world.gateways.apns.mood = 'retry';
        for (let count = 0; count < 20; count += 1)
          await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + MINUTE_MS });
      }),
      at(MINUTE_MS + 50_000, async (world) => world.gateways.apns.heal()),
      at(5 * MINUTE_MS, async (world) => {
        for (const sent of world.sent.values()) {
          const [last, before] = sent.filter(({ push }) => push.kind === 'nudge').toReversed();
          soonest = Math.min(soonest, (last?.ms ?? 0) - (before?.ms ?? 0));
        }
      }),
    ]);
    assert.ok(soonest < 1_000, `after ${soonest} ms`);
  });

  test('one commit may hold a nudge and the deletion of its account (seed 17219)', async () => {
    // Of the first seeds, the one whose turns bring both into one commit.
    const { story } = await tell({ seed: 20, days: 0.1, names: ['Cleo', 'Ada', 'Ben'] }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })),
      at(MINUTE_MS / 2, async (world, actor) => {
        await world.pass(MINUTE_MS - world.elapsedMs);
        await deleteAccount(world, actor);
      }),
    ]);
    assert.match(story.join('\n'), /deletes their account\n.*nudges Cleo/);
  });

  test('nobody finds the tasks of an account that is being deleted (seed 22996)', async () => {
    const { story } = await tell({ seed: 22996, days: 0.1, names: ['Cleo', 'Ada', 'Ben'] }, [
      at(0, async (world, actor) => {
        // More than the request itself deletes.
        for (let count = 0; count < 4; count += 1)
          await createTask(world, secondOf(world), actor, { ...task, due: world.now + DAY_MS });
      }),
      at(MINUTE_MS, async (world, actor) => {
        world.delayFollowUps(10 * MINUTE_MS);
        await deleteAccount(world, actor);
        await doAction(world, secondOf(world), first(world), { name: 'skip' });
      }),
    ]);
    assert.match(story.join('\n'), /Ada asks to skip.*\n.*refused: not_found/);
  });

  test('a nudge that a set clock has made due in a hold is planned again (seed 24049)', async () => {
    const { nudges } = await tell({ seed: 24049, days: 1 }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })),
      at(2 * MINUTE_MS, (world, actor) => setQuietHours(world, actor, ['06:00', '18:00'])),
      at(3 * MINUTE_MS, async (world, actor) => {
        world.clocks.set(600 * MINUTE_MS);
        await doAction(world, actor, first(world), { name: 'reopen' });
      }),
    ]);
    assert.ok(nudges > 1);
  });

  test('a nudge that a set clock has led into a hold is due when the hold ends (seed 643169)', async () => {
    const { nudges } = await tell({ seed: 643169, days: 0.5 }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })),
      at(2 * MINUTE_MS, (world, actor) => setQuietHours(world, actor, ['01:00', '03:00'])),
      at(3 * MINUTE_MS, async (world) => {
        world.clocks.set(90 * MINUTE_MS);
        // Long enough for the engine to notice it. The next that happens is the end of the quiet hours.
        world.runtime.pollUntilMs = world.elapsedMs + 2_500;
      }),
    ]);
    assert.ok(nudges > 1);
  });

  test('a nudge that is being stored is not followed twice after a set-back clock (seed 35260)', async () => {
    const setBackMs = 45 * MINUTE_MS;
    const { nudges } = await tell({ seed: 35260, days: 0.3 }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS })),
      // The last nudge, two hours after the first, lies seconds ahead.
      at(121 * MINUTE_MS + setBackMs - 18_000, async (world) => {
        world.restartAfter(1_000);
        world.clocks.set(-setBackMs);
      }),
    ]);
    assert.ok(nudges > 7, `${nudges} nudges`);
  });

  test('a clock that was set back delays what takes a message back by no more than that (seed 38070)', async () => {
    await tell({ seed: 38070, days: 0.1, tiers: [0] }, [
      ...retractionWaits,
      at(3 * MINUTE_MS + 10_000, async (world) => world.clocks.set(-14 * MINUTE_MS)),
      at(20 * MINUTE_MS, shows(0)),
    ]);
  });

  test('a retraction that is retried leaves the message of a run that began meanwhile (seed 100810)', async () => {
    await tell({ seed: 100810, days: 0.1, tiers: [0] }, [
      ...retractionWaits,
      at(3 * MINUTE_MS + 10_000, (world, actor) => doAction(world, actor, first(world), { name: 'reopen' })),
      at(6 * MINUTE_MS, shows(1)),
    ]);
  });

  test('a task that is dealt with while a set-back clock has moved it is what the engine made of it (seed 106176)', async () => {
    // Of the first seeds, the one whose turns bring the engine's correction and the completion into one commit.
    await tell({ seed: 13, days: 0.1 }, [
      at(0, async (world, actor) => {
        await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
        await createTask(world, actor, actor, { ...task, due: world.now + DAY_MS });
      }),
      at(2 * MINUTE_MS, async (world, actor) => {
        const [climbing, other] = [...world.tasks.values()];
        assert.ok(climbing && other);
        world.clocks.set(-10 * MINUTE_MS);
        // It wakes the engine, which notices what the clock shows.
        await doAction(world, actor, other, { name: 'snooze', until: world.now + 30 * MINUTE_MS });
        await world.pass(0);
        await world.pass(0);
        await doAction(world, actor, climbing, { name: 'complete' });
      }),
    ]);
  });

  test('the end of an outage in quiet hours ends (seed 123086)', async () => {
    const { nudges } = await tell({ seed: 123086, days: 0.1 }, [
      at(0, async (world, actor) => {
        world.gateways.apns.mood = 'retry';
        for (let count = 0; count < 4; count += 1)
          await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + MINUTE_MS });
        await createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + 5 * MINUTE_MS });
      }),
      at(1.5 * MINUTE_MS, (world, actor) => setQuietHours(world, actor, ['00:01', '00:20'])),
      at(4 * MINUTE_MS, async (world) => {
        world.gateways.apns.heal();
        world.gateways.apns.places = 2;
      }),
    ]);
    assert.ok(nudges > 5);
  });

  test('a hold that begins with an edit keeps a message for the next tier (seed 205757)', async () => {
    await tell({ seed: 205757, days: 0.1, tiers: [1] }, [
      at(0, async (world, actor) => {
        await setQuietHours(world, actor, ['00:00', '00:20']);
        await createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + MINUTE_MS });
      }),
      at(2 * MINUTE_MS, (world, actor) => doEdit(world, actor, first(world), { isMustNotMiss: false })),
    ]);
  });

  test('a nudge of a clock that was set back since delays no tier (seed 212240)', async () => {
    const { nudges } = await tell({ seed: 212240, days: 0.15, tiers: [1] }, [
      at(0, async (world, actor) => {
        await setQuietHours(world, actor, ['00:00', '02:00']);
        await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
        world.clocks.set(180 * MINUTE_MS);
      }),
      at(MINUTE_MS, async (world) => world.clocks.set(-180 * MINUTE_MS)),
    ]);
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
    await tell({ seed: 208766, days: 0.5, names: ['Ada', 'Cleo'] }, [
      at(0, request),
      at(MINUTE_MS, async (world, actor) => {
        const leaver = secondOf(world);
        // The first slice of the departure takes these.
        for (let count = 0; count < 4; count += 1)
          await createTask(world, leaver, leaver, { ...task, due: world.now + DAY_MS });
        world.delayFollowUps(60 * MINUTE_MS);
        await deleteAccount(world, leaver);
        await ofSpaces.leave.run(world, actor, new Random(1));
      }),
    ]);
  });

  test('who has left a space cannot reopen a request that was dropped there (seed 219510)', async () => {
    await tell({ seed: 219510, days: 0.1, names: ['Cleo', 'Ben'] }, [
      at(0, request),
      at(MINUTE_MS, (world, actor) => doAction(world, actor, first(world), { name: 'drop' })),
      at(2 * MINUTE_MS, (world) => ofSpaces.leave.run(world, secondOf(world), new Random(1))),
      at(3 * MINUTE_MS, (world) => doAction(world, secondOf(world), first(world), { name: 'reopen' })),
    ]);
  });

  test('a tier that a process used just before it died was not used, for all the service knows (seed 232289)', async () => {
    const { nudges } = await tell({ seed: 232289, days: 0.1, tiers: [1] }, [
      at(0, async (world, actor) => {
        world.gateways.ntfy.latencyMs = 5_000;
        await createTask(world, actor, actor, { ...task, due: world.now + MINUTE_MS });
      }),
      at(4 * MINUTE_MS + 1_000, (world, actor) => setQuietHours(world, actor, ['00:04', '00:25'])),
      at(4 * MINUTE_MS + 2_000, async (world) => {
        world.restartAfter(5 * MINUTE_MS);
        world.gateways.ntfy.heal();
      }),
      at(10 * MINUTE_MS, async (world, actor) => {
        const { id } = first(world);
        await world.call(({ deliveries }) => deliveries.acknowledge(callerOf(actor), id, 0));
        learnAnswers(world, id);
      }),
    ]);
    assert.ok(nudges > 1);
  });

  test('an answer in the moment of a nudge is one to those before it (seed 315253)', async () => {
    const dueMs = 600 * MINUTE_MS;
    // Of the first seeds, one in which the answer comes first.
    const { nudges } = await tell({ seed: 1, days: 0.6, tiers: [1] }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, leadDays: 0, due: world.now + dueMs })),
      at(dueMs - MINUTE_MS, async (world, actor) => {
        const { id } = first(world);
        await world.pass(dueMs - world.elapsedMs);
        await world.call(({ deliveries }) => deliveries.acknowledge(callerOf(actor), id, -1));
        learnAnswers(world, id);
      }),
    ]);
    assert.ok(nudges > 1);
  });

  test('a nudge reaches no device if its task is put off in the same moment (seed 401442)', async () => {
    await tell({ seed: 401442, days: 0.1 }, [
      at(MINUTE_MS, async (world, actor) => {
        world.gateways.apns.mood = 'retry';
        await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now - MINUTE_MS });
        while (!world.nudgeLog.followed.has(first(world).id)) await world.pass(0);
        await doAction(world, actor, first(world), { name: 'snooze', until: world.now + 120 * MINUTE_MS });
      }),
      at(2 * MINUTE_MS, async (world) => world.gateways.apns.heal()),
      at(60 * MINUTE_MS, async () => undefined),
    ]);
  });

  test('a push in another zone may be about the day as it was before (seed 504925)', async () => {
    await tell({ seed: 504925, days: 0.1 }, [
      at(MINUTE_MS, async (world, actor) => {
        world.gateways.apns.mood = 'retry';
        const day = { ...task, hasTime: false, mode: 'notify_once' } as const;
        // The first slice plans these again.
        for (const due of [Date.UTC(2026, 6, 1), Date.UTC(2026, 6, 2)])
          await createTask(world, actor, actor, { ...day, due });
        await createTask(world, actor, actor, { ...day, due: Date.UTC(2026, 5, 14) });
        while (world.nudgeLog.followed.size === 0) await world.pass(0);
        world.delayFollowUps(MINUTE_MS);
        const input = { timezone: 'Asia/Kolkata' };
        const request = ({ settings }: Services) => settings.update(callerOf(actor), input);
        await change(world, actor, 'moves', request, (before) => ({ ...before, zone: input.timezone }));
      }),
      at(MINUTE_MS + 1_000, async (world) => world.gateways.apns.heal()),
    ]);
  });

  test('an edit in the moment of a push does not call it back (seed 506181)', async () => {
    const dueMs = 60 * MINUTE_MS;
    // Of the first seeds, one in which the edit comes between the nudge and its push.
    const { nudges } = await tell({ seed: 5, days: 0.1 }, [
      at(0, async (world, actor) => {
        await setQuietHours(world, actor, ['00:00', '02:00']);
        await createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + dueMs });
      }),
      at(dueMs - MINUTE_MS, async (world, actor) => {
        await world.pass(dueMs - world.elapsedMs);
        await doEdit(world, actor, first(world), { isMustNotMiss: false });
      }),
    ]);
    assert.ok(nudges > 1);
  });

  test('a pause that a dying process did not store differs from the one before it in any of its parts (seed 629838)', async () => {
    await tell({ seed: 629838, days: 0.1 }, [
      at(0, (world, actor) =>
        createTask(world, actor, actor, { ...task, isMustNotMiss: true, due: world.now + 10 * MINUTE_MS }),
      ),
      at(5 * MINUTE_MS, async (world, actor) => {
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
      }),
    ]);
  });

  test('a message belongs to the run of its nudge, also if another run begins in that moment (seed 1600774)', async () => {
    const [dueMs, againMs] = [10 * MINUTE_MS, 25 * MINUTE_MS];
    const { story } = await tell({ seed: 1600774, days: 0.1, tiers: [1, 2] }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now + dueMs })),
      at(againMs - MINUTE_MS, async (world, actor) => {
        await world.pass(againMs - world.elapsedMs);
        const { id } = first(world);
        const hasFallen = () =>
          world.sentOf(id).some(({ channel, ms }) => channel?.tier === 2 && ms === world.elapsedMs);
        while (!hasFallen()) await world.pass(0);
        await doAction(world, actor, first(world), { name: 'complete' });
        await doAction(world, actor, first(world), { name: 'reopen' });
      }),
      at(againMs + 4 * MINUTE_MS, async (world, actor) => {
        const { id } = first(world);
        await world.call(({ deliveries }) => deliveries.acknowledge(callerOf(actor), id, 0));
        learnAnswers(world, id);
      }),
    ]);
    const nudges = story.filter((line) => line.includes('00:25:00.000  the service nudges Cleo'));
    assert.equal(nudges.length, 2, story.join('\n'));
  });

  test('a done task may be deleted in an app by a request that a dying process did not answer (seed 1601311)', async () => {
    const { story } = await tell(
      { seed: 1601311, days: 0.1 },
      Array.from({ length: 12 }, (_, operations) =>
        at((1 + operations) * MINUTE_MS, async (world, actor, random) => {
          const due = world.now + DAY_MS;
          await createTask(world, actor, actor, { ...task, title: `T${operations}`, due });
          const [id = ''] = [...world.tasks.keys()].slice(-1);
          await doAction(world, actor, world.tasks.get(id) ?? assert.fail('There is no task.'), { name: 'complete' });
          await ofApps.syncApps.run(world, actor, random);
          const [app = assert.fail('There is no app.')] = world.apps.get(actor.id) ?? [];
          const copy = copiesOf(app).find(({ taskId }) => taskId === id) ?? assert.fail('There is no copy.');
          changeCopy(world, app, copy, { kind: 'delete' });
          const { process } = world;
          process.onDeath(() => world.restartAfter(1_000));
          process.dieAfter(1 + operations);
          await sync(world, app);
          process.dieAfter(Number.POSITIVE_INFINITY);
          await world.pass(2_000);
          await ofApps.syncApps.run(world, actor, random);
        }),
      ),
    );
    assert.match(story.join(), /delete of “T\d+”: no answer/);
    assert.match(story.join(), /delete of “T\d+”: 404/);
  });

  test('a link is about the occurrence of its message, also if the next one comes in that moment (seed 1700234)', async () => {
    const dueMs = 10 * MINUTE_MS;
    const told = async (seed: number) =>
      (await tell({ seed, days: 1.1, names: ['Cleo', 'Ada', 'Ben'] }, linkMeetsNudge(dueMs))).story.join('\n');
    // Of the first seeds, one in which the link comes first, and one in which the nudge does.
    assert.match(await told(1), /by a link\n.*nudges Cleo.*\n(?!.*refused)/);
    assert.match(await told(9), /by a link\n.*nudges Cleo.*\n.*refused: occurrence_passed/);
  });

  test('a task that is opened again too late takes the place of the one that is at its address by now (seed 1810255)', async () => {
    /** Changes what the app has as done, or as open. */
    const changeIn = async (world: World, index: number, change: AppChange): Promise<void> => {
      const app = [...world.apps.values()].flat()[index] ?? assert.fail('There is no app.');
      const [copy = assert.fail('There is no copy.')] = copiesOf(app);
      changeCopy(world, app, copy, change);
      await sync(world, app);
    };
    const { story } = await tell({ seed: 1810255, days: 3 }, [
      at(MINUTE_MS, async (world, actor, random) => {
        await createTask(world, actor, actor, { ...task, due: world.now + DAY_MS });
        await doAction(world, actor, first(world), { name: 'complete' });
        await ofApps.syncApps.run(world, actor, random);
      }),
      at(1.1 * DAY_MS, async (world) => {
        await changeIn(world, 0, { kind: 'reopen' });
        await changeIn(world, 0, { kind: 'done', form: 'B', dates: 1 });
      }),
      at(2.2 * DAY_MS, async (world, actor, random) => {
        await changeIn(world, 1, { kind: 'reopen' });
        await ofApps.syncApps.run(world, actor, random);
        assert.deepEqual(
          [...world.tasks.values()].map(({ status }) => status),
          ['done', 'done', 'open'],
        );
      }),
    ]);
    assert.equal(story.filter((line) => line.includes('reopen of “T1”: 200')).length, 2);
  });

  test('what an app changes is stored as a whole, so no nudge comes in between (seed 6000023)', async () => {
    const past = { name: 'complete', occurrenceDueAt: '2020-01-01T00:00:00Z' } as const;
    await tell({ seed: 6000023, days: 1 }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...task, due: world.now - MINUTE_MS })),
      at(MINUTE_MS, async (world, actor) => {
        const { id, title } = first(world);
        const answer = await world.call(({ tasks }) =>
          tasks.take(callerOf(actor), id, [{ edit: { title: 'T2' } }, past]),
        );
        assert.deepEqual(answer, { refusal: 'occurrence_passed' });
        assert.equal(world.storedTask(id)?.title, title);
      }),
    ]);
  });

  test('a task created by a clock that was not set back yet is corrected with the others (seed 6410003)', async () => {
    const once = { ...task, mode: 'notify_once' } as const;
    await tell({ seed: 6410003, days: 1, hasEngineClock: true }, [
      at(0, (world, actor) => createTask(world, actor, actor, { ...once, due: world.now + 59 * MINUTE_MS })),
      at(60 * MINUTE_MS, async (world, actor) => {
        world.clocks.setEngine(-45 * MINUTE_MS);
        await createTask(world, actor, actor, { ...once, due: world.now - 60 * MINUTE_MS });
        await world.pass(30_000);
        assert.equal(world.person(actor.id).nudges, 2);
        world.clocks.set(-45 * MINUTE_MS);
      }),
    ]);
  });

  test('a nudge that a hold by the wrong clock had moved comes at its moment (seed 6477399)', async () => {
    const { nudges } = await tell({ seed: 6477399, days: 1 }, [
      at(0, async (world, actor) => {
        await createTask(world, actor, actor, { ...task, mode: 'notify_once', due: world.now + 600 * MINUTE_MS });
        await setQuietHours(world, actor, ['22:00', '07:00']);
      }),
      at(60 * MINUTE_MS, async (world) => {
        world.clocks.set(22 * 60 * MINUTE_MS);
        await world.pass(MINUTE_MS);
        world.clocks.set(-22 * 60 * MINUTE_MS);
        await world.pass(10 * 60 * MINUTE_MS);
        assert.equal(world.person(first(world).owner).nudges, 1);
      }),
    ]);
    assert.equal(nudges, 1);
  });

  test('the code of an earlier request is not taken for that of a later one of the same moment (seed 4900017)', async () => {
    const mailbox = new Mailbox();
    const mail = { to: 'cleo@example.org', subject: '123456 is your Crescendo sign-in code', text: '', html: '' };
    await mailbox.send(mail);
    assert.equal(mailbox.codeFor(mail.to, 0), '123456');
    assert.equal(mailbox.codeFor(mail.to, mailbox.count), undefined);
  });
});
