/**
 * A nudge that falls from tier to tier, with the process killed at every single step in turn: whatever was lost with
 * it, the next process finishes the story.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertUser } from '../../src/accounts/users.store.ts';
import type { SessionCaller } from '../../src/lib/caller.ts';
import type { AnyPush, Gateway, PushResult } from '../../src/push/gateway.ts';
import { createDatabase, type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MortalEngine } from '../support/mortal-engine.ts';
import { sized } from '../support/size.ts';
import { channelRow } from '../support/stored-channel.ts';

const MINUTE_MS = 60_000;
const FALLBACK_MINUTES = 3;
/** Of every so many steps, one is tried; in a full run, all of them. */
const STRIDE = sized(8, 1);

/** Due, the first lease over, the fall, and its lease over. A killed process is replaced at the next of them. */
const MOMENTS = ['1s', '10s', '10s', '158s', '1s', '10s', '10s', '10s'];

/** A provider whose messages stay on a screen until they are retracted. */
class Screen {
  readonly clock: FakeClock;
  readonly isRefusing: boolean;
  readonly shown = new Set<string>();
  readonly sentAt: number[] = [];

  constructor(clock: FakeClock, isRefusing = false) {
    this.clock = clock;
    this.isRefusing = isRefusing;
  }

  get gateway(): Gateway {
    const refOf = (push: AnyPush) => (push.kind === 'channel_nudge' ? push.entryId : undefined);
    const send = async (push: AnyPush): Promise<PushResult> => {
      if (push.kind === 'channel_retract') for (const ref of push.refs) this.shown.delete(ref);
      if (push.kind !== 'channel_nudge') return { kind: 'accepted' };
      if (this.isRefusing) return { kind: 'rejected', reason: 'http_404' };
      this.sentAt.push(this.clock.now().getTime());
      this.shown.add(push.entryId);
      return { kind: 'accepted', ref: push.entryId };
    };
    return { send, refOf, capacity: () => 10, close: async () => undefined };
  }
}

interface Story {
  readonly engine: EngineName;
  /** The first tier refuses the message, so the second gets it at once. */
  readonly isFirstRefusing: boolean;
  /** The owner completes the task as soon as the process has died. */
  readonly isClosedAtDeath: boolean;
}

/** A process at a time on one database, each story with a task of its own. */
class World implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly #story: Story;
  readonly #databaseUrl: string;
  readonly #dispose = new AsyncDisposableStack();
  #owner: SessionCaller | undefined;
  first: Screen;
  second: Screen;
  process!: MortalEngine;

  private constructor(story: Story, databaseUrl: string) {
    this.#story = story;
    this.#databaseUrl = databaseUrl;
    this.first = new Screen(this.clock, story.isFirstRefusing);
    this.second = new Screen(this.clock);
  }

  static async open(story: Story): Promise<World> {
    const database = await createDatabase(story.engine);
    const world = new World(story, database.url);
    world.#dispose.defer(() => database.drop());
    world.start();
    await world.#addPerson();
    return world;
  }

  start(): void {
    this.process = new MortalEngine({
      engine: this.#story.engine,
      databaseUrl: this.#databaseUrl,
      clock: this.clock,
      gateways: { ntfy: this.first.gateway, webhook: this.second.gateway },
    });
  }

  async #addPerson(): Promise<void> {
    const { db } = this.process;
    const now = this.clock.now();
    const user = await insertUser(db, { email: 'ada@example.org', displayName: null }, now);
    assert.ok(user);
    this.#owner = { kind: 'session', userId: user.id, sessionId: '' };
    const channels = ['ntfy', 'webhook'].map((provider, tier) => channelRow(now, { user_id: user.id, provider, tier }));
    await db.insertInto('channels').values(channels).execute();
  }

  get #caller(): SessionCaller {
    assert.ok(this.#owner);
    return this.#owner;
  }

  /** Kills the process at this step of a nudge that falls. False if the story has fewer steps. */
  async play(steps: number): Promise<boolean> {
    this.first = new Screen(this.clock, this.#story.isFirstRefusing);
    this.second = new Screen(this.clock);
    await this.#restart();
    const dueAt = this.clock.now().getTime() + MINUTE_MS;
    const due_at = new Date(dueAt).toISOString();
    const task = {
      title: 'pills',
      kind: 'todo',
      mode: 'escalate',
      due_at,
      has_time: true,
      break_quiet_hours: false,
    } as const;
    const { id } = await this.process.tasks.create(this.#caller, task);
    await this.clock.advance('59s');
    this.process.dieAfter(steps);
    let closedAt: number | undefined;
    let hasDied = false;
    for (const passed of MOMENTS) {
      await this.clock.advance(passed);
      if (!this.process.isDead) continue;
      hasDied = true;
      await this.#restart();
      if (this.#story.isClosedAtDeath && closedAt === undefined) closedAt = await this.#close(id);
    }
    this.process.dieAfter(Number.POSITIVE_INFINITY);
    const at = `killed at step ${steps}`;
    if (closedAt === undefined) await this.#checkFall(id, dueAt, at);
    closedAt ??= await this.#close(id);
    await this.clock.advance('20m');
    for (const { shown, sentAt } of [this.first, this.second]) {
      assert.deepEqual([...shown], [], `${at}: a message is left after the end`);
      assert.ok(
        sentAt.every((sent) => sent <= (closedAt ?? 0)),
        `${at}: a message was sent after the end`,
      );
    }
    return hasDied;
  }

  async #checkFall(taskId: string, dueAt: number, at: string): Promise<void> {
    const { isFirstRefusing } = this.#story;
    const fallsAt = dueAt + FALLBACK_MINUTES * MINUTE_MS;
    assert.equal(this.first.sentAt.length > 0, !isFirstRefusing, `${at}: the first tier`);
    assert.ok(this.second.sentAt.length > 0, `${at}: the nudge did not fall`);
    // A tier that failed for good does not make the next one wait.
    assert.equal(Math.min(...this.second.sentAt) < fallsAt, isFirstRefusing, `${at}: the moment of the fall`);
    const falls = await this.process.db
      .selectFrom('timeline')
      .select('via')
      .where('task_id', '=', taskId)
      .where('kind', '=', 'fell_back')
      .execute();
    assert.deepEqual(falls, [{ via: 'webhook' }], `${at}: the timeline`);
  }

  async #close(taskId: string): Promise<number> {
    await this.process.tasks.act(this.#caller, taskId, { name: 'complete' });
    await this.process.settled();
    return this.clock.now().getTime();
  }

  async #restart(): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    this.start();
    await this.process.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
    await this.#dispose.disposeAsync();
  }
}

async function killAtEveryStep(story: Story): Promise<void> {
  await using world = await World.open(story);
  let steps = 1;
  while (await world.play(steps)) steps += STRIDE;
  assert.ok(steps > 20, 'the story has steps');
}

onEveryEngine((engine) => {
  test('a nudge that nobody answers falls on time and once, wherever its process is killed', async () => {
    await killAtEveryStep({ engine, isFirstRefusing: false, isClosedAtDeath: false });
  });

  test('a nudge whose tier failed for good is handed on, wherever its process is killed', async () => {
    await killAtEveryStep({ engine, isFirstRefusing: true, isClosedAtDeath: false });
  });

  test('a task that is closed after its process was killed leaves no message behind, wherever that was', async () => {
    await killAtEveryStep({ engine, isFirstRefusing: false, isClosedAtDeath: true });
  });
});
