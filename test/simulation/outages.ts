/**
 * What must be announced while the service is dead, as the world knows it in the moment of the death: the next nudges of
 * must-not-miss tasks that the service had long enough time to bring to the provider.
 */
import { type Held, type Holder, LOOK_EVERY_MS, names, PUT_OFF_MS, REFUSED_FOR_MS, THERE } from './holder.ts';
import { isHeldAt } from './model/ladder.ts';
import type { ModelTask } from './model/task.ts';
import type { Person } from './person.ts';
import type { ServiceProcess } from './process.ts';
import type { World } from './world.ts';

const MINUTE_MS = 60_000;
/** After the planned nudge. */
const GRACE_MS = 10 * MINUTE_MS;
/** How many must-not-miss tasks of a person have a message of their own. */
const MOST_STRONG = 20;
/** After a start, and after a change, a message is at the provider within this. */
const PLACED_WITHIN_MS = 90_000;
/** A person is looked at and their messages are moved, one after another: that many may be on their way. */
const ON_THE_WAY = 30;

export interface Awaited {
  readonly task: ModelTask;
  /** When its nudge was planned, and when it must be announced; both in milliseconds since the start. */
  readonly plannedMs: number;
  readonly byMs: number;
}

export interface Outage {
  readonly process: ServiceProcess;
  /** People whose messages at the provider were as they should be. */
  readonly calm: ReadonlySet<string>;
  awaited: readonly Awaited[];
}

export class Outages {
  readonly #world: World;
  readonly #holder: Holder;
  readonly all: Outage[] = [];

  constructor(world: World, holder: Holder) {
    this.#world = world;
    this.#holder = holder;
  }

  /** The process is dead. Called again and again while it is. */
  begin(process: ServiceProcess): void {
    if (this.all.at(-1)?.process === process) return;
    const settled = [...this.#world.people.values()].filter((person) => this.#isSettled(person, process));
    const awaited = this.#hasBudget() ? settled.flatMap((person) => this.#awaitedOf(person)) : [];
    const calm = settled.filter((person) => this.#isCalm(person)).map(({ id }) => id);
    this.all.push({ process, calm: new Set(calm), awaited });
  }

  /** None of their nudges has just been sent or moved. */
  #isCalm({ id }: Person): boolean {
    const { tasks, taskChangedMs, elapsedMs } = this.#world;
    const own = [...tasks.values()].filter(({ owner }) => owner === id);
    return own.every((task) => elapsedMs - (taskChangedMs.get(task.id) ?? 0) > PLACED_WITHIN_MS);
  }

  /** Their settings and channels have not changed in the last minutes, and the service could reach the provider. */
  #isSettled({ id, isGone, settings, changedMs, reachChangedMs }: Person, process: ServiceProcess): boolean {
    const { elapsedMs, followUpsDelayedUntilMs, clocks, faults } = this.#world;
    const changes = [changedMs, reachChangedMs, followUpsDelayedUntilMs, ...this.#channelsOf(id)];
    const isOld = changes.every((ms) => elapsedMs - ms > PUT_OFF_MS);
    const hasLived = elapsedMs - Math.max(process.startedMs, clocks.jumpedMs, faults.recoveredMs) > PLACED_WITHIN_MS;
    return !isGone && !settings.isSuspended && isOld && hasLived && this.#holder.isReached;
  }

  #channelsOf(id: string): number[] {
    const own = this.#world.channels.filter(
      ({ owner, removedMs }) => owner === id && removedMs > this.#world.elapsedMs,
    );
    const holding = own.filter(({ server }) => server === THERE);
    return holding.length === 0 ? [Number.POSITIVE_INFINITY] : holding.map(({ privacyChangedMs }) => privacyChangedMs);
  }

  /** More than half of the messages of the day are left, and were when people were last looked at. */
  #hasBudget(): boolean {
    if (this.#holder.mostPerDay === Number.POSITIVE_INFINITY) return true;
    if (!this.#holder.isDayRight) return false;
    const isLeft = (sent: number) => sent + ON_THE_WAY < this.#holder.mostPerDay / 2;
    const isNewDay = this.#holder.sinceDayBeganMs < LOOK_EVERY_MS + PLACED_WITHIN_MS;
    return isLeft(this.#holder.sent()) && (!isNewDay || isLeft(this.#holder.sent(1)));
  }

  #awaitedOf({ id, settings }: Person): Awaited[] {
    const { tasks, expected, now, elapsedMs } = this.#world;
    const graceMs = this.#world.clocks.realMs(GRACE_MS);
    const strong = [...tasks.values()].flatMap((task) => {
      const at = expected.get(task.id)?.at;
      return task.owner === id && task.isOpen && task.isMustNotMiss && at !== undefined ? [{ task, at }] : [];
    });
    const isSoonest = (at: number) => strong.filter((other) => other.at <= at).length <= MOST_STRONG;
    const horizon = now + this.#world.clocks.taskMs(this.#holder.surelyHoldsMs - LOOK_EVERY_MS) - GRACE_MS;
    return strong
      .filter(({ task, at }) => at > now && at < horizon && isSoonest(at) && this.#isKnown(task))
      .filter(({ at }) => ![at, at + GRACE_MS, at + GRACE_MS + MINUTE_MS].some((one) => isHeldAt(one, true, settings)))
      .map(({ task, at }) => {
        const plannedMs = this.#world.clocks.realMs(at - now) + elapsedMs;
        return { task, plannedMs, byMs: plannedMs + graceMs + this.#holder.holds.minMs };
      });
  }

  #isKnown({ id, owner }: ModelTask): boolean {
    const { elapsedMs, taskChangedMs, corrections, clocks } = this.#world;
    const { loose, unsettled } = corrections;
    if (loose.has(id) || unsettled.has(id) || elapsedMs - (taskChangedMs.get(id) ?? 0) <= PUT_OFF_MS) return false;
    // What was placed by another clock sounds by that clock.
    const isOld = (held: Held) => held.takenMs <= clocks.jumpedMs && held.channel.owner === owner;
    return elapsedMs - clocks.jumpedMs > REFUSED_FOR_MS && ![...this.#holder.held.values()].some(isOld);
  }

  /** The announcement that was missed until now. */
  findMissed(): Awaited | undefined {
    const { elapsedMs, process } = this.#world;
    const outage = this.all.at(-1);
    if (!outage || outage.awaited.length === 0) return undefined;
    if (outage.process !== process) outage.awaited = [];
    const late = outage.awaited.filter(({ byMs }) => elapsedMs > Math.max(byMs, this.#holder.downUntilMs) + 1_000);
    if (late.length > 0) outage.awaited = outage.awaited.filter((one) => !late.includes(one));
    return late.find((one) => !this.#isAnnounced(one));
  }

  #isAnnounced({ task, plannedMs }: Awaited): boolean {
    return this.#holder.sounded.some((one) => one.ms >= plannedMs && names(one, task));
  }
}
