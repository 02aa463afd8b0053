/** A fake trace collector: receives OTLP over HTTP in protobuf and keeps the spans. */
import { gunzipSync } from 'node:zlib';
import type { ScriptedAnswer } from './faults.ts';
import { HttpRecorder, type Recorded } from './http-recorder.ts';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
  readonly isError: boolean;
  readonly resource: Readonly<Record<string, unknown>>;
}

export class Collector implements AsyncDisposable {
  readonly server: HttpRecorder;
  readonly spans: CollectedSpan[] = [];
  /** The bodies of all requests. */
  readonly raw: Buffer[] = [];

  private constructor(server: HttpRecorder) {
    this.server = server;
    server.respondTo = (request) => this.#collect(request);
  }

  static async start(): Promise<Collector> {
    return new Collector(await HttpRecorder.start());
  }

  #collect({ path, headers, bytes: body }: Recorded): ScriptedAnswer {
    if (path !== '/v1/traces' || headers['content-type'] !== 'application/x-protobuf') return { status: 404 };
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    this.raw.push(bytes);
    this.spans.push(...readRequest(bytes));
    return { status: 200 };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}

type Field = readonly [number: number, value: bigint | Buffer];

const fail = (): never => {
  throw new Error('This is not protobuf.');
};

/** Reads protobuf's wire format: varints, 64-bit and 32-bit values, and length-delimited fields. */
class Reader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  *fields(): Generator<Field> {
    while (this.#offset < this.#bytes.length) {
      const tag = Number(this.#varint());
      yield [tag >> 3, this.#value(tag & 7)];
    }
  }

  #value(kind: number): bigint | Buffer {
    if (kind === 0) return this.#varint();
    if (kind === 2) return this.#take(Number(this.#varint()));
    return this.#take({ 1: 8, 5: 4 }[kind] ?? fail());
  }

  #varint(): bigint {
    let [value, shift] = [0n, 0n];
    for (;;) {
      const [byte = 0] = this.#take(1);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7n;
    }
  }

  #take(length: number): Buffer {
    this.#offset += length;
    if (this.#offset > this.#bytes.length) fail();
    return this.#bytes.subarray(this.#offset - length, this.#offset);
  }
}

const readFields = (bytes: Buffer): Field[] => [...new Reader(bytes).fields()];

const all = (bytes: Buffer, number: number): Buffer[] =>
  readFields(bytes).flatMap(([field, value]) => (field === number && Buffer.isBuffer(value) ? [value] : []));
const first = (bytes: Buffer, number: number): Buffer => all(bytes, number)[0] ?? Buffer.alloc(0);
const numberAt = (bytes: Buffer, number: number): number =>
  Number(readFields(bytes).find(([field, value]) => field === number && typeof value === 'bigint')?.[1] ?? 0);

function readRequest(bytes: Buffer): CollectedSpan[] {
  return all(bytes, 1).flatMap((resourceSpans) => {
    const resource = readAttributes(all(first(resourceSpans, 1), 1));
    return all(resourceSpans, 2).flatMap((scopeSpans) => all(scopeSpans, 2).map((span) => readSpan(span, resource)));
  });
}

const readSpan = (span: Buffer, resource: CollectedSpan['resource']): CollectedSpan => ({
  traceId: first(span, 1).toString('hex'),
  spanId: first(span, 2).toString('hex'),
  parentId: first(span, 4).toString('hex'),
  name: first(span, 5).toString(),
  kind: numberAt(span, 6),
  attributes: readAttributes(all(span, 9)),
  links: all(span, 13).map((link) => `${first(link, 1).toString('hex')}-${first(link, 2).toString('hex')}`),
  isError: numberAt(first(span, 15), 3) === 2,
  resource,
});

function readAttributes(pairs: readonly Buffer[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map((pair) => [first(pair, 1).toString(), readValue(first(pair, 2))]));
}

function readValue(value: Buffer): unknown {
  const [field = [1, Buffer.alloc(0)] as Field] = readFields(value);
  const [number, content] = field;
  if (Buffer.isBuffer(content)) return number === 4 ? content.readDoubleLE() : content.toString();
  return number === 2 ? content === 1n : Number(content);
}
