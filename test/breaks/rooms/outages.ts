import type { RoomBreak } from '../room-break.ts';

const SIGNS = 'src/outages/signs-of-life.ts';
const STORE = 'src/outages/outages.store.ts';
const by = ['scenario/outages'];

export const OUTAGES: readonly RoomBreak[] = [
  {
    name: 'only the first people of an outage are stored',
    promise: 'after an outage each person finds which of their nudges were late',
    file: SIGNS,
    piece: 'if (ids.length < limit) return sums;',
    replacement: 'if (ids.length <= limit) return sums;',
    by,
  },
  {
    name: 'a sign that the database did not take counts as shown',
    promise: 'a time without a database is an outage too',
    file: SIGNS,
    piece:
      "if (error instanceof TablesChangeError || (error instanceof AppError && error.code === 'database_unavailable'))",
    replacement: "if (error instanceof TablesChangeError || (error instanceof AppError && error.code === 'not_found'))",
    by,
  },
  {
    name: 'an engine that stops shows no last sign',
    promise: 'a short restart is no outage',
    file: SIGNS,
    piece: 'if (schema.isOutdated || !this.#hasShownWithin(SILENT_MS)) return;',
    replacement: 'if (schema.isOutdated || this.#hasShownWithin(SILENT_MS)) return;',
    by,
  },
  {
    name: 'a task that was handed on is still told to its former owner',
    promise: 'nobody reads the title of a task that is no longer theirs',
    file: STORE,
    piece: "    .where('tasks.owner_id', '=', userId)\n",
    replacement: '',
    by,
  },
  {
    name: 'dismissing does not check whose outage it is',
    promise: 'nobody dismisses for others',
    file: STORE,
    piece: "      .where('user_id', '=', userId)\n      .where('outage_id', '=', id),",
    replacement: "      .where('outage_id', '=', userId && id),",
    by,
  },
  {
    name: 'late nudges beyond the first 20 are not counted',
    promise: 'a person reads how many of their nudges were late',
    file: 'src/outages/outages.service.ts',
    piece: 'tasks.length + Math.max(0, nudges - NUDGES_PER_PERSON)',
    replacement: 'tasks.length + Math.min(0, nudges - NUDGES_PER_PERSON)',
    by,
  },
  {
    name: 'an announcement of an earlier time is told',
    promise: 'an outage tells what was announced in it',
    file: 'src/outages/outages.store.ts',
    piece: "        .whereRef('timeline.at', '>=', 'outages.started_at')\n",
    replacement: '',
    by: ['scenario/outages'],
  },
  {
    name: 'one outage of several is told',
    promise: 'the ten newest outages of a week are told',
    file: 'src/outages/outages.service.ts',
    piece: 'const MOST_OUTAGES = 10;',
    replacement: 'const MOST_OUTAGES = 1;',
    by: ['scenario/outages-told'],
  },
  {
    name: 'an engine whose machine slept shows a last sign when it stops',
    promise: 'a machine that was suspended was away too',
    file: 'src/outages/signs-of-life.ts',
    piece: 'if (schema.isOutdated || !this.#hasShownWithin(SILENT_MS)) return;',
    replacement: 'if (schema.isOutdated) return;',
    by: ['scenario/outages'],
  },
];
