/**
 * The open streams of this process. A stream tells one browser that something changed which its person may see, and
 * never what: the web app then syncs, where the rules of visibility apply. It hears of changes for its person and their
 * spaces.
 *
 * After each change that concerns its person, and at every check, a stream reads again what it hears and whether its
 * session still lasts. So it ends, or loses a space, within moments, and within `CHECK_EVERY_MS` if the announcement of
 * that change was lost.
 */
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';

const CHANGED = 'data: changed\n\n';
/** A comment, which clients ignore. */
const KEEP_ALIVE = ': still here\n\n';
/** Below the 30 to 60 seconds after which proxies close a connection that is silent. */
const CHECK_EVERY_MS = 25_000;
/** More browsers than a person uses at once. */
const MOST_PER_ACCOUNT = 10;
/** A stream takes a socket and about 30 KB. Browsers beyond this go on polling. */
const MOST_PER_PROCESS = 2_000;

interface Stream {
  readonly session: SessionCaller;
  readonly sink: Sink;
  hears: ReadonlySet<string>;
}

interface Sink {
  write(text: string): void;
  end(): void;
}

/** The ids of the person and of their spaces, for each session that has not ended. */
export type ReadHeard = (sessionIds: readonly string[]) => Promise<ReadonlyMap<string, ReadonlySet<string>>>;

interface Options {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly readHeard: ReadHeard;
  readonly checkEveryMs?: number | undefined;
}

export class LiveStreams {
  readonly #readHeard: ReadHeard;
  readonly #checking: Loop;
  readonly #streams = new Set<Stream>();
  /**
   * Streams by the id of a person or space that they hear. A person's streams are in the order in which they were
   * opened.
   */
  readonly #hearing = new Map<string, Set<Stream>>();
  readonly #unread = new Set<Stream>();
  #reading: Promise<void> | undefined;
  #isStopped = false;

  constructor({ clock, logger, readHeard, checkEveryMs = CHECK_EVERY_MS }: Options) {
    this.#readHeard = readHeard;
    this.#checking = new Loop({
      name: 'live streams',
      clock,
      logger,
      checkEveryMs,
      work: async () => {
        for (const { sink } of this.#streams) sink.write(KEEP_ALIVE);
        await this.#readAgain(this.#streams);
        return null;
      },
    });
  }

  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  start(): void {
    this.#checking.start();
  }

  /** Ends every stream, so that a process that stops need not wait for them. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const stream of this.#streams) this.#end(stream);
    await this.#checking.stop();
    await this.#reading?.catch(() => undefined);
  }

  /**
   * Opens a stream. Its first message makes the app sync, so no earlier change is missed. Returns a function to call
   * when the browser has gone.
   */
  async open(session: SessionCaller, sink: Sink): Promise<() => void> {
    if (this.#isStopped || this.#streams.size >= MOST_PER_PROCESS) throw new AppError('overloaded');
    const stream: Stream = { session, sink, hears: new Set() };
    this.#streams.add(stream);
    try {
      await this.#readAgain([stream]);
    } catch (error) {
      this.#remove(stream);
      throw error;
    }
    const own = this.#hearing.get(session.userId) ?? [];
    for (const oldest of [...own].slice(0, -MOST_PER_ACCOUNT)) this.#end(oldest);
    return () => this.#remove(stream);
  }

  /** `ids` are those of people and spaces. */
  tell(ids: Iterable<string>): void {
    const told = new Set<Stream>();
    const concerned = new Set<Stream>();
    for (const id of ids) {
      for (const stream of this.#hearing.get(id) ?? []) {
        told.add(stream);
        if (id === stream.session.userId) concerned.add(stream);
      }
    }
    for (const { sink } of told) sink.write(CHANGED);
    // If it fails, the next check repeats it.
    this.#readAgain(concerned).catch(() => undefined);
  }

  /** One read at a time: the answer of an earlier one must not replace that of a later one. */
  #readAgain(streams: Iterable<Stream>): Promise<void> {
    for (const stream of streams) this.#unread.add(stream);
    if (this.#unread.size === 0) return Promise.resolve();
    this.#reading ??= this.#readAll();
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#unread.size > 0) {
        const streams = [...this.#unread];
        this.#unread.clear();
        const heard = await this.#readHeard(streams.map(({ session }) => session.sessionId));
        for (const stream of streams) this.#update(stream, heard.get(stream.session.sessionId));
      }
    } finally {
      this.#reading = undefined;
    }
  }

  #update(stream: Stream, heard: ReadonlySet<string> | undefined): void {
    if (!this.#streams.has(stream)) return;
    if (!heard) this.#end(stream);
    else if (heard.symmetricDifference(stream.hears).size > 0) {
      this.#hear(stream, heard);
      // The stream was not told of earlier changes, for example in a space that the person just joined.
      stream.sink.write(CHANGED);
    }
  }

  #hear(stream: Stream, heard: ReadonlySet<string>): void {
    for (const id of heard.difference(stream.hears)) {
      this.#hearing.getOrInsertComputed(id, () => new Set()).add(stream);
    }
    for (const id of stream.hears.difference(heard)) {
      const streams = this.#hearing.get(id);
      streams?.delete(stream);
      if (streams?.size === 0) this.#hearing.delete(id);
    }
    stream.hears = heard;
  }

  #end(stream: Stream): void {
    this.#remove(stream);
    stream.sink.end();
  }

  #remove(stream: Stream): void {
    this.#streams.delete(stream);
    this.#hear(stream, new Set());
  }
}
