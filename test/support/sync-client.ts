/** A client that gets its data from sync only, like a phone. */
import assert from 'node:assert/strict';
import type { Person } from './people.ts';

type Task = Readonly<Record<string, unknown>> & { readonly id: string };

export class SyncClient {
  readonly #person: Person;
  readonly #token: string;
  #tasks = new Map<string, Task>();
  #since: string | undefined;

  constructor(person: Person, token = person.sessionToken) {
    this.#person = person;
    this.#token = token;
  }

  async sync(): Promise<void> {
    const { tasks, removed, server_time, reset } = await this.#request(this.#since);
    if (reset) this.#tasks = new Map();
    for (const task of tasks) this.#tasks.set(task.id, task);
    for (const id of removed) this.#tasks.delete(id);
    this.#since = server_time;
  }

  /** Asserts that this client has the same tasks as one that syncs from scratch. */
  async assertUpToDate(): Promise<void> {
    const { tasks } = await this.#request(undefined);
    const byId = (a: Task, b: Task) => a.id.localeCompare(b.id);
    assert.deepEqual([...this.#tasks.values()].sort(byId), [...tasks].sort(byId));
  }

  get taskIds(): string[] {
    return [...this.#tasks.keys()];
  }

  get(id: string): Task | undefined {
    return this.#tasks.get(id);
  }

  async #request(
    since: string | undefined,
  ): Promise<{ tasks: Task[]; removed: string[]; server_time: string; reset: boolean }> {
    const query = since === undefined ? '' : `?since=${encodeURIComponent(since)}`;
    const { status, body } = await this.#person.ask('GET', `/v1/sync${query}`, undefined, this.#token);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data;
  }
}
