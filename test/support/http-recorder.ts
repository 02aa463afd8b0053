/** An HTTP server that keeps the requests it answered, and fails on demand. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { answer, Faults, type ScriptedAnswer } from './faults.ts';

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly body: string;
  /** The port of the client. */
  readonly port: number;
}

type Respond = (request: Recorded) => ScriptedAnswer | Promise<ScriptedAnswer>;

export class HttpRecorder implements AsyncDisposable {
  readonly #server = createServer(async (request, response) => {
    const bytes = await buffer(request).catch(() => undefined);
    if (bytes === undefined) return;
    const { method = '', url: path = '', headers } = request;
    const { remotePort: port = 0 } = request.socket;
    const recorded = { method, path, headers, bytes, body: bytes.toString(), port };
    this.seen += 1;
    this.#arrivals.emit('request');
    if (await this.faults.strike(request, response)) return;
    this.requests.push(recorded);
    const given = await this.respondTo(recorded);
    if (!this.losesAnswer(recorded)) return answer(response, given);
    request.socket.destroy();
  }).on('connection', () => {
    this.connections += 1;
  });
  readonly #arrivals = new EventEmitter();
  respondTo: Respond;
  readonly faults = new Faults();
  /** Whether the request is obeyed, but its answer never arrives. */
  losesAnswer: (request: Recorded) => boolean = () => false;
  /** The requests that got their usual answer, oldest first. */
  readonly requests: Recorded[] = [];
  /** All requests. */
  seen = 0;
  connections = 0;

  private constructor(respond: Respond) {
    this.respondTo = respond;
  }

  static async start(respond: Respond = () => ({ status: 200 })): Promise<HttpRecorder> {
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

  /** Resolves when the next request has arrived, answered or not. */
  async nextRequest(): Promise<void> {
    await once(this.#arrivals, 'request');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
