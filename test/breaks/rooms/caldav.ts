import type { RoomBreak } from '../room-break.ts';

const STORE = 'src/caldav/caldav.store.ts';
const READING = 'src/caldav/caldav-reading.service.ts';
const WRITING = 'src/caldav/caldav-writing.service.ts';
const by = ['contract/caldav.test'];

export const CALDAV: readonly RoomBreak[] = [
  {
    name: 'the second page of names that an app asks for is missing',
    promise: 'an app gets every task that it asks for',
    file: READING,
    piece: 'for (const page of slicesOf(names, ROWS_PER_LATER_PAGE)) {',
    replacement: 'for (const page of [...slicesOf(names, ROWS_PER_LATER_PAGE)].slice(0, 1)) {',
    by: ['contract/caldav-edges'],
  },
  {
    name: 'a token that is older than what is known of removals is taken',
    promise: 'an app that was away for long shows no task that is gone',
    file: READING,
    piece: '(ageMs > KNOWN_MS || ageMs < 0)',
    replacement: 'ageMs < 0',
    by: ['contract/caldav-edges'],
  },
  {
    name: 'the tasks of others are read by their ids',
    promise: 'nobody reads the task of another by its address',
    file: STORE,
    piece: 'found.filter(({ owner_id }) => owner_id === userId)',
    replacement: 'found.filter(({ owner_id }) => owner_id !== null && userId)',
    by: ['contract/caldav-edges'],
  },
  {
    name: 'the mark of a list does not change when a task is deleted',
    promise: 'apps see a deletion by their next look',
    file: STORE,
    piece: 'const rows = [await newestChange(db, userId), await newestRemoval(db, userId)];',
    replacement: 'const rows = [await newestChange(db, userId)];',
    by: ['contract/caldav-edges'],
  },
  {
    name: 'a change is stored over what somebody else changed meanwhile',
    promise: 'an app that knows an old state loses nothing of the new one',
    file: WRITING,
    piece:
      'if (tagOf(task, known?.uid ?? task.id, known?.kept_hash ?? null, view) !== expected) throw new OtherState();',
    replacement:
      'if (tagOf(task, known?.uid ?? task.id, known?.kept_hash ?? null, view) === "") throw new OtherState();',
    by: ['contract/caldav-edges'],
  },
  {
    name: 'any tag is the right one',
    promise: 'a change needs the state that it was made from, where the app says which',
    file: WRITING,
    piece: 'tags.includes(tagOfRow(row, view));',
    replacement: 'tags.length > (tagOfRow(row, view) ? 0 : 1);',
    by,
  },
  {
    name: 'a restored archive replaces what a person chose for their apps',
    promise: 'an import changes nothing that the account has',
    file: 'src/caldav/caldav-settings.service.ts',
    piece: 'storeSettings(trx, userId, settings, true)',
    replacement: 'storeSettings(trx, userId, settings)',
    by: ['contract/caldav-edges'],
  },
  {
    name: 'a continued line has a byte too many',
    promise: 'every app can read what is written',
    file: 'src/caldav/content-lines.ts',
    piece: '      bytes = 1;\n',
    replacement: '      bytes = 0;\n',
    by: ['src/caldav/content-lines'],
  },
  {
    name: 'a task due when a range ends is not in it',
    promise: 'an app that asks for some days gets every task of them',
    file: 'src/caldav/filters.ts',
    piece: 'if (due !== null) return from < due && to >= due;',
    replacement: 'if (due !== null) return from < due && to > due;',
    by: ['src/caldav/filters'],
  },
  {
    name: 'the second page of what an app no longer sees is missing',
    promise: 'an app drops what is gone',
    file: 'src/caldav/reports.routes.ts',
    piece: 'for (const page of slicesOf(removed, ROWS_PER_LATER_PAGE)) {',
    replacement: 'for (const page of [...slicesOf(removed, ROWS_PER_LATER_PAGE)].slice(0, 1)) {',
    by: ['contract/caldav'],
  },
  {
    name: 'the second page of changed tasks is missing',
    promise: 'an app gets every change',
    file: 'src/caldav/caldav-reading.service.ts',
    piece: 'for (const slice of slicesOf(ids.filter(isUuid), ROWS_PER_LATER_PAGE)) {',
    replacement: 'for (const slice of [...slicesOf(ids.filter(isUuid), ROWS_PER_LATER_PAGE)].slice(0, 1)) {',
    by: ['contract/caldav'],
  },
  {
    name: 'what was done long ago is never taken from an app',
    promise: 'an app shows what the service shows',
    file: 'src/caldav/caldav-reading.service.ts',
    piece: 'if (since.doneSinceDay === next.doneSinceDay) return [];',
    replacement: 'if (since.doneSinceDay <= next.doneSinceDay) return [];',
    by: ['contract/caldav'],
  },
  {
    name: 'the token of a list is later than what is still being written',
    promise: 'an app that syncs misses no change',
    file: 'src/caldav/caldav-reading.service.ts',
    piece: 'const until = new Date(Math.min(horizon.getTime(), last.getTime() + 1));',
    replacement: 'const until = new Date(Math.max(horizon.getTime(), last.getTime() + 1));',
    by: ['contract/caldav'],
  },
  {
    name: 'what an app deletes joins what was dropped in the browser',
    promise: 'Undo takes back what one deletion did',
    file: 'src/caldav/caldav.store.ts',
    piece: "    .where('via', '=', via)\n",
    replacement: '',
    by: ['contract/caldav.test'],
  },
  {
    name: 'two changes have one mark after the clock was set back',
    promise: 'an app sees every change',
    file: 'src/caldav/caldav-reading.service.ts',
    piece: 'last: isFinal ? last : this.#clock.now(),',
    replacement: 'last,',
    also: { piece: '    const isFinal = horizon > last;\n', replacement: '' },
    by: ['contract/caldav-edges'],
  },
  {
    name: 'what an app deletes may have changed a moment before',
    promise: 'of two apps that change one task at once, one is told',
    file: 'src/caldav/caldav-writing.service.ts',
    piece:
      '        if (tagOf(task, row.uid ?? row.id, row.kept_hash, view) !== expected) throw new OtherState();\n      };',
    replacement: '      };',
    by: ['contract/caldav-edges'],
  },
  {
    name: 'a task that an app has named loses its address',
    promise: 'an app finds a task where it has stored it',
    file: 'src/caldav/caldav.store.ts',
    piece: '    if (isNamedElsewhere) continue;\n',
    replacement: '    void isNamedElsewhere;\n',
    by: ['contract/caldav-edges'],
  },
];
