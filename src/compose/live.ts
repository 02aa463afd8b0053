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
  let onChanged: ((ids: readonly string[]) => void) | undefined;
  const announcements = new Announcements({
    streams: {
      get isEmpty() {
        return streams.isEmpty && subscriptions.isEmpty && !onChanged;
      },
      tell: (ids) => {
        const told = [...ids];
        streams.tell(told);
        subscriptions.tell(told);
        onChanged?.(told);
      },
    },
    publish: config.DATABASE_URL.engine === 'postgres' ? (payloads) => notifyWebApps(db, payloads) : undefined,
    logger,
  });
  db.announcer = announcements;
  return {
    routes: [liveRoutes(streams)],
    subscriptions,
    onChanges: (payload: string) => announcements.receive(payload),
    /** What is told of every change, beside the streams: the engine keeps held messages in step. */
    onChanged: (tell: (ids: readonly string[]) => void) => {
      if (config.ROLE !== 'api') onChanged = tell;
    },
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
