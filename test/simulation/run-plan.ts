/** Runs one plan in its own world, from the first step to the end, when everything must be right. */
import { insertUser } from '../../src/accounts/users.store.ts';
import type { Db } from '../../src/db/schema.ts';
import { insertSession } from '../../src/sign-in/sessions.store.ts';
import { callerOf } from './actions.ts';
import { addChannel, setFallback } from './channels.ts';
import type { Invariant } from './invariant.ts';
import { DAY_MS } from './model/zone.ts';
import type { Person } from './person.ts';
import type { Plan, PlannedPerson, StepKinds } from './plan.ts';
import { Random } from './random.ts';
import { Runtime } from './runtime.ts';
import type { SharedDatabase } from './shared-database.ts';
import { usePages } from './small-pages.ts';
import { addPhone } from './steps/phones.ts';
import { liftAll } from './steps/suspension.ts';
import { Violation } from './violation.ts';
import { World } from './world.ts';

const HOUR_MS = 3_600_000;
const RECOVERED_MS = 20 * 60_000;

export interface Told {
  readonly violation: Violation | undefined;
  readonly story: readonly string[];
  readonly nudges: number;
  /** How many days it ran: fewer than planned if the model could no longer tell what is true. */
  readonly days: number;
}

export interface Stage {
  readonly database: SharedDatabase;
  /** With a reader beside its writer, for the worlds that have one. */
  readonly apart?: SharedDatabase;
  readonly kinds: StepKinds;
  readonly invariants: readonly Invariant[];
}

export async function runPlan(plan: Plan, { database, apart = database, kinds, invariants }: Stage): Promise<Told> {
  const runtime = new Runtime(plan);
  // Before the service starts: whatever that waits for must wait in simulated time.
  const restore = runtime.install();
  const world = new World(plan, plan.hasReader ? apart : database, invariants, runtime);
  const nudges = () => [...world.people.values()].reduce((sum, person) => sum + person.nudges, 0);
  try {
    await populate(world);
    await runSteps(world, kinds);
    if (!world.isGivenUp) await finish(world);
    return {
      violation: undefined,
      story: world.story,
      nudges: nudges(),
      days: world.clocks.taskMs(world.elapsedMs) / DAY_MS,
    };
  } catch (error) {
    // The step went on with a model that is no longer true.
    if (world.isGivenUp && error instanceof Violation)
      return {
        violation: undefined,
        story: world.story,
        nudges: nudges(),
        days: world.clocks.taskMs(world.elapsedMs) / DAY_MS,
      };
    const violation =
      error instanceof Violation
        ? error
        : new Violation('no exceptions', error instanceof Error ? `${error.stack}` : String(error));
    return { violation, story: world.story, nudges: nudges(), days: world.clocks.taskMs(world.elapsedMs) / DAY_MS };
  } finally {
    usePages('usual');
    world.close();
    restore();
  }
}

async function populate(world: World): Promise<void> {
  const random = new Random(world.plan.seed);
  for (const planned of world.plan.people) await world.runStep(() => settle(world, planned, random));
}

/** With a session that does not end before the account. */
async function signUp(db: Db, email: string, displayName: string, now: Date) {
  const user = await insertUser(db, { email, displayName }, now);
  const { id } = user ?? { id: '' };
  const session = { id, user_id: id, token_hash: id, client_name: 'a phone', identity_id: null, provider_sid: null };
  const expires_at = new Date('9999-12-31T00:00:00Z');
  await insertSession(db, { ...session, created_at: now, proven_at: now, expires_at });
  return user;
}

async function settle(world: World, planned: PlannedPerson, random: Random): Promise<void> {
  const { name, zone, quiet, dayStart, platforms, tiers, place, fallbackMinutes } = planned;
  const email = `${name.toLowerCase()}@example.org`;
  const answer = await world.call(({ db }) => signUp(db, email, name, new Date(world.runtime.wallNow())));
  const id = answer !== 'no answer' && 'value' in answer ? answer.value?.id : undefined;
  if (id === undefined) throw new Error('A person was not created.');
  const settings = { zone, quiet, dayStart, pause: null, keepMustNotMiss: true };
  const person: Person = {
    id,
    name,
    settings,
    settingsBefore: settings,
    changedMs: -1,
    isGone: false,
    hearsRequests: true,
    switchedMs: Number.NEGATIVE_INFINITY,
    reachChangedMs: 0,
    fallbackMinutes,
    outcomes: [],
    nudges: 0,
    copy: new Map(),
    syncedUpTo: undefined,
  };
  world.people.set(id, person);
  const [quiet_hours_start, quiet_hours_end] = quiet ?? [null, null];
  const input = { timezone: zone, day_start: dayStart, quiet_hours_start, quiet_hours_end };
  await world.call(({ settings: service }) => service.update(callerOf(person), input));
  for (const platform of platforms) await addPhone(world, person, platform, random);
  for (const [index, tier] of tiers.entries()) await addChannel(world, person, tier, index === 0 ? place : undefined);
  if (tiers.length > 0) await setFallback(world, person, fallbackMinutes);
}

async function runSteps(world: World, kinds: StepKinds): Promise<void> {
  const people = [...world.people.values()];
  for (const step of world.plan.steps) {
    const random = new Random(step.pick);
    // Timers of the same moment fire before the step or during it.
    const ms = world.clocks.realMs(step.at);
    await world.runUntil(random.chance(0.5) ? ms : ms - 1);
    const actor = people[step.who % people.length];
    if (!actor || actor.isGone || actor.settings.isSuspended) continue;
    if (random.chance(0.03)) world.runtime.pollUntilMs = world.elapsedMs + 3_000;
    await world.runStep(async () => kinds[step.kind]?.run(world, actor, random));
    if (world.isGivenUp) return;
  }
}

/** Every fault ends. An hour later, or once every retry is over, nothing may be missing, stuck or wrong. */
async function finish(world: World): Promise<void> {
  await world.runUntil(world.clocks.realMs(world.plan.days * DAY_MS));
  world.process.dieAfter(Number.POSITIVE_INFINITY);
  world.faults.end();
  for (const gateway of world.everyGateway) gateway.heal();
  if (world.holder) world.holder.downUntilMs = 0;
  world.followUpsDelayedUntilMs = 0;
  world.restart();
  await liftAll(world);
  world.runtime.pollUntilMs = world.elapsedMs + 4_500;
  await world.runUntil(world.elapsedMs + Math.max(RECOVERED_MS, world.clocks.realMs(HOUR_MS)));
  usePages('small');
  await world.checkEnd();
}
