/**
 * Passes announcements on: to the streams of this process, and on PostgreSQL to the other processes. All announcements
 * within `COLLECT_MS` are sent together, so a process sends at most one statement in that time. If an announcement gets
 * lost, web apps notice the change at their next poll.
 */
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';

const COLLECT_MS = 100;
/** Ids beyond this wait for the polls of their web apps. */
const MOST_IDS = 10_000;
/** A payload of PostgreSQL has less than 8,000 bytes. */
const IDS_PER_PAYLOAD = 200;

interface Options {
  readonly streams: { readonly isEmpty: boolean; tell(ids: Iterable<string>): void };
  /** Undefined if there is no other process. */
  readonly publish: ((payloads: readonly string[]) => Promise<void>) | undefined;
  readonly logger: Logger;
}

export class Announcements {
  readonly #options: Options;
  readonly #processId = newId();
  #ids = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  announce(ids: Iterable<string>): void {
    const { streams, publish } = this.#options;
    if (streams.isEmpty && !publish) return;
    for (const id of ids) if (this.#ids.size < MOST_IDS) this.#ids.add(id);
    this.#plan();
  }

  /** Handles the payload of another process. The streams of this process know its own payloads already. */
  receive(payload: string): void {
    const [processId, ...ids] = payload.split(' ');
    if (processId !== this.#processId) this.#options.streams.tell(ids);
  }

  /** Sends what is left, for the other processes. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#send();
  }

  #plan(): void {
    if (this.#ids.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#sending = this.#send().finally(() => {
        this.#timer = undefined;
        this.#plan();
      });
    }, COLLECT_MS);
  }

  async #send(): Promise<void> {
    const ids = [...this.#ids];
    this.#ids = new Set();
    const { streams, publish, logger } = this.#options;
    streams.tell(ids);
    const payloads: string[] = [];
    for (let start = 0; start < ids.length; start += IDS_PER_PAYLOAD) {
      payloads.push([this.#processId, ...ids.slice(start, start + IDS_PER_PAYLOAD)].join(' '));
    }
    if (!publish || payloads.length === 0) return;
    await publish(payloads).catch((error) => logger.debug({ err: error }, 'telling other processes of changes failed'));
  }
}
