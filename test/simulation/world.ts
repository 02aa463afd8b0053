/**
 * The simulated world: people with phones, push providers, one service process, and the model of what must happen.
 * It runs the steps of a plan one after another, and compares the service with the model after every turn.
 */
import type { StatementSync } from 'node:sqlite';
import type { App } from './apps.ts';
import { CHANNEL_PROVIDER, type Channel } from './channels.ts';
import { Checks } from './checks.ts';
import { Corrections, type TaskRow } from './corrections.ts';
import type { DatabaseFaults } from './database-faults.ts';
import { DoorBook } from './door-book.ts';
import { type GatewayName, SimulatedGateway } from './gateways.ts';
import { type Held, Holder, type Sounded } from './holder.ts';
import type { Answered, Backlog, Invariant, Mail, Nudge, Sent, Told, Waiting } from './invariant.ts';
import { type Expected, expectNudge, type Settings } from './model/ladder.ts';
import type { ModelTask } from './model/task.ts';
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
import { WorldClocks } from './world-clocks.ts';

export const ANSWER_WITHIN_MS = 60_000;
/** Longer than any push waits for its answer. */
const STOPPED_WITHIN_MS = 20_000;

/** Where what people are shown is compared with the model at the end. */
const COMPARED = ['lists', 'feeds', 'export'] as const;

export class World {
  readonly plan: Plan;
  readonly runtime: Runtime;
  readonly clocks: WorldClocks;
  readonly nudgeLog: NudgeLog;
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
  readonly corrections = new Corrections(this);
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
  /** By task and delivery. */
  readonly answers = new Map<string, Map<string, Answered>>();
  /** What the service mailed to sign-in addresses, in order. */
  readonly mails: Mail[] = [];
  readonly story: string[] = [];
  followUpsDelayedUntilMs = 0;
  /** When each process started. */
  readonly startsMs: number[] = [];
  isGivenUp = false;
  channelMessages = 0;
  /** What quiet accounts have due together with many tasks of loud ones. */
  waiting: readonly Waiting[] = [];
  /** What the sweep finds due at once. */
  backlog: Backlog | undefined;
  readonly #checks: Checks;
  readonly #database: SharedDatabase;
  readonly #rowOf: StatementSync;
  #process: ServiceProcess;
  #seenCommits = 0;
  /** People do something, and may have no answer yet. */
  isInStep = false;
  /** When that began. */
  #stepMs = 0;

  constructor(plan: Plan, database: SharedDatabase, invariants: readonly Invariant[], runtime: Runtime) {
    this.plan = plan;
    this.#checks = new Checks(this, invariants);
    this.runtime = runtime;
    this.clocks = new WorldClocks(runtime, (now) => {
      this.corrections.loosen(now);
      this.#expectAgain(now);
    });
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
    this.nudgeLog = new NudgeLog(this, database);
    this.#rowOf = this.#database.prepare('select * from tasks where id = ?');
    this.#process = this.#start();
  }

  /** By the clock of the API, which is also that of people. */
  get now(): number {
    return this.runtime.now();
  }

  get elapsedMs(): number {
    return this.runtime.elapsedMs;
  }

  /** Of all providers and all their servers. */
  get everyGateway(): ReadonlySet<SimulatedGateway> {
    return new Set([...Object.values(this.gateways), ...this.servers.values()]);
  }

  /** The people who are compared there at the end, each with a number of their own. */
  comparedIn(place: (typeof COMPARED)[number]): [person: Person, number: number][] {
    const { seed, comparesOne } = this.plan;
    const numbered = [...this.people.values()].map((person, index): [Person, number] => [person, seed + index]);
    const present = numbered.filter(([{ isGone }]) => !isGone);
    if (!comparesOne) return present;
    const first = Math.floor(seed / COMPARED.length) % Math.max(1, present.length);
    return COMPARED[seed % COMPARED.length] === place ? present.slice(first, first + 1) : [];
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

  /** How long the service has been able to do its work. */
  get liveMs(): number {
    return this.#process.isDead || this.clocks.isApart ? 0 : this.elapsedMs - this.aliveSinceMs;
  }

  get aliveSinceMs(): number {
    return Math.max(this.#process.startedMs, this.clocks.jumpedMs, this.faults.recoveredMs);
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
    this.corrections.adopt();
    return true;
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
    return this.pass(this.clocks.realMs(at - this.now));
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
    this.#stepMs = this.elapsedMs;
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
    // The first nudge of a new task may come before the answer, where the database makes the request wait.
    if (!before) this.endedMs.set(task.id, this.#stepMs);
    else if (before.run !== task.run || before.status !== task.status) {
      this.endedMs.set(task.id, this.elapsedMs);
      this.standIns.runEnded(before, task);
    }
    if (before?.space !== task.space) this.placesChangedMs = this.elapsedMs;
    if (before && before.isMustNotMiss !== task.isMustNotMiss) this.strengthChangedMs.set(task.id, this.elapsedMs);
    this.#store(task, now);
    this.corrections.loosenNew(task);
  }

  #store(task: ModelTask, now: number): void {
    this.taskChangedMs.set(task.id, this.elapsedMs);
    this.tasks.set(task.id, task);
    this.expected.set(task.id, expectNudge(task, this.settingsOf(task), now));
  }

  /** What a hold by the wrong clock had moved comes at its moment. */
  #expectAgain(now: number): void {
    for (const task of this.tasks.values())
      if (task.isOpen) this.expected.set(task.id, expectNudge(task, this.settingsOf(task), now));
  }

  /** Forgets a deleted task, after checking the nudges that were stored before its deletion. */
  forget(id: string): void {
    this.nudgeLog.followRead(id);
    this.corrections.unsettled.delete(id);
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

  record(sent: Sent): void {
    this.sent.getOrInsertComputed(sent.push.kind === 'test' ? '' : sent.push.task.id, () => []).push(sent);
    this.#checks.sent(sent);
  }

  recordNudge(nudge: Nudge, task: ModelTask, settings: readonly Settings[]): void {
    this.#checks.nudge(nudge, task, settings);
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
    this.nudgeLog.read();
    if (commits !== this.#seenCommits && this.settle()) this.#seenCommits = commits;
    this.nudgeLog.follow();
    if (this.#process.isDead) this.holder?.outages.begin(this.#process);
    this.#checks.afterTurn();
  }

  /** A correction moves the start of the run, which goes on. */
  adoptLadder(corrected: ModelTask): void {
    // The row contains these already.
    this.person(corrected.owner).nudges += this.nudgeLog.waitingOf(corrected.id).length;
    this.nudgeLog.drop(corrected.id);
    this.#store(corrected, this.clocks.earlierNow);
  }
}
