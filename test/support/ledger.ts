/**
 * Accounts for a service under faults, from outside of it: which writes were acknowledged, which answers came, and
 * which nudges reached the phone. Every task is due when it is created, so each acknowledged one owes a nudge.
 *
 * At the end `settle` proves that nothing acknowledged was lost, that no write took effect twice, and that no
 * answer was anything but a success, a 503 that says when to try again, or what became of an earlier attempt.
 */
import assert from 'node:assert/strict';
import { insertUser } from '../../src/accounts/users.store.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { Db } from '../../src/db/schema.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { databaseLocation } from '../../src/lib/setting.ts';
import { FakeApns } from './apns-server.ts';
import { addDevice } from './fake-phones.ts';
import { openSession } from './people.ts';
import { VERSION } from './test-app.ts';
import { waitUntil } from './wait-until.ts';

/** A service that gives no answer within this time has failed. Longer than the service's own limits. */
const ANSWER_LIMIT_MS = 60_000;
/** How long a write is repeated. Only a failing test waits this long. */
const GIVE_UP_MS = 60_000;
/** Between two attempts of a writer, so that refusals do not become a flood. */
const RETRY_MS = 100;

export interface LedgerEntry {
  /** Milliseconds since the ledger was opened. */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** The status, and for a refusal its code: "200", "503 database_unavailable". */
  readonly answer: string;
}

export class Ledger implements AsyncDisposable {
  readonly #apns: FakeApns;
  readonly #sessionToken: string;
  readonly #acknowledged = new Set<string>();
  /** The keys of which the service says that they took effect, and that the answer is lost. */
  readonly #spent = new Set<string>();
  readonly #violations: string[] = [];
  readonly entries: LedgerEntry[] = [];
  readonly now = stopwatch();

  private constructor(apns: FakeApns, sessionToken: string) {
    this.#apns = apns;
    this.#sessionToken = sessionToken;
  }

  /** Migrates the database, and puts a person with a phone into it. */
  static async open(databaseUrl: string): Promise<Ledger> {
    const clock = systemClock();
    const apns = await FakeApns.start(clock, { scheme: 'http' });
    const sessionToken = await withDatabase(databaseUrl, async (db) => {
      const user = await insertUser(db, { email: 'ada@example.org', displayName: null }, clock.now());
      assert.ok(user);
      const app = { db, clock } as unknown as Parameters<typeof addDevice>[0];
      await addDevice(app, user.id);
      return openSession(app, user.id);
    });
    return new Ledger(apns, sessionToken);
  }

  /** The settings with which a service sends its nudges to this ledger. */
  get settings(): Record<string, string> {
    return this.#apns.settings;
  }

  /** Creates a task that is due at once. Repeats the same request, with the same key, until it is acknowledged. */
  async write(baseUrl: string): Promise<string> {
    const startedAt = this.now();
    let request = newRequest();
    while (this.now() - startedAt < GIVE_UP_MS) {
      const answer = await this.#send(baseUrl, request);
      if (answer.id !== undefined) return answer.id;
      if (answer.code === 'idempotency_key_spent') {
        this.#spent.add(request.key);
        request = newRequest();
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    throw new Error(`No write was acknowledged in ${GIVE_UP_MS} ms. ${this.#violations.join(', ')}`);
  }

  /** Writers that each create one task after another until `stop` is called. */
  keepWriting(baseUrl: string, writers: number) {
    let isStopping = false;
    const write = async () => {
      while (!isStopping) await this.write(baseUrl);
    };
    const writing = Promise.allSettled(Array.from({ length: writers }, write));
    const stop = async () => {
      isStopping = true;
      await writing;
    };
    return { stop, [Symbol.asyncDispose]: stop };
  }

  /** Resolves when the phone has received a nudge of the task. */
  async nudgeOf(taskId: string): Promise<void> {
    await waitUntil(() => this.#isNudged(taskId));
  }

  /** Resolves when the phone has received a nudge of every acknowledged task. */
  async allNudged(): Promise<void> {
    await waitUntil(() => this.#acknowledged.isSubsetOf(new Set(this.#nudgedTasks())));
  }

  /** Waits for the nudges that are owed, then compares the ledger with the database. */
  async settle(databaseUrl: string): Promise<{ tasks: number; repeatedNudges: number; retries: number }> {
    assert.deepEqual(this.#violations, []);
    await this.allNudged();
    const [stored, deliveries] = await withDatabase(databaseUrl, async (db) => [
      await db.selectFrom('tasks').select(['id', 'title']).execute(),
      await db.selectFrom('deliveries').select('attempts').where('attempts', '>', 1).execute(),
    ]);
    const ids = new Set(stored.map(({ id }) => id));
    assert.deepEqual(
      [...this.#acknowledged].filter((id) => !ids.has(id)),
      [],
      'acknowledged, and not stored',
    );
    const titles = new Set(stored.map(({ title }) => title));
    assert.equal(titles.size, stored.length, 'a key took effect twice');
    assert.deepEqual([...this.#spent.difference(titles)], [], 'said to be stored, and not stored');
    const nudged = this.#nudgedTasks();
    assert.deepEqual(
      nudged.filter((id) => !ids.has(id)),
      [],
      'nudged, and not stored',
    );
    const retries = deliveries.reduce((sum, { attempts }) => sum + attempts - 1, 0);
    return { tasks: stored.length, repeatedNudges: nudged.length - new Set(nudged).size, retries };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#apns[Symbol.asyncDispose]();
  }

  async #send(baseUrl: string, { key, body }: Request): Promise<{ id?: string; code?: string }> {
    const askedAt = this.now();
    const headers = {
      authorization: `Bearer ${this.#sessionToken}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    };
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
    const response = await fetch(`${baseUrl}/v1/tasks`, { method: 'POST', headers, body, signal }).catch(
      (error: Error) => error,
    );
    if (response instanceof Error) {
      this.#violations.push(`no answer: ${response.message}`);
      return {};
    }
    const { data, error } = (await response.json()) as { data: { id: string } | null; error: string | null };
    const code = String(error ?? '').split(':')[0] ?? '';
    const answer = `${response.status} ${code}`.trim();
    this.entries.push({ askedAt, answeredAt: this.now(), answer });
    if (data) this.#acknowledged.add(data.id);
    else if (!isExpected(response, code)) this.#violations.push(answer);
    return data ? { id: data.id } : { code };
  }

  #nudgedTasks(): string[] {
    return this.#apns.pushes.map(({ headers }) => String(headers['apns-collapse-id']));
  }

  #isNudged(taskId: string): boolean {
    return this.#nudgedTasks().includes(taskId);
  }
}

interface Request {
  readonly key: string;
  readonly body: string;
}

function newRequest(): Request {
  const key = newId();
  return { key, body: JSON.stringify({ title: key, due_at: new Date().toISOString(), has_time: true }) };
}

function isExpected({ status, headers }: Response, code: string): boolean {
  if (status === 409) return code === 'request_in_progress' || code === 'idempotency_key_spent';
  return status === 503 && /^[1-9]\d*$/.test(headers.get('retry-after') ?? '');
}

function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => Math.round(performance.now() - startedAt);
}

async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const location = databaseLocation.parse(url);
  assert.ok(location);
  const db = await openDatabase(location, { version: VERSION, clock: systemClock(), logger: createLogger('silent') });
  return work(db).finally(() => db.destroy());
}
