/** A name server on loopback, over UDP. It records its questions. An answer may be a promise. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { EventEmitter, once } from 'node:events';

export type DnsAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL';
type Answering = (name: string, family: 4 | 6) => DnsAnswer | Promise<DnsAnswer>;

export const NEVER = new Promise<never>(() => {});

const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;
const TYPE_A = 1;
const TYPE_AAAA = 28;
const HEADER_BYTES = 12;

export class DnsServer implements AsyncDisposable {
  readonly #socket = createSocket('udp4');
  readonly #arrivals = new EventEmitter();
  readonly #answer: Answering;
  /** Each question as `name/family`, repeated ones included. */
  readonly asked: string[] = [];

  private constructor(answer: Answering) {
    this.#answer = answer;
  }

  static async start(answer: Answering): Promise<DnsServer> {
    const server = new DnsServer(answer);
    server.#socket.on('message', (query, from) => server.#respond(query, from));
    server.#socket.bind(0, '127.0.0.1');
    await once(server.#socket, 'listening');
    return server;
  }

  get host(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Ends when that many questions have been asked in all. */
  async untilAsked(count: number): Promise<void> {
    while (this.asked.length < count) await once(this.#arrivals, 'question');
  }

  async #respond(query: Buffer, { port, address }: RemoteInfo): Promise<void> {
    const { name, type, end } = readQuestion(query);
    const family = type === TYPE_AAAA ? 6 : 4;
    this.asked.push(`${name}/${family}`);
    this.#arrivals.emit('question');
    const answer = await this.#answer(name, family);
    this.#socket.send(writeAnswer(query.subarray(0, end), answer), port, address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let size = query.readUInt8(at); size > 0; size = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size));
    at += 1 + size;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function writeAnswer(question: Buffer, answer: DnsAnswer): Buffer {
  const addresses = typeof answer === 'string' ? [] : answer;
  const header = Buffer.alloc(HEADER_BYTES);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? RCODES[answer] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([header, question.subarray(HEADER_BYTES), ...addresses.map(writeRecord)]);
}

function writeRecord(address: string): Buffer {
  const data = address.includes(':') ? bytesOfIpv6(address) : Buffer.from(address.split('.').map(Number));
  const record = Buffer.alloc(HEADER_BYTES);
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(data.length === 4 ? TYPE_A : TYPE_AAAA, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOfIpv6(address: string): Buffer {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
