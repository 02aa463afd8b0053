/**
 * Clients that cancel their requests and cut their connections at any moment, while others' statements share round trips
 * with theirs: every answer belongs to its caller and its request, and the rows agree with the answers.
 */
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Db } from '../../src/db/schema.ts';
import { newId } from '../../src/lib/ids.ts';
import { Random } from '../simulation/random.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { startTestApp } from '../support/test-app.ts';

const SEED = Number(process.env.CRESCENDO_FUZZ_SEED ?? Date.now() % 100_000);
const PEOPLE = 12;
const LOOPS_PER_PERSON = 3;
const REQUESTS_PER_LOOP = sized(8, 70);

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** After how many turns of the event loop the client gives up, and how; undefined if it waits for the answer. */
type Cut = { readonly turns: number; readonly kind: 'cancel' | 'socket' | 'half-read' } | undefined;

// biome-ignore lint/suspicious/noExplicitAny: a client without our types.
type Answer = { readonly status: number; readonly data: any; readonly error: string | null };

class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });
  readonly #port: number;
  readonly #person: Person;

  constructor(port: number, person: Person) {
    this.#port = port;
    this.#person = person;
  }

  /** `cut` if no answer arrived, whoever ended it. */
  send({ method, path, body, headers = {} }: Sent, cut: Cut): Promise<Answer | 'cut'> {
    const authorization = `Bearer ${this.#person.sessionToken}`;
    const all = { authorization, ...(body && { 'content-type': 'application/json' }), ...headers };
    return new Promise((resolve) => {
      const sending = request({ port: this.#port, agent: this.#agent, method, path, headers: all });
      sending.on('error', () => resolve('cut'));
      sending.on('response', (response) => {
        if (cut?.kind === 'half-read') response.once('data', () => sending.destroy());
        text(response).then(
          (read) => {
            const { data, error } = JSON.parse(read);
            resolve({ status: response.statusCode ?? 0, data, error });
          },
          () => resolve('cut'),
        );
      });
      sending.end(body && JSON.stringify(body));
      if (cut && cut.kind !== 'half-read') {
        const end = () => (cut.kind === 'cancel' ? sending.destroy() : sending.socket?.destroy());
        void inTurns(cut.turns, end);
      }
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function inTurns(count: number, then: () => void): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
  then();
}

/** What one loop knows of a task of its own. */
interface Known {
  readonly id: string;
  /** The title of the last answer, and of each change that was cut: it may take effect late. */
  readonly titles: Set<string>;
  readonly cutTitles: Set<string>;
}

/** The kind of each task that was sent, which names its creation, and how many rows may have it at the end. */
interface Ledger {
  readonly exactlyOnce: Set<string>;
  readonly atMostOnce: Set<string>;
}

class Loop {
  readonly #client: Client;
  readonly #random: Random;
  readonly #me: Person;
  readonly #ledger: Ledger;
  readonly #foreign: () => string | undefined;
  readonly tasks: Known[] = [];
  answers = 0;
  cuts = 0;

  constructor(client: Client, random: Random, me: Person, ledger: Ledger, foreign: () => string | undefined) {
    this.#client = client;
    this.#random = random;
    this.#me = me;
    this.#ledger = ledger;
    this.#foreign = foreign;
  }

  async run(): Promise<void> {
    for (let count = 0; count < REQUESTS_PER_LOOP; count += 1) {
      const task = this.tasks.length > 0 ? this.#random.pick(this.tasks) : undefined;
      const steps = [
        () => this.#create(),
        ...(task ? [() => this.#read(task), () => this.#rename(task), () => this.#readForeign()] : []),
        () => this.#list('/v1/tasks?limit=5', (data) => data),
        () => this.#list('/v1/sync', (data) => data.tasks),
        () => this.#readMe(),
      ];
      await this.#random.pick(steps)();
    }
  }

  async #send(sent: Sent): Promise<Answer | 'cut'> {
    const kind = this.#random.pick(['cancel', 'socket', 'half-read'] as const);
    const cut = this.#random.chance(0.4) ? { turns: this.#random.pick([0, 1, 1, 2, 2, 3, 5, 8, 13]), kind } : undefined;
    const answer = await this.#client.send(sent, cut);
    if (answer === 'cut') this.cuts += 1;
    else this.answers += 1;
    return answer;
  }

  /** With a key it is sent again until it is answered; without one, a cut may have created it. */
  async #create(): Promise<void> {
    const title = newId();
    const key = this.#random.chance(0.6) ? newId() : undefined;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    for (;;) {
      const answer = await this.#send({ method: 'POST', path: '/v1/tasks', body: { title, kind: title }, headers });
      if (answer === 'cut' && key !== undefined) continue;
      if (answer === 'cut') return void this.#ledger.atMostOnce.add(title);
      // The first attempt is still under way.
      if (answer.status === 409 && answer.error?.startsWith('request_in_progress')) continue;
      assert.equal(answer.status, 200, answer.error ?? '');
      assert.deepEqual([answer.data.title, answer.data.owner_id], [title, this.#me.userId]);
      this.#ledger.exactlyOnce.add(title);
      this.tasks.push({ id: answer.data.id, titles: new Set([title]), cutTitles: new Set() });
      return;
    }
  }

  async #read({ id, titles, cutTitles }: Known): Promise<void> {
    const answer = await this.#send({ method: 'GET', path: `/v1/tasks/${id}` });
    if (answer === 'cut') return;
    assert.deepEqual([answer.status, answer.data.id, answer.data.owner_id], [200, id, this.#me.userId]);
    assert.ok(titles.has(answer.data.title) || cutTitles.has(answer.data.title), answer.data.title);
  }

  async #rename({ id, titles, cutTitles }: Known): Promise<void> {
    const notes = newId();
    const title = `${newId()} again`;
    const answer = await this.#send({ method: 'PATCH', path: `/v1/tasks/${id}`, body: { title, notes } });
    if (answer === 'cut') return void cutTitles.add(title);
    assert.deepEqual([answer.status, answer.data.id, answer.data.title, answer.data.notes], [200, id, title, notes]);
    titles.clear();
    titles.add(title);
  }

  async #readForeign(): Promise<void> {
    const id = this.#foreign();
    const answer = id === undefined ? 'cut' : await this.#send({ method: 'GET', path: `/v1/tasks/${id}` });
    if (answer !== 'cut') assert.deepEqual([answer.status, answer.data], [404, null]);
  }

  async #list(
    path: string,
    tasksOf: (data: Answer['data']) => readonly { readonly owner_id: string }[],
  ): Promise<void> {
    const answer = await this.#send({ method: 'GET', path });
    if (answer === 'cut') return;
    assert.equal(answer.status, 200, answer.error ?? '');
    for (const { owner_id } of tasksOf(answer.data)) assert.equal(owner_id, this.#me.userId);
  }

  async #readMe(): Promise<void> {
    const answer = await this.#send({ method: 'GET', path: '/v1/me' });
    if (answer !== 'cut') assert.deepEqual([answer.status, answer.data.id], [200, this.#me.userId]);
  }
}

onEveryEngine((engine) => {
  test(`no cancelled request and no cut connection gives anybody a wrong answer (seed ${SEED})`, async () => {
    await using app = await startTestApp(engine);
    await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.fastify.server.address() as AddressInfo;
    const random = new Random(SEED);
    const ledger: Ledger = { exactlyOnce: new Set(), atMostOnce: new Set() };
    const people = await Promise.all(Array.from({ length: PEOPLE }, () => createPerson(app)));
    const clients = people.map((person) => new Client(port, person));
    const loops: Loop[] = [];
    for (const [index, person] of people.entries()) {
      const foreign = () => loops[((index + 1) % PEOPLE) * LOOPS_PER_PERSON]?.tasks.at(-1)?.id;
      for (let count = 0; count < LOOPS_PER_PERSON; count += 1) {
        const own = new Random(random.between(0, 1_000_000_000));
        loops.push(new Loop(clients[index] as Client, own, person, ledger, foreign));
      }
    }
    try {
      await Promise.all(loops.map((loop) => loop.run()));
    } finally {
      for (const client of clients) client.close();
    }
    // What was cut may still be under way.
    await app.fastify.close();
    await checkRows(app.db, loops, ledger);
    const [answers, cuts] = [sum(loops, 'answers'), sum(loops, 'cuts')];
    assert.ok(answers > 100 && cuts > 20, `${answers} answers and ${cuts} cuts`);
  });
});

async function checkRows(db: Db, loops: readonly Loop[], { exactlyOnce, atMostOnce }: Ledger): Promise<void> {
  const rows = await db.selectFrom('tasks').select(['id', 'title', 'kind', 'owner_id']).execute();
  const created = Map.groupBy(rows, ({ kind }) => kind);
  for (const kind of exactlyOnce) assert.equal(created.get(kind)?.length, 1, `answered, and stored ${kind}`);
  for (const [kind, { length }] of created) assert.ok(length === 1 && (exactlyOnce.has(kind) || atMostOnce.has(kind)));
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, titles, cutTitles } of loops.flatMap(({ tasks }) => tasks)) {
    const { title = '' } = byId.get(id) ?? {};
    assert.ok(titles.has(title) || cutTitles.has(title), `${id} has the title ${title}`);
  }
}

const sum = (loops: readonly Loop[], name: 'answers' | 'cuts'): number =>
  loops.reduce((total, loop) => total + loop[name], 0);
