/**
 * The simulated world: people with phones, push providers, one service process, and the model of what must happen.
 * It runs the steps of a plan one after another, and compares the service with the model after every turn.
 */
import type { StatementSync } from 'node:sqlite';
import type { ShownTask as Task } from '../../src/tasks/shown-tasks.store.ts';
import { adoptPlace, correctedLadder } from './adopt-stored.ts';
import type { App } from './apps.ts';
import { CHANNEL_PROVIDER, type Channel } from './channels.ts';
import { Checks } from './checks.ts';
import { type ClockName, ERROR_MS } from './clocks.ts';
import type { DatabaseFaults } from './database-faults.ts';
import { DoorBook } from './door-book.ts';
import { type GatewayName, SimulatedGateway } from './gateways.ts';
import { type Held, Holder, type Sounded } from './holder.ts';
import type { Answered, Backlog, Invariant, Mail, Nudge, Sent, Told, Waiting } from './invariant.ts';
import { type Expected, expectNudge, type Settings } from './model/ladder.ts';
import { climb, type ModelTask } from './model/task.ts';
import { NudgeLog } from './nudge-log.ts';
import type { Person } from './person.ts';
import type { Phone } from './phones.ts';
import type { Plan } from './plan.ts';
import { hasOnlyMail } from './planned-people.ts';
import { type Answer, ServiceProcess, type Services } from './process.ts';
import type { Runtime } from './runtime.ts';
import type { SharedDatabase } from './shared-database.ts';
import { StandInBook } from './stand-in-book.ts';
import { Violation } from './violation.ts';
import { createWire } from './wire.ts';

export const ANSWER_WITHIN_MS = 60_000;
/** Longer than any push waits for its answer. */
const STOPPED_WITHIN_MS = 20_000;

export type TaskRow = Readonly<Record<string, number | string | null>>;
/** Whether a follow-up has changed a row as it must. */
export type Change = (row: TaskRow) => boolean;

export class World {
  readonly plan: Plan;
  readonly runtime: Runtime;
  readonly people = new Map<string, Person>();
  readonly tasks = new Map<string, ModelTask>();
  /** The next nudge of each task, as the model expects it. */
  readonly expected = new Map<string, Expected | null>();
  /** When the run of a task last ended or began anew. */
  readonly endedMs = new Map<string, number>();
  /** When a task last became one that must not be missed, or ceased to be. */
  readonly strengthChangedMs = new Map<string, number>();
  /** When anything of a task last changed, also by a nudge. */
  readonly taskChangedMs = new Map<string, number>();
  /** When a task last got another ladder. */
  readonly ladderChangedMs = new Map<string, number>();
  readonly spaces = new Map<string, Set<string>>();
  /** When somebody last joined or left a space, or a task was last moved. */
  placesChangedMs = Number.NEGATIVE_INFINITY;
  readonly standIns = new StandInBook(this);
  readonly doors = new DoorBook();
  /** People who have changed their time zone. */
  readonly movedPeople = new Set<string>();
  readonly phones: Phone[] = [];
  /** Apps that sync by CalDAV, by the ids of their users. */
  readonly apps = new Map<string, readonly App[]>();
  /** Done tasks that an app deleted, or put another one in the place of. */
  readonly hiddenFromApps = new Set<string>();
  readonly channels: Channel[] = [];
  /** Holds messages for people, in some worlds. */
  readonly holder: Holder | undefined;
  readonly gateways: Readonly<Record<GatewayName, SimulatedGateway>>;
  /** The servers of the provider of channels, by their origin, where it has several. */
  readonly servers: ReadonlyMap<string, SimulatedGateway>;
  /** By task, in order. */
  readonly sent = new Map<string, Sent[]>();
  /** By task, in order. */
  readonly nudges = new Map<string, (Nudge & { readonly ms: number })[]>();
  /** By task and delivery. */
  readonly answers = new Map<string, Map<string, Answered>>();
  /** What the service mailed to sign-in addresses, in order. */
  readonly mails: Mail[] = [];
  readonly story: string[] = [];
  /** Tasks with a wrong ladder after the clock was set back: the engine corrects them, and the model adopts that. */
  readonly loose = new Set<string>();
  /** Tasks that follow-ups will take out of their space, drop or delete, with the changes that their rows need. */
  readonly unsettled = new Map<string, readonly Change[]>();
  followUpsDelayedUntilMs = 0;
  /** When each process started. */
  readonly startsMs: number[] = [];
  /** When a clock was last set. */
  jumpedMs = Number.NEGATIVE_INFINITY;
  /** When each of them was. */
  readonly setMs: Record<ClockName, number> = { clock: Number.NEGATIVE_INFINITY, wallClock: Number.NEGATIVE_INFINITY };
  isGivenUp = false;
  channelMessages = 0;
  /** What quiet accounts have due together with many tasks of loud ones. */
  waiting: readonly Waiting[] = [];
  /** What the sweep finds due at once. */
  backlog: Backlog | undefined;
  readonly #checks: Checks;
  readonly #database: SharedDatabase;
  readonly #log: NudgeLog;
  readonly #rowOf: StatementSync;
  #process: ServiceProcess;
  #seenCommits = 0;
  readonly #shownTwice: (readonly [from: number, until: number])[] = [];
  /** People do something, and may have no answer yet. */
  isInStep = false;

  constructor(plan: Plan, database: SharedDatabase, invariants: readonly Invariant[], runtime: Runtime) {
    this.plan = plan;
    this.#checks = new Checks(this, invariants);
    this.runtime = runtime;
    const wire = createWire(this);
    const gateway = (usualMs?: number) => new SimulatedGateway(this.runtime, wire, usualMs);
    this.servers = new Map(plan.servers?.map(({ origin, usualMs }) => [origin, gateway(usualMs)]));
    const [first = gateway()] = this.servers.values();
    this.gateways = {
      apns: gateway(),
      fcm: gateway(),
      web_push: gateway(),
      email: gateway(),
      [CHANNEL_PROVIDER]: first,
    };
    this.holder = plan.holding && new Holder(this, plan.holding);
    this.#database = database;
    database.reset(() => this.elapsedMs);
    this.#log = new NudgeLog(database);
    this.#rowOf = this.#database.prepare('select * from tasks where id = ?');
    this.#process = this.#start();
  }

  get now(): number {
    return this.runtime.now();
  }

  /** By the engine's clock. */
  get engineNow(): number {
    return this.runtime.engineNow();
  }

  /** By the clock that is behind, while one of the two follows a clock that was set. What the engine plans is no later. */
  get earlierNow(): number {
    return Math.min(this.now, this.engineNow);
  }

  /** How far the engine's clock may be from that of the API; twice as much after it was read anew. */
  get errorMs(): number {
    return this.runtime.engineClock ? 2 * ERROR_MS : 0;
  }

  get elapsedMs(): number {
    return this.runtime.elapsedMs;
  }

  /** How long this takes in real time, if it is measured by the clock of tasks. */
  realMs(taskMs: number): number {
    return Math.ceil(taskMs / this.runtime.clocks.speed);
  }

  /** By how much the clock of tasks moves on meanwhile. */
  taskMs(realMs: number): number {
    return realMs * this.runtime.clocks.speed;
  }

  /** What the clock of tasks would have shown that long ago. */
  ago(realMs: number): number {
    return this.now - this.taskMs(realMs);
  }

  /** Of all providers and all their servers. */
  get everyGateway(): ReadonlySet<SimulatedGateway> {
    return new Set([...Object.values(this.gateways), ...this.servers.values()]);
  }

  /** Where the messages of a channel go. */
  serverOf({ server }: Pick<Channel, 'server'>): SimulatedGateway {
    return this.servers.get(server ?? '') ?? this.gateways[CHANNEL_PROVIDER];
  }

  /** Whether a channel's messages are delayed neither by its server nor by the others, which may take all places. */
  reaches(channel: Pick<Channel, 'server'>): boolean {
    const failing = [...this.servers.values()].filter(({ isReliable }) => !isReliable);
    return this.serverOf(channel).isReliable && failing.length <= 1;
  }

  get process(): ServiceProcess {
    return this.#process;
  }

  /** A clock was set, and either the engine or the API has not followed it yet. */
  get isApart(): boolean {
    return this.runtime.engineClock !== undefined && this.runtime.engineClock.aheadMs !== 0;
  }

  /** How long the service has been able to do its work. */
  get liveMs(): number {
    return this.#process.isDead || this.isApart ? 0 : this.elapsedMs - this.aliveSinceMs;
  }

  get aliveSinceMs(): number {
    return Math.max(this.#process.startedMs, this.jumpedMs, this.faults.recoveredMs);
  }

  /** The last nudge that is stored. */
  get committedNudge(): number {
    return this.#database.committedNudge;
  }

  /** Statements that fail. */
  get faults(): DatabaseFaults {
    return this.#database.faults;
  }

  close(): void {
    this.#process.die();
  }

  #start(): ServiceProcess {
    for (const gateway of this.everyGateway) gateway.connect();
    this.startsMs.push(this.elapsedMs);
    return new ServiceProcess(this.runtime, {
      database: this.#database,
      gateways: this.gateways,
      servers: this.servers,
      hasChannels: this.plan.people.some(({ tiers }) => tiers.length > 0),
      hasMail: this.plan.people.some(hasOnlyMail),
      holder: this.holder,
      mailer: this.plan.hasDoors ? this.doors.mailbox : undefined,
      rowsAtOnce: this.plan.rowsAtOnce,
      mayFollowUp: () => this.elapsedMs >= this.followUpsDelayedUntilMs,
      // Wrong credentials are one of a provider's moods.
      onError: (line) => line.includes('refuses our credentials') || this.#checks.logged(line),
    });
  }

  /** The process dies if it has not yet, and another one starts after this long. */
  restartAfter(ms: number): void {
    this.#process.die();
    this.runtime.after(ms, () => this.restart(), null);
  }

  /** The process stops in peace, and another one starts after this long. */
  async stopFor(ms: number): Promise<void> {
    const askedMs = this.elapsedMs;
    this.runtime.owner = this.#process;
    await this.#process.stop();
    if (this.elapsedMs - askedMs > STOPPED_WITHIN_MS) this.fail('a stop ends', 'A stop took longer than 20 s.');
    this.restartAfter(ms);
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

  /** Sets the machine's clock, or one of two. The engine's loops notice it when they poll. */
  setClock(byMs: number, names: readonly ClockName[] = ['clock', 'wallClock']): void {
    const isOfTasks = names.includes('clock');
    if (byMs < 0 && isOfTasks) this.#shownTwice.push([this.now + byMs, this.now]);
    for (const name of names) {
      this.runtime.skewMs[name] += byMs;
      this.setMs[name] = this.elapsedMs;
    }
    this.jumpedMs = this.elapsedMs;
    this.runtime.pollUntilMs = this.elapsedMs + 5_000;
    // Until the engine follows too, it shows the time from before.
    if (this.runtime.engineClock) this.runtime.engineClock.aheadMs -= byMs;
    if (byMs < 0 && isOfTasks) this.#loosen(this.now);
  }

  /** Sets the clock of the engine. That of the API follows, or has been set. */
  setEngineClock(byMs: number): void {
    const { engineClock } = this.runtime;
    if (!engineClock) return;
    if (byMs < 0) this.#shownTwice.push([this.engineNow + byMs, this.engineNow]);
    engineClock.aheadMs += byMs;
    this.jumpedMs = this.elapsedMs;
    this.runtime.pollUntilMs = this.elapsedMs + 5_000;
    if (byMs < 0) this.#loosen(this.engineNow);
  }

  /** The engine corrects what lies in the future now, and the model adopts that. */
  #loosen(now: number): void {
    for (const { id, isOpen, lastNudge, runFrom } of this.tasks.values())
      if (isOpen && Math.max(lastNudge ?? 0, runFrom) > now) this.loose.add(id);
  }

  /** Whether a clock that was set back shows this moment, or has shown it, a second time. */
  isShownTwice(at: number): boolean {
    return this.#shownTwice.some(([from, until]) => at >= from && at <= until);
  }

  /** The engine is too busy for follow-ups until then, so that tasks stay stale for a while. */
  delayFollowUps(ms: number): void {
    this.followUpsDelayedUntilMs = this.elapsedMs + ms;
    this.runtime.after(
      ms,
      () => {
        this.runtime.owner = this.#process;
        this.#process.services.engine.wakeUp();
      },
      null,
    );
  }

  /**
   * Takes over the corrections of the engine and of follow-ups so far. Returns false if a transaction is open: the rows
   * already contain its changes, which may still be rolled back.
   */
  settle(): boolean {
    if (this.#database.isTransaction) return false;
    for (const id of this.loose) this.#adoptLadder(id);
    for (const id of this.unsettled.keys()) adoptPlace(this, id);
    return true;
  }

  /** A follow-up will change the row of a task. Call the returned function if it will not. */
  willChange(id: string, isDone: Change): () => void {
    this.unsettled.set(id, [...(this.unsettled.get(id) ?? []), isDone]);
    return () => this.changed(id, (change) => change === isDone);
  }

  /** Stops waiting for these changes. */
  changed(id: string, isDone: (change: Change) => boolean): void {
    const left = (this.unsettled.get(id) ?? []).filter((change) => !isDone(change));
    if (left.length === 0) this.unsettled.delete(id);
    else this.unsettled.set(id, left);
  }

  /** The engine's loops poll for some seconds. */
  poll(): void {
    this.runtime.pollUntilMs = this.elapsedMs + 5_000;
  }

  /** Lets time pass in a step. */
  pass(ms: number): Promise<void> {
    return new Promise((resolve) => this.runtime.after(ms, resolve, null));
  }

  /** Lets time pass until the clock of tasks shows this moment. */
  passUntil(at: number): Promise<void> {
    return this.pass(this.realMs(at - this.now));
  }

  /** Ends the run, because the model can no longer tell what is true. This is rare. */
  giveUp(): void {
    this.isGivenUp = true;
  }

  /** Of requests that were asked at once, one took time because the database failed: nobody can tell when the other was done. */
  giveUpIfLate(askedMs: number): boolean {
    const isLate = this.elapsedMs !== askedMs && this.faults.recoveredMs > askedMs;
    if (isLate && !this.#process.isDead) this.giveUp();
    return this.isGivenUp;
  }

  /** Runs one step. The engine works in between, but no other step does. */
  async runStep<T>(step: () => Promise<T>): Promise<T> {
    this.isInStep = true;
    const end = await this.runtime.runStep(step, () => this.#afterTurn());
    this.isInStep = false;
    if ('error' in end) throw end.error;
    this.#afterTurn();
    return end.value;
  }

  /** Asks the service; it may refuse, or die before it answers. */
  async call<T>(request: (services: Services) => Promise<T>): Promise<Answer<T>> {
    const process = this.#process;
    const askedMs = this.elapsedMs;
    this.runtime.owner = process;
    const answer = await process.answer(request);
    if (this.elapsedMs - askedMs > ANSWER_WITHIN_MS) this.fail('answers', 'A request got no answer in a minute.');
    return answer;
  }

  fail(invariant: string, message: string): never {
    throw new Violation(invariant, message);
  }

  /** For errors outside of steps. */
  failAfterTurn(error: unknown): void {
    this.#checks.failed(error);
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

  /** Stores the new state of a task, and when its next nudge must come. */
  learn(task: ModelTask, now = this.now): void {
    const before = this.tasks.get(task.id);
    if (!before || before.run !== task.run || before.status !== task.status) {
      this.endedMs.set(task.id, this.elapsedMs);
      if (before) this.standIns.runEnded(before, task);
    }
    if (before?.space !== task.space) this.placesChangedMs = this.elapsedMs;
    if (before && before.isMustNotMiss !== task.isMustNotMiss) this.strengthChangedMs.set(task.id, this.elapsedMs);
    this.#store(task, now);
  }

  #store(task: ModelTask, now: number): void {
    this.taskChangedMs.set(task.id, this.elapsedMs);
    this.tasks.set(task.id, task);
    this.expected.set(task.id, expectNudge(task, this.settingsOf(task), now));
  }

  /** Forgets a deleted task, after checking the nudges that were stored before its deletion. */
  forget(id: string): void {
    this.#applyNudges(({ taskId }) => taskId === id);
    this.unsettled.delete(id);
    this.tasks.delete(id);
    this.expected.delete(id);
    this.standIns.forget(id);
    this.endedMs.set(id, this.elapsedMs);
  }

  /** The stored row, for facts that the model cannot know. */
  storedTask(id: string): TaskRow | undefined {
    return this.#rowOf.get(id) as TaskRow | undefined;
  }

  query(sql: string, ...parameters: (string | number)[]): Record<string, unknown>[] {
    return this.#database.prepare(sql).all(...parameters);
  }

  /** Applies the nudges that are stored by now. */
  followNudges(): void {
    this.#log.read();
    this.#applyNudges(() => true);
  }

  /** Applies the nudges that were stored before the answer with this row. */
  catchUp({ id, nudge_count }: Pick<Task, 'id' | 'nudge_count'>): void {
    this.#log.read();
    this.#applyNudges((nudge) => nudge.taskId !== id || (this.tasks.get(id)?.nudges ?? 0) < nudge_count);
  }

  /** The nudges of a task that are stored and that the model has not followed yet. */
  unappliedOf(taskId: string): Nudge[] {
    return this.#log.of(taskId);
  }

  /** The run of the newest nudge of that moment. */
  runOfNudge(taskId: string, at: number): number | undefined {
    return [...(this.nudges.get(taskId) ?? []), ...this.unappliedOf(taskId)].findLast((nudge) => nudge.at === at)?.run;
  }

  record(sent: Sent): void {
    this.sent.getOrInsertComputed(sent.push.kind === 'test' ? '' : sent.push.task.id, () => []).push(sent);
    this.#checks.sent(sent);
  }

  recordTold(told: Told): void {
    this.tell(`the service tells ${this.people.get(told.recipient ?? '')?.name}: “${told.title}”, ${told.kind}`);
    this.#checks.told(told);
  }

  recordHeld(held: Held): void {
    this.#checks.held(held);
  }

  recordSounded(sounded: Sounded): void {
    const name = this.people.get(sounded.channel.owner)?.name;
    this.tell(`the provider sounds for ${name} by itself: “${sounded.title}”, “${sounded.body}”`);
    this.#checks.sounded(sounded);
  }

  recordTaken(sent: Sent): void {
    this.#checks.taken(sent);
  }

  sentOf(taskId: string): readonly Sent[] {
    return this.sent.get(taskId) ?? [];
  }

  checkEnd(): Promise<void> {
    return this.#checks.end();
  }

  #afterTurn(): void {
    const { commits } = this.#database;
    // A nudge that is committed counts at once: its pushes may be checked while the next transaction is open.
    this.#log.read();
    if (commits !== this.#seenCommits && this.settle()) this.#seenCommits = commits;
    this.#applyNudges(() => true);
    if (this.#process.isDead) this.holder?.outages.begin(this.#process);
    this.#checks.afterTurn();
  }

  #applyNudges(mayApply: (nudge: Nudge) => boolean): void {
    this.#log.takeEach((nudge) => {
      const task = this.tasks.get(nudge.taskId);
      // The answer to its creation is still on its way.
      if (!task && this.isInStep) return false;
      if (!task) this.fail('never after the end', 'A task that does not exist was nudged.');
      if (!mayApply(nudge)) return false;
      this.#applyNudge(nudge, task);
      return true;
    });
  }

  #applyNudge(nudge: Nudge, task: ModelTask): void {
    const owner = this.person(task.owner);
    this.tell(`the service nudges ${owner.name}: “${task.title}”, stage ${nudge.stage}`);
    this.nudges.getOrInsertComputed(task.id, () => []).push({ ...nudge, ms: this.elapsedMs });
    const settings = owner.changedMs === this.elapsedMs ? [owner.settings, owner.settingsBefore] : [owner.settings];
    this.#checks.nudge(nudge, task, settings);
    this.standIns.nudged(task, nudge);
    owner.nudges += 1;
    if (this.loose.has(task.id)) this.tasks.set(task.id, { ...task, nudges: task.nudges + 1 });
    else this.learn(climb(task, nudge), this.earlierNow);
  }

  #adoptLadder(id: string): void {
    const task = this.tasks.get(id);
    const corrected = task && correctedLadder(this, task);
    if (task && !corrected && this.storedTask(id)) return;
    this.loose.delete(id);
    if (!corrected) return;
    // The row contains these already.
    this.person(corrected.owner).nudges += this.unappliedOf(id).length;
    this.#log.drop(id);
    // The correction moves the start of the run, which goes on.
    this.#store(corrected, this.earlierNow);
  }
}
