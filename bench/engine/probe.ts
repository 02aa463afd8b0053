/** Requests at a constant rate, however slow the answers are, as from people who do not know of each other. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../api/connection.ts';

const EVERY_MS = 10;
const BODY = '{"title":"probe"}';

export class Probe {
  readonly #port: number;
  readonly #authorization: string;
  readonly #idle: Connection[] = [];

  constructor(port: number, authorization: string) {
    this.#port = port;
    this.#authorization = authorization;
  }

  /** Three reads and a write in turn until `isOver`. Returns the response times; every answer must be a 200. */
  async run(isOver: () => boolean): Promise<number[]> {
    const timesMs: number[] = [];
    const failures: unknown[] = [];
    const pending: Promise<unknown>[] = [];
    for (let count = 0; failures.length === 0 && !isOver(); count += 1) {
      pending.push(
        this.#send(count).then(
          (ms) => timesMs.push(ms),
          (error) => failures.push(error),
        ),
      );
      await delay(EVERY_MS);
    }
    await Promise.all(pending);
    // Until the next run the service would close them as idle.
    for (const connection of this.#idle.splice(0)) connection.close();
    if (failures.length > 0) throw failures[0];
    return timesMs;
  }

  async #send(count: number): Promise<number> {
    const head = `host: 127.0.0.1\r\nauthorization: ${this.#authorization}\r\n`;
    const isWrite = count % 4 === 0;
    const request = isWrite
      ? `POST /v1/tasks HTTP/1.1\r\n${head}content-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
      : `GET /v1/tasks?limit=20 HTTP/1.1\r\n${head}\r\n`;
    const startedAt = performance.now();
    // The one that was idle for the longest time, so that the service closes none.
    const connection = this.#idle.shift() ?? (await Connection.open(this.#port));
    const { status } = await connection.send(request);
    assert.equal(status, 200);
    this.#idle.push(connection);
    return performance.now() - startedAt;
  }
}
