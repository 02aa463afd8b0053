/**
 * One push on one HTTP/2 stream. `onEnding` is called exactly once. The stream may stay open a little longer,
 * and counts against the stream limit of the connection until it is closed.
 */
import { type ClientHttp2Stream, constants, type IncomingHttpStatusHeader } from 'node:http2';
import type { ApnsAnswer } from './classify.ts';

export type ExchangeEnding =
  | { readonly kind: 'answered'; readonly answer: ApnsAnswer }
  /** Apple has certainly not processed the push, so it may be sent again on another stream. */
  | { readonly kind: 'unprocessed' }
  /** It is unknown whether Apple has accepted the push. */
  | { readonly kind: 'unanswered'; readonly reason: 'timeout' | 'connection_lost' };

/** The part of the connection that its exchanges use. */
export interface ExchangeHost {
  readonly timeoutMs: number;
  /** Whether Apple said, with a GOAWAY frame, that it will not process this stream. */
  readonly isUnprocessed: (streamId: number) => boolean;
  /** There was no answer within `timeoutMs`. Called after `onEnding`. */
  readonly onTimeout: () => void;
  readonly onClosed: () => void;
}

const ACCEPTED: ExchangeEnding = { kind: 'answered', answer: { status: 200, reason: '', timestampMs: undefined } };
/** Apple's answers have about 50 bytes. Another server, such as a proxy, must not fill the memory. */
const MAX_ANSWER_CHARACTERS = 4_096;

export class Exchange {
  readonly #stream: ClientHttp2Stream;
  readonly #host: ExchangeHost;
  readonly #onEnding: (ending: ExchangeEnding) => void;
  readonly #timer: NodeJS.Timeout;
  #status = 0;
  #text = '';
  #isEnded = false;

  constructor(stream: ClientHttp2Stream, body: string, host: ExchangeHost, onEnding: (ending: ExchangeEnding) => void) {
    this.#stream = stream;
    this.#host = host;
    this.#onEnding = onEnding;
    this.#timer = setTimeout(() => this.#timeOut(), host.timeoutMs);
    stream.on('response', (headers) => this.#onResponse(headers));
    // `close` follows every error and is handled there.
    stream.on('error', () => undefined);
    stream.on('close', () => this.#onClose());
    stream.end(body);
  }

  /** Stops waiting for the answer. The ending is a timeout, unless there was another ending before. */
  cancel(): void {
    this.#end({ kind: 'unanswered', reason: 'timeout' });
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  #timeOut(): void {
    this.cancel();
    this.#host.onTimeout();
  }

  #onResponse(headers: IncomingHttpStatusHeader): void {
    this.#status = headers[':status'] ?? 0;
    if (this.#status === 200) {
      this.#stream.resume();
      this.#end(ACCEPTED);
      return;
    }
    this.#stream.setEncoding('utf8');
    this.#stream.on('data', (chunk: string) => {
      if (this.#text.length < MAX_ANSWER_CHARACTERS) this.#text += chunk;
    });
    this.#stream.on('end', () => this.#endWithRefusal());
  }

  #onClose(): void {
    if (!this.#isEnded) this.#endWithoutAnswer();
    this.#host.onClosed();
  }

  #endWithoutAnswer(): void {
    const { id, rstCode } = this.#stream;
    if (this.#status !== 0) this.#endWithRefusal();
    else if (rstCode === constants.NGHTTP2_REFUSED_STREAM || id === undefined || this.#host.isUnprocessed(id))
      this.#end({ kind: 'unprocessed' });
    else this.#end({ kind: 'unanswered', reason: 'connection_lost' });
  }

  #endWithRefusal(): void {
    this.#end({ kind: 'answered', answer: { status: this.#status, ...parseRefusal(this.#text) } });
  }

  #end(ending: ExchangeEnding): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#onEnding(ending);
  }
}

/** Accepts any text, because a proxy between us and Apple may answer with anything. */
export function parseRefusal(text: string): Omit<ApnsAnswer, 'status'> {
  const nothing = { reason: '', timestampMs: undefined };
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return nothing;
    const { reason, timestamp } = parsed as { readonly reason?: unknown; readonly timestamp?: unknown };
    return {
      reason: typeof reason === 'string' ? reason : '',
      timestampMs: typeof timestamp === 'number' ? timestamp : undefined,
    };
  } catch {
    return nothing;
  }
}
