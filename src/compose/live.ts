/** Composes the streams that tell open web apps and listening assistants that something changed. */
import { Subscriptions } from '../agents/subscriptions.ts';
import type { OpenDatabase } from '../db/open.ts';
import { notifyWebApps } from '../db/wake-ups.ts';
import { Announcements } from '../live/announcements.ts';
import { liveRoutes } from '../live/live.routes.ts';
import { listHeard } from '../live/live.store.ts';
import { LiveStreams } from '../live/live-streams.ts';
import type { Parts } from './parts.ts';

export function composeLive({ config, wallClock, logger, extra }: Parts, db: OpenDatabase) {
  const streams = new LiveStreams({
    clock: wallClock,
    logger,
    readHeard: (sessionIds) => listHeard(db, sessionIds, wallClock.now()),
    checkEveryMs: extra?.checkStreamsEveryMs,
  });
  const subscriptions = new Subscriptions({
    clock: wallClock,
    logger,
    checkEveryMs: extra?.checkStreamsEveryMs,
    pauseMs: extra?.pauseSubscriptionsMs,
  });
  const announcements = new Announcements({
    streams: {
      get isEmpty() {
        return streams.isEmpty && subscriptions.isEmpty;
      },
      tell: (ids) => {
        const told = [...ids];
        streams.tell(told);
        subscriptions.tell(told);
      },
    },
    publish: config.DATABASE_URL.engine === 'postgres' ? (payloads) => notifyWebApps(db, payloads) : undefined,
    logger,
  });
  db.announcer = announcements;
  return {
    routes: [liveRoutes(streams)],
    subscriptions,
    /** An engine without an API has no streams. */
    onChanges: config.ROLE === 'engine' ? undefined : (payload: string) => announcements.receive(payload),
    start: () => {
      streams.start();
      subscriptions.start();
    },
    endStreams: async () => {
      await Promise.all([streams.stop(), subscriptions.stop()]);
    },
    stop: () => announcements.stop(),
  };
}
