/**
 * The simulated world: people with phones, push providers, one service process, and the model of what must happen.
 * It runs the steps of a plan one after another, and compares the service with the model after every turn.
 */
import type { StatementSync } from 'node:sqlite';
import { AppError, InvalidInput } from '../../src/lib/errors.ts';
import type { Push, PushResult } from '../../src/push/gateway.ts';
import type { ShownTask as Task } from '../../src/tasks/shown-tasks.store.ts';
import { CHANNEL_PROVIDER, type Channel } from './channels.ts';
import { SimulatedGateway } from './gateways.ts';
import { type Expected, expectNudge, type Settings } from './model/ladder.ts';
import { climb, type ModelTask, type Outcome } from './model/task.ts';
import type { Phone } from './phones.ts';
import type { Plan } from './plan.ts';
import { ServiceProcess } from './process.ts';
import { Runtime } from './runtime.ts';
import type { SharedDatabase } from './shared-database.ts';
import { Violation } from './violation.ts';
import { createWire } from './wire.ts';

export type Services = ServiceProcess['services'];
export type Answer<T> = { readonly value: T } | { readonly refusal: string } | 'no answer';

export interface Person {
  readonly id: string;
  readonly name: string;
  settings: Settings;
  /** The settings until the last change, which happened at `changedMs`. */
  settingsBefore: Settings;
  changedMs: number;
  isGone: boolean;
  /** When their devices or channels last changed. */
  reachChangedMs: number;
  fallbackMinutes: number;
  outcomes: Outcome[];
  nudges: number;
  /** What a client that only syncs has. */
  readonly copy: Map<string, Task>;
  syncedUpTo: Date | undefined;
  /** The clock was set back to before `syncedUpTo`. */
  isSyncAhead: boolean;
}

/** A nudge in the timeline, as the database logged its insertion. */
export interface Nudge {
  readonly entryId: string;
  readonly taskId: string;
  readonly at: number;
  readonly stage: number;
}

export interface Sent {
  readonly push: Push;
  readonly phone: Phone | undefined;
  readonly channel: Channel | undefined;
  /** The messages of a channel that this one replaces. */
  readonly refs: readonly string[];
  readonly ms: number;
  readonly now: number;
  readonly process: ServiceProcess;
  /** Undefined until the provider has answered. */
  result?: PushResult;
  /** The provider of a channel took it, and has reported that it did not arrive. */
  isUndelivered: boolean;
}

/** That a nudge was answered. */
export interface Answered {
  /** The moment of the nudge. */
  readonly at: number;
  readonly tier: number;
  readonly ms: number;
  readonly now: number;
}

/** A promise of the service. Each hook returns what is wrong, as a sentence. */
export interface Invariant {
  readonly name: string;
  nudge?(world: World, nudge: Nudge, task: ModelTask, settings: readonly Settings[]): string | undefined;
  push?(world: World, sent: Sent, task: ModelTask | undefined): string | undefined;
  turn?(world: World): string | undefined;
  /** Called when everything has worked again for an hour. */
  end?(world: World): Promise<string | undefined> | string | undefined;
}

export type GatewayName = 'apns' | 'fcm' | 'web_push' | typeof CHANNEL_PROVIDER;

const ANSWER_WITHIN_MS = 60_000;

export class World {
  readonly plan: Plan;
  readonly runtime: Runtime;
  readonly people = new Map<string, Person>();
  readonly tasks = new Map<string, ModelTask>();
  /** The next nudge of each task, as the model expects it. */
  readonly expected = new Map<string, Expected | null>();
  /** When the run of a task last ended or began anew. */
  readonly endedMs = new Map<string, number>();
  readonly spaces = new Map<string, Set<string>>();
  readonly phones: Phone[] = [];
  readonly channels: Channel[] = [];
  readonly gateways: Readonly<Record<GatewayName, SimulatedGateway>>;
  /** By task, in order. */
  readonly sent = new Map<string, Sent[]>();
  /** By task, in order. */
  readonly nudges = new Map<string, (Nudge & { readonly ms: number })[]>();
  /** By task and nudge. */
  readonly answers = new Map<string, Map<string, Answered>>();
  readonly story: string[] = [];
  /** Tasks whose ladder a clock that was set back has moved: the engine corrects them, and the model then believes it. */
  readonly loose = new Set<string>();
  /** Tasks that a follow-up will take out of their space, drop or delete. */
  readonly unsettled = new Set<string>();
  followUpsHeldUntilMs = 0;
  jumpedMs = Number.NEGATIVE_INFINITY;
  isGivenUp = false;
  /** A quiet account's task that is due together with many of a loud one. */
  waitsInStorm: { readonly taskId: string; readonly dueMs: number } | undefined;
  readonly #invariants: readonly Invariant[];
  readonly #database: SharedDatabase;
  readonly #newNudges: StatementSync;
  readonly #rowOf: StatementSync;
  #process: ServiceProcess;
  #lastNudge = 0;
  #seenCommits = 0;
  #unapplied: Nudge[] = [];
  #unchecked: Sent[] = [];
  #isInStep = false;
  #errors: string[] = [];
  #messages = 0;

  constructor(plan: Plan, database: SharedDatabase, invariants: readonly Invariant[]) {
    this.plan = plan;
    this.#invariants = invariants;
    this.runtime = new Runtime(plan.seed, plan.startsAt);
    const wire = createWire(this);
    const gateway = () => new SimulatedGateway(this.runtime, wire);
    this.gateways = { apns: gateway(), fcm: gateway(), web_push: gateway(), [CHANNEL_PROVIDER]: gateway() };
    this.#database = database;
    database.reset();
    this.#newNudges = this.#database.prepare(
      'select * from sim_nudges where number > ? and number <= ? order by number',
    );
    this.#rowOf = this.#database.prepare('select * from tasks where id = ?');
    this.#process = this.#start();
  }

  get now(): number {
    return this.runtime.now();
  }

  get elapsedMs(): number {
    return this.runtime.elapsedMs;
  }

  get process(): ServiceProcess {
    return this.#process;
  }

  /** How long the service has been able to do its work. */
  get liveMs(): number {
    return this.#process.isDead ? 0 : this.elapsedMs - Math.max(this.#process.startedMs, this.jumpedMs);
  }

  close(): void {
    this.#process.die();
  }

  #start(): ServiceProcess {
    return new ServiceProcess(this.runtime, {
      database: this.#database,
      gateways: this.gateways,
      hasChannels: this.plan.people.some(({ tiers }) => tiers.length > 0),
      rowsAtOnce: this.plan.rowsAtOnce,
      mayFollowUp: () => this.elapsedMs >= this.followUpsHeldUntilMs,
      // Wrong credentials are one of a provider's moods.
      onError: (line) => line.includes('refuses our credentials') || this.#errors.push(line),
    });
  }

  /** The process dies if it has not yet, and another one starts after this long. */
  restartAfter(ms: number): void {
    this.#process.die();
    this.runtime.after(ms, () => this.restart(), null);
  }

  restart(): void {
    if (!this.#process.isDead) return;
    this.runtime.pollUntilMs = this.elapsedMs + 5_000;
    this.#process = this.#start();
  }

  /** Runs until that moment and checks after every turn. */
  async runUntil(elapsedMs: number): Promise<void> {
    await this.runtime.runUntil(elapsedMs, () => this.#afterTurn());
  }

  /** Sets the machine's clock. The engine's loops notice it when they poll. */
  setClock(byMs: number): void {
    this.runtime.skewMs += byMs;
    this.jumpedMs = this.elapsedMs;
    this.runtime.pollUntilMs = this.elapsedMs + 5_000;
    if (byMs > 0) return;
    for (const person of this.people.values()) person.isSyncAhead ||= (person.syncedUpTo?.getTime() ?? 0) > this.now;
    for (const { id, isOpen, lastNudge, runFrom } of this.tasks.values())
      if (isOpen && Math.max(lastNudge ?? 0, runFrom) > this.now) this.loose.add(id);
  }

  /** The engine is too busy for follow-ups until then, so that tasks stay stale for a while. */
  holdFollowUps(ms: number): void {
    this.followUpsHeldUntilMs = this.elapsedMs + ms;
    this.runtime.after(
      ms,
      () => {
        this.runtime.owner = this.#process;
        this.#process.services.engine.wakeUp();
      },
      null,
    );
  }

  /** Takes over what a follow-up has done so far. */
  settle(): void {
    this.#adoptStored();
  }

  /** Lets time pass in a step. */
  pass(ms: number): Promise<void> {
    return new Promise((resolve) => this.runtime.after(ms, resolve, null));
  }

  /** The model cannot tell any more what is true, which is rare: the run ends here. */
  giveUp(): void {
    this.isGivenUp = true;
  }

  /** Runs one step. The engine works in between, but no other step does. */
  async runStep<T>(step: () => Promise<T>): Promise<T> {
    let result: { readonly value: T } | { readonly error: unknown } | undefined;
    this.#isInStep = true;
    step().then(
      (value) => {
        result = { value };
      },
      (error: unknown) => {
        result = { error };
      },
    );
    await this.runtime.runWhile(
      () => result === undefined,
      () => this.#afterTurn(),
    );
    this.#isInStep = false;
    if (result && 'error' in result) throw result.error;
    this.#afterTurn();
    return (result as { value: T }).value;
  }

  /** Asks the service; it may refuse, or die before it answers. */
  async call<T>(request: (services: Services) => Promise<T>): Promise<Answer<T>> {
    const process = this.#process;
    const askedMs = this.elapsedMs;
    this.runtime.owner = process;
    try {
      const value = await process.answer(() => request(process.services));
      if (this.elapsedMs - askedMs > ANSWER_WITHIN_MS) this.fail('answers', 'A request got no answer in a minute.');
      return value === 'no answer' ? 'no answer' : { value };
    } catch (error) {
      if (error instanceof AppError) return { refusal: error.code };
      if (error instanceof InvalidInput) return { refusal: 'invalid' };
      throw error;
    }
  }

  fail(invariant: string, message: string): never {
    throw new Violation(invariant, message);
  }

  tell(sentence: string): void {
    this.story.push(`${new Date(this.now).toISOString().replace('T', ' ').slice(0, 23)}  ${sentence}`);
  }

  person(id: string): Person {
    const person = this.people.get(id);
    if (!person) throw new Error('There is no such person.');
    return person;
  }

  settingsOf(task: ModelTask): Settings {
    return this.person(task.owner).settings;
  }

  /** Stores what a task has become, and when its next nudge must come. */
  learn(task: ModelTask): void {
    const before = this.tasks.get(task.id);
    if (!before || before.runFrom !== task.runFrom || before.status !== task.status)
      this.endedMs.set(task.id, this.elapsedMs);
    this.#store(task);
  }

  #store(task: ModelTask): void {
    this.tasks.set(task.id, task);
    this.expected.set(task.id, expectNudge(task, this.settingsOf(task), this.now));
  }

  /** The row as it is stored, for what the model cannot know. */
  storedTask(id: string): Record<string, number | string | null> | undefined {
    return this.#rowOf.get(id) as Record<string, number | string | null> | undefined;
  }

  query(sql: string, ...parameters: (string | number)[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...parameters);
  }

  /** Applies the nudges that were stored before the answer with this row. */
  catchUp({ id, nudge_count }: Pick<Task, 'id' | 'nudge_count'>): void {
    this.#readNudges();
    this.#applyNudges((nudge) => nudge.taskId !== id || (this.tasks.get(id)?.nudges ?? 0) < nudge_count);
  }

  /** The nudges of a task that are stored and that the model has not followed yet. */
  unappliedOf(taskId: string): Nudge[] {
    this.#readNudges();
    return this.#unapplied.filter((nudge) => nudge.taskId === taskId);
  }

  phoneOf(token: string): Phone | undefined {
    return this.phones.find((phone) => {
      if (phone.token === token || phone.startToken === token) return true;
      return [...phone.activities.keys()].some((taskId) => phone.activityToken(taskId) === token);
    });
  }

  record(sent: Sent): void {
    this.sent.getOrInsertComputed(sent.push.kind === 'test' ? '' : sent.push.task.id, () => []).push(sent);
    this.#unchecked.push(sent);
  }

  newMessage(): number {
    this.#messages += 1;
    return this.#messages;
  }

  sentOf(taskId: string): readonly Sent[] {
    return this.sent.get(taskId) ?? [];
  }

  async checkEnd(): Promise<void> {
    for (const { name, end } of this.#invariants) {
      if (!end) continue;
      const problem = await this.runStep(async () => end(this));
      if (problem !== undefined) this.fail(name, problem);
    }
  }

  #afterTurn(): void {
    const { commits, isTransaction } = this.#database;
    if (commits !== this.#seenCommits && !isTransaction) {
      this.#seenCommits = commits;
      this.#readNudges();
      this.#adoptStored();
    }
    this.#applyNudges(() => true);
    for (const sent of this.#unchecked.splice(0)) this.#checkPush(sent);
    for (const { name, turn } of this.#invariants) this.#report(name, turn?.(this));
    const [error] = this.#errors.splice(0);
    if (error !== undefined) this.fail('no errors', `The service logged an error: ${error}`);
  }

  #report(name: string, problem: string | undefined): void {
    if (problem !== undefined) this.fail(name, problem);
  }

  #readNudges(): void {
    if (this.#lastNudge === this.#database.committedNudge) return;
    for (const row of this.#newNudges.all(this.#lastNudge, this.#database.committedNudge) as Record<
      string,
      number | string
    >[]) {
      this.#lastNudge = Number(row.number);
      const { entry_id, task_id, at, stage } = row;
      this.#unapplied.push({
        entryId: String(entry_id),
        taskId: String(task_id),
        at: Number(at),
        stage: Number(stage),
      });
    }
  }

  #applyNudges(mayApply: (nudge: Nudge) => boolean): void {
    if (this.#unapplied.length === 0) return;
    this.#unapplied = this.#unapplied.filter((nudge) => {
      const task = this.tasks.get(nudge.taskId);
      // The answer to its creation is still on its way.
      if (!task && this.#isInStep) return true;
      if (!task) this.fail('never after the end', 'A task that does not exist was nudged.');
      if (!mayApply(nudge)) return true;
      this.#applyNudge(nudge, task);
      return false;
    });
  }

  #applyNudge(nudge: Nudge, task: ModelTask): void {
    const owner = this.person(task.owner);
    this.tell(`the service nudges ${owner.name}: “${task.title}”, stage ${nudge.stage}`);
    this.nudges.getOrInsertComputed(task.id, () => []).push({ ...nudge, ms: this.elapsedMs });
    const settings = owner.changedMs === this.elapsedMs ? [owner.settings, owner.settingsBefore] : [owner.settings];
    for (const { name, nudge: check } of this.#invariants) this.#report(name, check?.(this, nudge, task, settings));
    owner.nudges += 1;
    if (this.loose.has(task.id)) this.tasks.set(task.id, { ...task, nudges: task.nudges + 1 });
    else this.learn(climb(task, nudge));
  }

  #checkPush(sent: Sent): void {
    const task = sent.push.kind === 'test' ? undefined : this.tasks.get(sent.push.task.id);
    for (const { name, push } of this.#invariants) this.#report(name, push?.(this, sent, task));
  }

  /** Where the design leaves the moment to the engine, the model learns from the stored row that it has come. */
  #adoptStored(): void {
    for (const id of this.loose) this.#adoptLadder(id);
    for (const id of this.unsettled) this.#adoptPlace(id);
  }

  #adoptLadder(id: string): void {
    const [task, row] = [this.tasks.get(id), this.storedTask(id)];
    if (!task || !row || task.status !== 'open') this.loose.delete(id);
    else if (Number(row.last_nudge_at ?? 0) <= this.now && Number(row.run_started_at) <= this.now) {
      this.loose.delete(id);
      // The row contains these already.
      this.person(task.owner).nudges += this.unappliedOf(id).length;
      this.#unapplied = this.#unapplied.filter((nudge) => nudge.taskId !== id);
      // The correction moves the start of the run, which goes on.
      this.#store({
        ...task,
        nudges: Number(row.nudge_count),
        runFrom: Number(row.run_started_at),
        step: Number(row.step),
        stage: Number(row.escalation_stage),
        lastNudge: row.last_nudge_at === null ? null : Number(row.last_nudge_at),
        headsUpsDone: row.heads_up_at === null ? null : Number(row.heads_up_at),
      });
    }
  }

  #adoptPlace(id: string): void {
    const [task, row] = [this.tasks.get(id), this.storedTask(id)];
    if (!task || !row) {
      this.unsettled.delete(id);
      this.tasks.delete(id);
      this.expected.delete(id);
      return;
    }
    const isDropped = row.status === 'dropped' && task.status === 'open';
    if (row.space_id === task.space && row.assigner_id === task.assigner && !isDropped) return;
    this.unsettled.delete(id);
    this.learn({
      ...task,
      space: row.space_id as string | null,
      assigner: row.assigner_id as string | null,
      ...(isDropped && { status: 'dropped', isOpen: false }),
      ...(row.undo === null && { undo: null }),
    });
  }
}
