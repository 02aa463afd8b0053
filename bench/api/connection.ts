/**
 * A keep-alive connection that sends finished requests and reads no more of an answer than is needed to know where it
 * ends. A client like `node:http` would cost more than the bare handler that it measures.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  /** Empty unless it was asked for. */
  readonly body: string;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export class Connection {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  #received = 0;
  #status = 0;
  /** Undefined until the head has arrived; infinite for a chunked body. */
  #end: number | undefined;
  #pending: PromiseWithResolvers<Answer> | undefined;
  #keepsBody = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#read(chunk as Buffer));
    socket.on('error', (error) => this.#pending?.reject(error));
    socket.on('close', () => this.#pending?.reject(new Error('The server closed the connection.')));
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Connection(socket);
  }

  async send(request: string, keepsBody = false): Promise<Answer> {
    // A closed socket takes what is written to it, and says nothing.
    if (this.#socket.destroyed || !this.#socket.writable) throw new Error('The server has closed the connection.');
    this.#pending = Promise.withResolvers<Answer>();
    this.#keepsBody = keepsBody;
    this.#socket.write(request);
    return this.#pending.promise;
  }

  close(): void {
    this.#pending = undefined;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#end === undefined || this.#keepsBody) this.#chunks.push(chunk);
    if (this.#end === undefined) this.#readHead();
    if (this.#end === undefined) return;
    const isChunked = this.#end === Number.POSITIVE_INFINITY;
    if (isChunked ? !chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) : this.#received < this.#end) return;
    const body = this.#keepsBody ? bodyOf(Buffer.concat(this.#chunks), isChunked) : '';
    this.#chunks.length = 0;
    this.#received = 0;
    this.#end = undefined;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.resolve({ status: this.#status, body });
  }

  #readHead(): void {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    const headEnd = bytes?.indexOf(HEAD_END) ?? -1;
    if (!bytes || headEnd < 0) return;
    const head = bytes.toString('latin1', 0, headEnd);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    this.#end = length === undefined ? Number.POSITIVE_INFINITY : headEnd + HEAD_END.length + Number(length);
  }
}

function bodyOf(answer: Buffer, isChunked: boolean): string {
  const body = answer.subarray(answer.indexOf(HEAD_END) + HEAD_END.length);
  if (!isChunked) return body.toString();
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts).toString();
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
