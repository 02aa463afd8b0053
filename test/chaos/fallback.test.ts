/**
 * A nudge that falls from tier to tier, and a process of the service that gets a SIGKILL at a step of it. Whatever was
 * lost with the process, the next one finishes the story.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { echo } from '../support/channel-rig.ts';
import { createDatabase, type EngineName, onSomeEngine } from '../support/engines.ts';
import { HttpRecorder } from '../support/http-recorder.ts';
import { MortalProcess, type Step } from '../support/mortal-process.ts';
import { IS_FULL } from '../support/size.ts';

const MINUTE_MS = 60_000;
const FALLBACK_MINUTES = 3;
const TIERS = ['/first', '/second'] as const;

/** Due, the first lease over, the fall, and its lease over. A killed process is replaced at the next of them. */
const MOMENTS = ['1s', '10s', '10s', '158s', '1s', '10s', '10s', '10s'];
/** Between the first tier and the fall, when nothing happens. */
const WAITING = MOMENTS.indexOf('158s');

const PLAN = 'insert into "deliveries"';
const CLAIM = 'update deliveries set next_attempt_at';
const STORE_SENT = "update deliveries set status = 'sent'";
const STORE_REFUSED = 'update deliveries set status = result.status';
const NOTE_FALL = 'insert into "timeline".* on conflict';
/** What a process does between two of these leaves no trace: the database rolls back what was not committed. */
const EFFECTS = {
  sqlite: '^commit$|^POST ',
  // Single statements commit by themselves.
  postgres: 'commit$|^(with|insert|update|delete)\\b|^POST ',
} as const;

interface Kill {
  /** Before this step, or while it waits for the fall. */
  readonly at: Step | 'waiting';
  /** The first tier refuses the message, so the second gets it at once. */
  readonly isFirstRefusing?: boolean;
  /** The owner completes the task as soon as the process has died. */
  readonly isClosedAtDeath?: boolean;
}

const KILLS: Readonly<Record<string, Kill>> = {
  'when it is due and nothing is planned': { at: { before: PLAN, nth: 1 } },
  'when it is planned and not claimed': { at: { before: CLAIM, nth: 1 } },
  'when it is claimed and not sent': { at: { before: 'POST /first', nth: 1 } },
  'when it is sent and the result is not stored': { at: { before: STORE_SENT, nth: 1 } },
  'while it waits for an answer': { at: 'waiting' },
  'when its time is over and the next tier has not claimed it': { at: { before: CLAIM, nth: 2 } },
  'when the next tier has claimed it and the timeline does not say so': { at: { before: NOTE_FALL, nth: 1 } },
  'when the next tier has not sent it': { at: { before: 'POST /second', nth: 1 } },
  'when the next tier has sent it and the result is not stored': { at: { before: STORE_SENT, nth: 2 } },
  'when the first tier refused it and that is not stored': {
    at: { before: STORE_REFUSED, nth: 1 },
    isFirstRefusing: true,
  },
  'when it is sent, the result is not stored, and the task is completed': {
    at: { before: STORE_SENT, nth: 1 },
    isClosedAtDeath: true,
  },
  'when the task is completed and the message not retracted': { at: { before: 'POST /first', nth: 2 } },
};

interface Message {
  readonly path: string;
  readonly id: string;
  readonly at: number;
  readonly event: { readonly type: string; readonly data: { readonly task_id: string; readonly nudges?: string[] } };
}

/** One process at a time on one database. A receiver in this process holds what the tiers were sent. */
class World implements AsyncDisposable {
  readonly #dispose = new AsyncDisposableStack();
  readonly #receiver: HttpRecorder;
  readonly #databaseUrl: string;
  #now = Date.parse('2026-03-02T09:00:00Z');
  #authorization = '';
  #isFirstRefusing = false;
  #process!: MortalProcess;

  private constructor(receiver: HttpRecorder, databaseUrl: string) {
    this.#receiver = receiver;
    this.#databaseUrl = databaseUrl;
    receiver.respondTo = (request) =>
      this.#isFirstRefusing && request.path === TIERS[0] ? { status: 404 } : echo(request);
  }

  static async open(engine: EngineName): Promise<World> {
    await using parts = new AsyncDisposableStack();
    const database = parts.adopt(await createDatabase(engine), ({ drop }) => drop());
    const receiver = parts.use(await HttpRecorder.start());
    const world = new World(receiver, database.url);
    await world.#start();
    parts.defer(() => world.#process.kill());
    await world.#addPerson();
    world.#dispose.use(parts.move());
    return world;
  }

  get #settings() {
    return { CHANNEL_HOSTS: `*,${this.#receiver.host}`, LOG_LEVEL: 'silent' };
  }

  async #addPerson(): Promise<void> {
    this.#authorization = `Bearer ${await this.#process.admitPerson()}`;
    for (const [tier, path] of TIERS.entries()) {
      const fields = { url: this.#receiver.origin + path };
      const { channel } = await this.#ask('POST', '/v1/channels', { provider: 'webhook', fields, tier });
      await this.#ask('POST', `/v1/channels/${channel.id}/verify`, {});
    }
    await this.#ask('PATCH', '/v1/channels', { fallback_minutes: FALLBACK_MINUTES });
  }

  /** Tells the story of one task. False if the process did not die in it. */
  async play(name: string, { at, isFirstRefusing = false, isClosedAtDeath = false }: Kill): Promise<boolean> {
    this.#isFirstRefusing = isFirstRefusing;
    const dueAt = this.#now + MINUTE_MS;
    const task = { title: 'pills', due_at: new Date(dueAt).toISOString(), has_time: true };
    const { id } = await this.#ask('POST', '/v1/tasks', task);
    await this.#advance('59s');
    if (at !== 'waiting') await this.#process.dieAt(at);
    let hasDied = false;
    let closedAt: number | undefined;
    for (const [index, passed] of MOMENTS.entries()) {
      if (at === 'waiting' && index === WAITING) await this.#process.kill();
      await this.#advance(passed);
      if (!this.#process.isDead) continue;
      hasDied = true;
      await this.#start();
      if (isClosedAtDeath) closedAt ??= await this.#close(id);
    }
    if (closedAt === undefined) await this.#checkFall(id, dueAt, name, isFirstRefusing);
    hasDied = (closedAt === undefined && (await this.#dies(() => this.#close(id)))) || hasDied;
    closedAt ??= this.#now;
    hasDied = (await this.#dies(() => this.#advance('20m'))) || hasDied;
    // The lease of what the dead process retracted has to end.
    await this.#advance('1m');
    this.#checkEnd(id, closedAt, name);
    return hasDied;
  }

  async #checkFall(taskId: string, dueAt: number, name: string, isFirstRefusing: boolean): Promise<void> {
    const [first, second] = TIERS.map((path) => this.#nudges(taskId, path));
    const fallsAt = dueAt + FALLBACK_MINUTES * MINUTE_MS;
    assert.ok(first && first.length > 0, `${name}: the first tier got nothing`);
    assert.ok(second && second.length > 0, `${name}: the nudge did not fall`);
    for (const sent of [first, second]) {
      assert.equal(new Set(sent.map(({ id }) => id)).size, 1, `${name}: a repeated message has another id`);
    }
    assert.ok(Math.min(...first.map(({ at }) => at)) >= dueAt, `${name}: the first tier was early`);
    // A tier that failed for good does not make the next one wait.
    const fellAt = Math.min(...second.map(({ at }) => at));
    assert.equal(fellAt < fallsAt, isFirstRefusing, `${name}: the moment of the fall`);
    const entries = await this.#ask('GET', `/v1/tasks/${taskId}/timeline`);
    const falls = entries.filter(({ kind }: { kind: string }) => kind === 'fell_back');
    assert.equal(falls.length, 1, `${name}: the timeline`);
  }

  #checkEnd(taskId: string, closedAt: number, name: string): void {
    for (const path of TIERS) {
      const nudges = this.#nudges(taskId, path);
      assert.ok(
        nudges.every(({ at }) => at <= closedAt),
        `${name}: a nudge was sent after the end`,
      );
      if (path === TIERS[0] && this.#isFirstRefusing) continue;
      const retracted = new Set(this.#messages(taskId, path).flatMap(({ event }) => event.data.nudges ?? []));
      const left = nudges.filter(({ id }) => !retracted.has(id));
      assert.deepEqual(left, [], `${name}: a message is left after the end`);
    }
  }

  #nudges(taskId: string, path: string): Message[] {
    return this.#messages(taskId, path).filter(({ event }) => event.type === 'nudge.sent');
  }

  #messages(taskId: string, tier: string): Message[] {
    const messages = this.#receiver.requests.map(({ path, headers, body }) => ({
      path,
      id: String(headers['webhook-id']),
      at: Number(headers['webhook-timestamp']) * 1_000,
      event: JSON.parse(body) as Message['event'],
    }));
    return messages.filter(({ path, event }) => path === tier && event.data.task_id === taskId);
  }

  /** Returns when the owner did so. Who gets no answer asks again. */
  async #close(taskId: string): Promise<number> {
    await this.#ask('POST', `/v1/tasks/${taskId}/complete`);
    return this.#now;
  }

  async #dies(work: () => Promise<unknown>): Promise<boolean> {
    await work();
    const hasDied = this.#process.isDead;
    if (hasDied) await this.#start();
    return hasDied;
  }

  async #ask(method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) {
    const headers = { authorization: this.#authorization };
    const request = { method, url, headers, ...(payload && { payload }) };
    let answer = await this.#process.ask(request);
    if (!answer) {
      await this.#start();
      answer = await this.#process.ask(request);
    }
    assert.equal(answer?.status, 200, JSON.stringify(answer?.body));
    return answer.body.data;
  }

  async #advance(duration: string): Promise<void> {
    this.#now += Number.parseInt(duration, 10) * (duration.endsWith('m') ? MINUTE_MS : 1_000);
    await this.#process.advance(duration);
  }

  async #start(): Promise<void> {
    this.#process = await MortalProcess.start(this.#databaseUrl, new Date(this.#now), this.#settings);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#dispose.disposeAsync();
  }
}

/** A start costs a second of CPU time, so by default each engine gets every sixth kill, and not the same ones. */
function killsOf(engine: EngineName): [string, Kill][] {
  const isItsTurn = (index: number) => IS_FULL || index % 6 === (engine === 'sqlite' ? 0 : 3);
  return Object.entries(KILLS).filter((_, index) => isItsTurn(index));
}

onSomeEngine('postgres', (engine) => {
  test('a nudge falls on time, once and to the end, whenever its process gets a SIGKILL', async () => {
    await using world = await World.open(engine);
    for (const [name, kill] of killsOf(engine)) {
      assert.ok(await world.play(name, kill), `${name}: the process lived on`);
    }
  });

  if (!IS_FULL) return;
  for (const story of [{}, { isFirstRefusing: true }, { isClosedAtDeath: true }]) {
    test(`the same for a SIGKILL before every single effect ${JSON.stringify(story)}`, async () => {
      await using world = await World.open(engine);
      let nth = 1;
      while (await world.play(`effect ${nth}`, { at: { before: EFFECTS[engine], nth }, ...story })) nth += 1;
      assert.ok(nth > 10, 'the story has effects');
    });
  }
});
