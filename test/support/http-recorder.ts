/** An HTTP server that keeps the requests it answered, and fails on demand. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answer, Faults, type ScriptedAnswer } from './faults.ts';

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class HttpRecorder implements AsyncDisposable {
  readonly #server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const recorded = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    this.seen += 1;
    this.#arrivals.emit('request');
    if (await this.faults.strike(request, response)) return;
    this.requests.push(recorded);
    answer(response, this.respondTo(recorded));
  });
  readonly #arrivals = new EventEmitter();
  respondTo: (request: Recorded) => ScriptedAnswer;
  readonly faults = new Faults();
  /** The requests that got their usual answer, oldest first. */
  readonly requests: Recorded[] = [];
  /** All requests. */
  seen = 0;

  private constructor(respond: (request: Recorded) => ScriptedAnswer) {
    this.respondTo = respond;
  }

  static async start(respond: (request: Recorded) => ScriptedAnswer = () => ({ status: 200 })): Promise<HttpRecorder> {
    const recorder = new HttpRecorder(respond);
    recorder.#server.listen(0, '127.0.0.1');
    await once(recorder.#server, 'listening');
    return recorder;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  async nextRequest(): Promise<void> {
    await once(this.#arrivals, 'request');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
