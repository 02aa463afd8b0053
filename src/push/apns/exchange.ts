/**
 * One push on one stream, from its first header to its ending. The ending is told exactly once; the
 * stream may stay open a little longer, and takes up a place of the connection until it is closed.
 */
import { type ClientHttp2Stream, constants, type IncomingHttpStatusHeader } from 'node:http2';
import type { ApnsAnswer } from './classify.ts';

export type Ending =
  | { readonly kind: 'answered'; readonly answer: ApnsAnswer }
  /** The peer has certainly not looked at it: it may go out again on another stream. */
  | { readonly kind: 'unprocessed' }
  /** Whether the peer has taken it is not known. */
  | { readonly kind: 'unanswered'; readonly reason: 'timeout' | 'connection_lost' };

/** The connection, as its exchanges see it. */
export interface ExchangeHost {
  readonly timeoutMs: number;
  /** Whether the peer said that it will not look at the stream of that number. */
  readonly isDisowned: (streamId: number) => boolean;
  /** The time is up and nothing came; told after the ending. */
  readonly onSilence: () => void;
  readonly onClosed: () => void;
}

const TAKEN: Ending = { kind: 'answered', answer: { status: 200, reason: '', timestampMs: undefined } };
/** Apple's answers have some 50 bytes; whatever else answers must not fill the memory. */
const MOST_ANSWER_CHARACTERS = 4_096;

export class Exchange {
  readonly #stream: ClientHttp2Stream;
  readonly #host: ExchangeHost;
  readonly #onEnding: (ending: Ending) => void;
  readonly #timer: NodeJS.Timeout;
  #status = 0;
  #text = '';
  #isEnded = false;

  constructor(stream: ClientHttp2Stream, body: string, host: ExchangeHost, onEnding: (ending: Ending) => void) {
    this.#stream = stream;
    this.#host = host;
    this.#onEnding = onEnding;
    this.#timer = setTimeout(() => this.#timeOut(), host.timeoutMs);
    stream.on('response', (headers) => this.#onResponse(headers));
    // What went wrong shows in how the stream closes.
    stream.on('error', () => undefined);
    stream.on('close', () => this.#onClose());
    stream.end(body);
  }

  /** Gives the answer up: the ending is a time-out, unless there was another before. */
  cancel(): void {
    this.#end({ kind: 'unanswered', reason: 'timeout' });
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  #timeOut(): void {
    this.cancel();
    this.#host.onSilence();
  }

  #onResponse(headers: IncomingHttpStatusHeader): void {
    this.#status = headers[':status'] ?? 0;
    if (this.#status === 200) {
      this.#stream.resume();
      this.#end(TAKEN);
      return;
    }
    this.#stream.setEncoding('utf8');
    this.#stream.on('data', (chunk: string) => {
      if (this.#text.length < MOST_ANSWER_CHARACTERS) this.#text += chunk;
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
    else if (rstCode === constants.NGHTTP2_REFUSED_STREAM || id === undefined || this.#host.isDisowned(id))
      this.#end({ kind: 'unprocessed' });
    else this.#end({ kind: 'unanswered', reason: 'connection_lost' });
  }

  #endWithRefusal(): void {
    this.#end({ kind: 'answered', answer: { status: this.#status, ...readRefusal(this.#text) } });
  }

  #end(ending: Ending): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#onEnding(ending);
  }
}

/** Something on the way that is not Apple may answer with anything. */
export function readRefusal(text: string): Omit<ApnsAnswer, 'status'> {
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
