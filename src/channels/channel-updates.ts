/**
 * Tells providers the addresses of our hooks, and polls the providers that cannot call us. Only one process polls,
 * because Telegram refuses two. The database stores which one; if it dies, another takes over after half a minute.
 */
import type { Db } from '../db/schema.ts';
import { type SchemaWatch, whileTablesAreKnown } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import type { ChannelProvider, Receive } from '../push/channel-provider.ts';
import type { ChannelSenders } from './channel-senders.ts';
import { fillServers } from './channel-servers.ts';
import { claimTurn, saveCursor } from './channel-turns.store.ts';
import type { EventsService } from './events.service.ts';

const TURN_MS = 30_000;
const PAUSE_MS = 1_000;
const START_AGAIN_MS = 60_000;

interface UpdateParts {
  readonly db: Db;
  readonly schema: SchemaWatch;
  /** Real time. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly providers: readonly ChannelProvider[];
  readonly senders: ChannelSenders;
  readonly events: EventsService;
}

export class ChannelUpdates {
  readonly #parts: UpdateParts;
  readonly #holder = newId();
  readonly #loops: readonly Loop[];

  constructor(parts: UpdateParts) {
    this.#parts = parts;
    const { db, schema, clock, logger, providers, senders } = parts;
    this.#loops = providers
      .filter(({ start, receive, placesPerServer }) => start || receive || placesPerServer)
      .map((provider) => {
        let isStarted = false;
        return new Loop({
          name: `news of ${provider.kind.provider}`,
          clock,
          logger,
          checkEveryMs: START_AGAIN_MS,
          work: whileTablesAreKnown(schema, async (signal) => {
            if (!isStarted) await provider.start?.(signal);
            if (!isStarted && provider.placesPerServer) await fillServers(db, senders, provider, signal);
            isStarted = true;
            const { receive } = provider;
            if (!receive) return null;
            await this.receiveOnce(provider, receive, signal);
            return new Date(clock.now().getTime() + PAUSE_MS);
          }),
        });
      });
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /**
   * Moves the cursor only after the events were handled: after a crash in between they come again, and change nothing
   * twice.
   */
  async receiveOnce(provider: ChannelProvider, receive: Receive, signal: AbortSignal): Promise<void> {
    const { db, schema, clock, events } = this.#parts;
    const { provider: name } = provider.kind;
    const now = clock.now();
    const turn = await transact(db, async (trx) => {
      await schema.hold(trx);
      return claimTurn(trx, name, this.#holder, now, new Date(now.getTime() + TURN_MS));
    });
    if (!turn) return;
    const news = await receive(turn.cursor, signal);
    await events.handle(provider, news.events);
    if (news.cursor !== turn.cursor) await saveCursor(db, name, this.#holder, news.cursor);
  }
}
