import type { RoomBreak } from '../room-break.ts';

const SERVICE = 'src/calendar/calendar.service.ts';
const by = ['contract/calendar.test'];

export const CALENDAR: readonly RoomBreak[] = [
  {
    name: 'the second page of the feed is missing',
    promise: 'a calendar shows every open task with a date',
    file: SERVICE,
    piece: 'for (let start = 0; start < ids.length; start += TASKS_PER_PAGE) {',
    replacement: 'for (let start = 0; start < Math.min(ids.length, TASKS_PER_PAGE); start += TASKS_PER_PAGE) {',
    by: ['contract/calendar.test'],
  },
  {
    name: 'a feed is made for a session that has ended',
    promise: 'what was signed out leaves nothing behind',
    file: SERVICE,
    piece: '      await requireLiveSession(trx, caller);\n      await replaceFeed',
    replacement: '      void requireLiveSession;\n      await replaceFeed',
    by: ['contract/ended-sessions'],
  },
  {
    name: 'the feed of a suspended account is read',
    promise: 'a suspended account reads nothing',
    file: 'src/calendar/calendar.store.ts',
    piece: "    .where('users.suspended_at', 'is', null)\n",
    replacement: '',
    by: ['contract/admin.test'],
  },
  {
    name: 'of overdue tasks the oldest are kept',
    promise: 'the feed of a large account shows what is near to now',
    file: 'src/calendar/calendar.store.ts',
    piece: ".orderBy('overdue_at', 'desc')\n    .limit(limits.overdue)",
    replacement: ".orderBy('overdue_at')\n    .limit(limits.overdue)",
    by: ['contract/feed-limits'],
  },
  {
    name: 'a job goes on after its last caller has left',
    promise: 'a calendar that repeats its request adds no work',
    file: 'src/calendar/single-flight.ts',
    piece: 'if (flight.callers === 0) flight.stop.abort();',
    replacement: 'if (flight.callers < 0) flight.stop.abort();',
    by: ['src/calendar/single-flight'],
  },
  {
    name: 'the tag does not change with the form of the feed',
    promise: 'a calendar that asks for tasks is not told that its events are unchanged',
    file: 'src/calendar/feed.ts',
    piece: 'JSON.stringify([FORMAT_VERSION, form, zone,',
    replacement: "JSON.stringify([FORMAT_VERSION, form === '' ? form : zone,",
    by: ['src/calendar/feed.test'],
  },
  {
    name: 'a zone is described by the hour after its clocks changed',
    promise: 'a calendar shows the time that the person chose',
    file: 'src/calendar/feed-zone.ts',
    piece: 'wallText(at.withTimeZone(from))',
    replacement: 'wallText(at.withTimeZone(to))',
    by: ['src/calendar/feed-zone'],
  },
  {
    name: 'days of a duration are counted in hours',
    promise: 'a task of another program is due when it was due there',
    file: 'src/calendar/vtodo-time.ts',
    piece: 'const ends = Temporal.PlainDateTime.from(wall).add({ days });',
    replacement:
      'const ends = Temporal.PlainDateTime.from(wall).add({ days: 0 * days });\n    seconds += days * DAY_SECONDS;',
    by,
  },
  {
    name: 'a feed that the calendar has already costs nothing',
    promise: 'a calendar that asks without end is refused in the end',
    file: 'src/calendar/calendar.service.ts',
    piece:
      '    budget.charge(feed.user_id, versions.length);\n    const tag = feedTag(view, versions);\n    if (knownTags.includes(tag)) return { tag, text: undefined };\n',
    replacement:
      '    const tag = feedTag(view, versions);\n    if (knownTags.includes(tag)) return { tag, text: undefined };\n    budget.charge(feed.user_id, versions.length);\n',
    by: ['contract/feed-limits'],
  },
  {
    name: 'when a feed was read is stored by the clock of the service',
    promise: 'a person sees when their calendar was read',
    file: 'src/calendar/calendar.service.ts',
    piece: 'const now = this.#clocks.wallClock.now();\n    const isRecent',
    replacement: 'const now = this.#clocks.clock.now();\n    const isRecent',
    by: ['contract/calendar.test'],
  },
];
